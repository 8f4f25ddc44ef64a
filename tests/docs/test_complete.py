"""Is everything that a user can touch described, with its true value?"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from pathlib import Path

import pytest

import simonides
import simonides.errors
from simonides import config

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "simonides"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(path.read_text("utf-8") for path in PAGES)
SETTINGS = [
    config.SearchConfig, config.RecallConfig, config.RetrieveConfig, config.TextConfig, config.EmbeddingConfig,
    config.AuditConfig, config.ConflictsConfig, config.ConsolidationConfig, config.DatabaseConfig,
    config.HygieneConfig, config.StoreConfig, config.TopicsConfig,
]  # fmt: skip
OTHER_PAGES = ("sources", "evaluate")  # whose limits docs/importing.md and docs/evaluation.md keep


def said(name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", TEXT) is not None


@pytest.mark.parametrize("name", simonides.__all__)
def test_every_public_name_is_in_the_pages(name: str) -> None:
    assert said(name)


@pytest.mark.parametrize("name", [n for n in vars(simonides.Store) if not n.startswith("_")])
def test_every_verb_is_in_the_pages(name: str) -> None:
    assert said(name)


@pytest.mark.parametrize(
    "kind", [simonides.ThoughtType, simonides.Priority, simonides.LifecycleStatus, simonides.EdgeType]
)
def test_every_value_of_an_enumeration_is_in_the_pages(kind: type) -> None:
    assert [value for value in kind if not said(value)] == []  # type: ignore[attr-defined]  # all four are enumerations


def errors() -> list[type[simonides.SimonidesError]]:
    found = [value for value in vars(simonides.errors).values() if isinstance(value, type)]
    return [value for value in found if issubclass(value, simonides.SimonidesError)]


@pytest.mark.parametrize("kind", errors(), ids=lambda k: k.__name__)
def test_every_error_has_a_row_with_its_code(kind: type[simonides.SimonidesError]) -> None:
    assert f"| `{kind.__name__}` | `{kind.code}` |" in (ROOT / "docs" / "operations.md").read_text("utf-8")


@pytest.mark.parametrize("kind", SETTINGS, ids=lambda k: k.__name__)
def test_every_setting_has_a_row_with_its_default(kind: type) -> None:
    rows = setting_rows()
    wanted = {field.name: written(field.default) for field in dataclasses.fields(kind)}
    assert rows.get(kind.__name__, {}) == wanted


def test_no_settings_are_missing_from_this_test() -> None:
    factories = {f.default_factory for f in dataclasses.fields(config.Config)}
    nested = factories - {dataclasses.MISSING}
    assert nested == set(SETTINGS)


def setting_rows() -> dict[str, dict[str, str]]:
    """Class → setting → default, from the tables below the last mention of the class."""
    found: dict[str, dict[str, str]] = {}
    current, table = "", False
    for line in TEXT.splitlines():
        row = re.match(r"\| `(\w+)` \| ([^|]+) \|", line)
        if row and table:
            found.setdefault(current, {})[row[1]] = row[2].strip()
            continue
        named = [kind.__name__ for kind in SETTINGS if f"`{kind.__name__}`" in line]
        current = named[-1] if named else current
        if not line.startswith("|--"):
            table = line.startswith("| setting ")
    return found


def written(value: object) -> str:
    return "none" if value is None else str(value)


def limits() -> dict[str, float]:
    """Public numbers named …_MAX: module.NAME → value."""
    found: dict[str, float] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        if module.startswith(OTHER_PAGES):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z][A-Z_]*_MAX", target.id):
                    value = getattr(importlib.import_module(f"simonides.{module}"), target.id)
                    found[f"{module}.{target.id}"] = value
    return found


def test_every_limit_has_a_row_with_its_value() -> None:
    page = (ROOT / "docs" / "data-model.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| ([\d.,]+) \|", page, re.MULTILINE)
    assert {name: float(value.replace(",", "")) for name, value in rows if "." in name} == limits_with(rows)


def limits_with(rows: list[tuple[str, str]]) -> dict[str, float]:
    """All public limits, and those constants of other names that the table holds."""
    found = {name: float(value) for name, value in limits().items()}
    for name, _ in rows:
        module, _, constant = name.rpartition(".")
        if module and name not in found:
            found[name] = float(getattr(importlib.import_module(f"simonides.{module}"), constant))
    return found
