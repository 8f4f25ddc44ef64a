"""Foreign files become drafts: readers for chat exports, JSON lines, Markdown and text, and the import itself."""

from simonides.sources.importing import ImportReport, import_into
from simonides.sources.read import detect, read_records, read_source
from simonides.sources.record import Place, Problem, Record, SourceKind

__all__ = [
    "ImportReport",
    "Place",
    "Problem",
    "Record",
    "SourceKind",
    "detect",
    "import_into",
    "read_records",
    "read_source",
]
