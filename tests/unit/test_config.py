"""Settings: every default, where they may come from, and what is refused with the nearest name."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import simonides
from simonides import (
    AuditConfig,
    Config,
    ConfigError,
    EmbeddingConfig,
    RecallConfig,
    RetrieveConfig,
    SearchConfig,
    StoreConfig,
    TextConfig,
)
from simonides.config import config_from, load_config


def test_the_defaults_of_the_five_signals_are_those_of_the_source_page() -> None:
    search = SearchConfig()
    assert (search.default_fts_weight, search.default_vector_weight) == (0.30, 0.55)
    assert (search.default_recency_weight, search.default_priority_weight) == (0.1, 0.05)
    assert search.default_graph_weight == 0
    assert (search.fts_top_k, search.vector_top_k, search.collapse_pool_factor) == (50, 50, 4)
    assert (search.recency_half_life, search.recency_now_half_life) == (50, 7 * 24 * 3_600)
    assert (search.graph_edge_decay, search.max_neighbors_per_candidate) == (0.5, 5)
    assert (search.reflection_boost, search.reflection_topk_cap, search.include_reflections) == (1.0, 0.3, True)
    assert (search.graph_expansion_enabled, search.graph_expansion_top_n) == (True, 5)
    assert search.graph_expansion_propagation_factor == 0.7
    assert search.graph_expansion_max_sources_per_reflection == 20
    assert search.graph_expansion_reflection_source_ceiling == 50


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(FrozenInstanceError):
        SearchConfig().fts_top_k = 5  # type: ignore[misc]  # past the types, on purpose


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "[search]\ndefault_graph_weight = 0.25\nfts_top_k = 7\n[text]\nb = 0\n"),
        ("a.yaml", "search:\n  default_graph_weight: 0.25\n  fts_top_k: 7\ntext:\n  b: 0\n"),
        ("a.yml", '{"search": {"default_graph_weight": 0.25, "fts_top_k": 7}, "text": {"b": 0}}'),
    ],
)
def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path: Path, name: str, text: str) -> None:
    if not name.endswith(".toml"):
        pytest.importorskip("yaml")
    (tmp_path / name).write_text(text, encoding="utf-8")
    config = load_config(tmp_path / name)
    assert config.search == SearchConfig(default_graph_weight=0.25, fts_top_k=7)
    assert config.text.b == 0.0
    assert isinstance(config.text.b, float)
    assert config.store == StoreConfig()
    assert config_from({"search": {"default_graph_weight": 0.25}}).search == SearchConfig(default_graph_weight=0.25)


def test_a_file_can_set_every_field_of_the_five_signals(tmp_path: Path) -> None:
    """Each field to something else than its default, in either language; what is read is what was written."""
    pytest.importorskip("yaml")
    other: dict[str, Any] = {}
    for field in fields(SearchConfig):
        old = getattr(SearchConfig(), field.name)
        other[field.name] = (
            not old if isinstance(old, bool) else "occurred_at" if isinstance(old, str) else type(old)(old * 2 + 1)
        )
    other["reflection_topk_cap"] = 0.75
    lines = [f"{name} = {json.dumps(value)}" for name, value in other.items()]  # so written it is TOML
    (tmp_path / "a.toml").write_text("\n".join(["[search]", *lines]), encoding="utf-8")
    (tmp_path / "a.yaml").write_text("\n".join(["search:", *("  " + line.replace(" =", ":") for line in lines)]))
    for name in ("a.toml", "a.yaml"):
        read = load_config(tmp_path / name).search
        assert {field.name: getattr(read, field.name) for field in fields(read)} == other
        assert all(getattr(read, field.name) != getattr(SearchConfig(), field.name) for field in fields(read))


@pytest.mark.parametrize("name", ["a.toml", "a.yaml"])
def test_an_empty_file_sets_nothing(tmp_path: Path, name: str) -> None:
    if name == "a.yaml":
        pytest.importorskip("yaml")
    (tmp_path / name).write_bytes(b"")
    assert load_config(tmp_path / name) == Config()


@pytest.mark.parametrize(
    ("values", "says", "near"),
    [
        ({"serch": {}}, "'serch'", "'search'"),
        ({"search": {"default_graph_wieght": 1}}, "'search.default_graph_wieght'", "'default_graph_weight'"),
        ({"search": {"reflection_topk": 1}}, "'search.reflection_topk'", "'reflection_topk_cap'"),
        ({"store": {"busy_timeout": 1}}, "'store.busy_timeout'", "'busy_timeout_s'"),
        ({"text": {"lang": "x"}}, "'text.lang'", "'language'"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_name(values: Any, says: str, near: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from(values)
    assert caught.value.code == "config_invalid"
    assert f"unknown setting {says}" in str(caught.value)
    if near is not None:
        assert f"did you mean {near}?" in str(caught.value)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"search": []}, "search is list"),
        ([], "the configuration is list"),
        ({"search": {"fts_top_k": "50"}}, "search.fts_top_k is '50'; expected int"),
        ({"search": {"fts_top_k": 5.0}}, "search.fts_top_k is 5.0"),
        ({"search": {"fts_top_k": True}}, "search.fts_top_k is True"),
        ({"search": {"include_reflections": 1}}, "search.include_reflections is 1"),
        ({"search": {"default_fts_weight": None}}, "search.default_fts_weight is None"),
        ({"text": {"stop_words": "no"}}, "text.stop_words is 'no'"),
    ],
)
def test_a_value_of_another_type_is_refused_by_place(values: Any, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from(values)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (SearchConfig, "default_fts_weight", -0.1), (SearchConfig, "default_vector_weight", float("inf")),
        (SearchConfig, "reflection_boost", float("nan")), (SearchConfig, "recency_half_life", 0.0),
        (SearchConfig, "recency_now_half_life", -1.0), (SearchConfig, "fts_top_k", 0),
        (SearchConfig, "reflection_topk_cap", 1.01), (SearchConfig, "reflection_topk_cap", -0.01),
        (SearchConfig, "max_neighbors_per_candidate", -1), (SearchConfig, "recency_field", "touched_at"),
        (RetrieveConfig, "rrf_k", -1), (RetrieveConfig, "max_units", 0), (RetrieveConfig, "fts_weight", -1.0),
        (TextConfig, "b", 1.1), (TextConfig, "k1", -0.1), (TextConfig, "terms_max", 0),
        (EmbeddingConfig, "query_deadline_s", 0.0), (EmbeddingConfig, "batch", 0),
        (StoreConfig, "synchronous", "OFF"), (StoreConfig, "chunk", 0), (StoreConfig, "busy_timeout_s", -1.0),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_by_name(kind: Any, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name):
        kind(**{name: value})


def test_a_key_near_to_none_comes_with_all_that_there_are() -> None:
    with pytest.raises(ConfigError, match="known ones: vector_weight, leg_top_k, second_look"):
        config_from({"recall": {"zzz": 1}})


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (SearchConfig, "include_reflections", "no"), (SearchConfig, "graph_expansion_enabled", 1),
        (TextConfig, "stop_words", 0), (RecallConfig, "second_look", None), (AuditConfig, "text", "yes"),
        (Config, "search", {"fts_top_k": 7}), (Config, "store", None), (Config, "cycle_provider", 1.5),
        (Config, "token_counter", 4),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused_by_name(kind: Any, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{name} is "):
        kind(**{name: value})


def test_a_half_life_without_end_is_allowed() -> None:
    assert SearchConfig(recency_half_life=float("inf")).recency_half_life == float("inf")


@pytest.mark.parametrize(
    ("name", "content"),
    [("missing.toml", None), ("a.ini", b"[x]"), ("a.toml", b"= broken"), ("a.toml", b"\xff\xfe"),
     ("a.yaml", b"a: [1"), ("big.toml", b"#" * ((1 << 20) + 1))],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    if name == "a.yaml":
        pytest.importorskip("yaml")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        load_config(tmp_path / name)


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "a.yaml").write_text("search: !!python/object/apply:os.getcwd []\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not YAML"):
        load_config(tmp_path / "a.yaml")


def test_a_store_takes_settings_in_any_form(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[search]\nfts_top_k = 7\n", encoding="utf-8")
    forms: list[Any] = [
        Config(search=SearchConfig(fts_top_k=7)), SearchConfig(fts_top_k=7), {"search": {"fts_top_k": 7}},
        tmp_path / "s.toml", str(tmp_path / "s.toml"),
    ]  # fmt: skip
    for form in forms:
        with simonides.open(":memory:", config=form, embedder=False) as store:
            assert store.config.search.fts_top_k == 7


def test_every_section_of_the_configuration_is_public() -> None:
    sections = [getattr(Config(), f.name) for f in fields(Config)]
    kinds = {type(section).__name__ for section in sections if is_dataclass(section)}
    assert len(kinds) >= 6
    assert kinds - {"DatabaseConfig"} <= set(simonides.__all__)  # that one is read from files only
