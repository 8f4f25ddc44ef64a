"""How much does an import take in? Every limit of the readers, with unit and reason."""

from __future__ import annotations

RECORD_SIZE_MAX = 64 * 1024 * 1024
"""Bytes of a JSON line, or characters of one conversation of an export. A larger one is reported and skipped."""

DOCUMENT_BYTES_MAX = 32 * 1024 * 1024
"""Bytes of one Markdown or text file; it is read whole. A larger one is reported and skipped."""

JSON_DEPTH_MAX = 64
"""Levels of nesting in one JSON record. Real exports stay under 15; deeper ones are attacks or accidents."""

RECORDS_MAX = 5_000_000
"""Records of one import. About 150 bytes are kept for each, to notice an id that is used twice."""

FILES_MAX = 100_000
"""Files of one folder."""

FOLDER_DEPTH_MAX = 32
"""Levels of folders below the one that was named."""

BRANCH_MESSAGES_MAX = 100_000
"""Messages on the current branch of one ChatGPT conversation."""

SECTION_CHARACTERS_AIM = 1_000
"""Paragraphs under one heading are packed into memories of about this many characters; a passage is 1,200."""

PROBLEMS_KEPT_MAX = 1_000
"""Problems that a report holds; further ones are only counted."""

SOURCE_CHARACTERS_MAX = 250
"""Characters of a file's path that are shown as its source; of a longer one the end is shown."""
