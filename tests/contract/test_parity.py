"""Store and AsyncStore offer the same verbs with the same parameters and results; the public names are pinned."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from store_driver import HandClock, Loop, open_driven

import simonides
from simonides import AsyncStore, Store, errors

PROPERTIES = {name for name in dir(Store) if isinstance(getattr(Store, name), property)}
PLAIN = {"from_config", "in_namespace"}  # they give a handle and touch no file
VERBS = {
    "archive_thought", "changes", "count_thoughts", "create_thought", "delete_thought", "edges", "embed_pending",
    "get_thought", "get_thoughts", "link", "list_thoughts", "namespaces", "read_query", "recall", "remember",
    "remember_many", "restore_thought", "retrieve", "search_fts", "search_hybrid", "search_similar", "stats", "unlink",
    "update_thought", "verify",
}  # fmt: skip


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_both_faces_have_the_same_public_names() -> None:
    assert public(Store) == public(AsyncStore)
    assert public(Store) >= PROPERTIES | PLAIN | VERBS | {"close"}
    assert public(Store) - PROPERTIES - PLAIN - {"close"} >= VERBS


@pytest.mark.parametrize("name", sorted(public(Store) - PROPERTIES))
def test_a_verb_has_the_same_parameters_in_both_faces(name: str) -> None:
    ours, theirs = inspect.signature(getattr(Store, name)), inspect.signature(getattr(AsyncStore, name))
    assert list(ours.parameters.values()) == list(theirs.parameters.values())


@pytest.mark.parametrize("name", sorted(public(Store) - PROPERTIES - PLAIN))
def test_every_verb_is_awaited_in_the_async_face(name: str) -> None:
    assert not inspect.iscoroutinefunction(getattr(Store, name))
    assert inspect.iscoroutinefunction(getattr(AsyncStore, name))
    assert getattr(AsyncStore, name).__doc__


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_properties_are_properties_in_both_faces(name: str) -> None:
    assert isinstance(getattr(AsyncStore, name), property)
    assert {"config", "fts_match_failure_count", "namespace", "read_only", "sealed"} <= PROPERTIES


def test_the_objects_that_group_verbs_offer_the_same_in_both_faces(loop: Loop) -> None:
    """`store.jobs`, `store.log` …: the same names and parameters, awaited."""
    with simonides.open(":memory:", embedder=False) as one, open_driven(loop, ":memory:", embedder=False) as other:
        for name in sorted(PROPERTIES):
            ours, theirs = getattr(one, name), getattr(other._driven, name)
            if not type(ours).__module__.endswith("_verbs"):
                continue
            assert public(type(ours)) == public(type(theirs)), name
            for verb in public(type(ours)):
                mine, its = getattr(type(ours), verb), getattr(type(theirs), verb)
                if callable(mine):
                    assert inspect.iscoroutinefunction(its), f"{name}.{verb}"
                    assert list(inspect.signature(mine).parameters) == list(inspect.signature(its).parameters)


def test_opening_takes_the_same_parameters() -> None:
    ours, theirs = inspect.signature(simonides.open), inspect.signature(simonides.open_async)
    assert list(ours.parameters) == list(theirs.parameters)


def script(store: Any) -> list[Any]:
    """One call of every verb; what it gave, without what differs from run to run."""
    out: list[Any] = [
        store.remember("the blue pot", thought_id="a", session="s", speaker="Ana"),
        store.remember_many([simonides.Draft(content="the red kettle", thought_id="b", session="s")]),
        store.create_thought(content="a pot of basil", thought_id="c", priority="P1"),
        store.update_thought("c", content="a pot of mint", expected_revision=1),
        store.link("a", "c", weight=0.5).weight,
        store.archive_thought("b"),
        store.restore_thought("b"),
        store.get_thought("a"),
        store.get_thoughts(["b", "a"]),
        store.list_thoughts(limit=2),
        store.count_thoughts(),
        [(e.from_id, e.to_id, e.weight) for e in store.edges()],
        store.unlink("a", "c"),
        [(c.seq, c.kind, c.subject_id) for c in store.changes() if not c.kind.startswith("edge")],
        store.embed_pending(),
        store.search_fts("pot"),
        store.search_similar([1.0] + [0.0] * 63, threshold=-1.0),
        store.read_query("the pot"),
        store.namespaces(),
        store.stats(),
        store.verify(),
        [(h.to_dict(), h.contributions) for h in store.recall("blue pot").hits],
        [h.to_dict() for h in store.retrieve("blue pot").hits],
        [h.to_dict() for h in store.search_hybrid("blue pot", current_cycle=3).hits],
        store.delete_thought("a"),
        store.in_namespace("other").namespace,
        (store.namespace, store.sealed, store.read_only, store.fts_match_failure_count),
        repr(store.config),
    ]
    for wrong in (lambda: store.get_thought("a", namespace=""), lambda: store.delete_thought("zz")):
        with pytest.raises(simonides.SimonidesError) as caught:
            wrong()
        out.append((caught.value.code, str(caught.value)))
    return out


def test_both_faces_give_the_same_results(loop: Loop) -> None:
    with (
        simonides.open(":memory:", embedder="hashing:64", clock=HandClock()) as one,
        open_driven(loop, ":memory:", embedder="hashing:64", clock=HandClock()) as other,
    ):
        assert script(one) == script(other)


def test_an_async_store_opens_by_await_and_by_async_with(loop: Loop, tmp_path: Path) -> None:
    async def story() -> list[str]:
        store = await simonides.open_async(tmp_path / "a.db", embedder=False)
        await store.remember("the pot", thought_id="p")
        await store.close()
        async with simonides.open_async(tmp_path / "a.db", embedder=False) as again:
            return [hit.thought_id for hit in (await again.recall("pot")).hits]

    assert loop.run(story()) == ["p"]


def test_an_async_store_that_was_not_opened_says_so(loop: Loop) -> None:
    async def story() -> None:
        await simonides.open_async(":memory:").recall("x")

    with pytest.raises(simonides.StoreClosedError):
        loop.run(story())


def test_verbs_of_an_async_store_run_side_by_side(loop: Loop, tmp_path: Path) -> None:
    import asyncio

    async def story() -> int:
        async with simonides.open_async(tmp_path / "a.db", embedder=False) as store:
            work: list[Coroutine[Any, Any, Any]] = [store.remember(f"note {n}") for n in range(40)]
            work += [store.recall("note") for _ in range(10)]
            await asyncio.gather(*work)
            return await store.count_thoughts()

    assert loop.run(story()) == 40


def test_a_closed_store_refuses_every_verb(loop: Loop) -> None:
    for store in (simonides.open(":memory:"), open_driven(loop, ":memory:")):
        store.remember("x")
        store.close()
        store.close()
        for ask in (lambda s=store: s.remember("y"), lambda s=store: s.recall("x"), lambda s=store: s.stats()):
            with pytest.raises(simonides.StoreClosedError) as caught:
                ask()
            assert caught.value.code == "store_closed"


def test_every_error_has_a_stable_code() -> None:
    values = [getattr(errors, name) for name in dir(errors)]
    kinds = [v for v in values if isinstance(v, type) and issubclass(v, simonides.SimonidesError)]
    assert len({kind.code for kind in kinds}) == len(kinds) <= 24
    assert {kind.__name__ for kind in kinds} >= {name for name in simonides.__all__ if name.endswith("Error")}
    assert {kind.__name__: kind.code for kind in kinds if kind.__name__ in simonides.__all__} == {
        "SimonidesError": "error",
        "ConfigError": "config_invalid",
        "MissingExtraError": "extra_missing",
        "StoreError": "store_error",
        "StoreClosedError": "store_closed",
        "StoreReadOnlyError": "store_read_only",
        "StoreBusyError": "store_busy",
        "StoreDamagedError": "store_damaged",
        "StoreTooNewError": "store_too_new",
        "NamespaceError": "namespace_invalid",
        "ThoughtNotFoundError": "thought_not_found",
        "InvalidThoughtError": "thought_invalid",
        "RevisionConflictError": "revision_conflict",
        "InvalidQueryError": "query_invalid",
        "InvalidFilterError": "filter_invalid",
        "HistoryPrunedError": "history_pruned",
        "InvalidRecencyArgumentError": "recency_argument_invalid",
        "RecencyModeConflictError": "recency_mode_conflict",
        "EmbeddingError": "embedding_failed",
        "InvalidVectorError": "vector_invalid",
        "ModelMismatchError": "model_mismatch",
        "QueryNotFoundError": "query_not_found",
        "JobError": "job_failed",
        "AuditError": "audit_failed",
    }


def test_the_public_names_are_these() -> None:
    assert sorted(simonides.__all__) == [
        "Aged", "Anchor", "AsyncStore", "AuditConfig", "AuditError", "Backup", "Budget", "Change", "Compacted",
        "Config", "ConfigError", "Conflict", "ConflictKind", "ConflictScan", "ConflictStatus", "ConflictsConfig",
        "Consolidated", "ConsolidationConfig", "Degradation", "Diagnosis", "Difference", "Disagreement", "Draft",
        "DreamingExtension", "Edge", "EdgeType", "Embedder", "EmbeddingConfig", "EmbeddingError", "Excerpt",
        "Exported", "FieldChange", "Forgotten", "HistoryEntry", "HistoryPrunedError", "Hit", "HybridSearchResult",
        "HygieneConfig", "HygieneReport", "Imported", "InvalidFilterError", "InvalidQueryError",
        "InvalidRecencyArgumentError", "InvalidThoughtError", "InvalidVectorError", "Job", "JobError", "JobFailure",
        "LeftOut", "LifecycleStatus", "LineProblem", "LogEntry", "LoggedHit", "MissingExtraError", "ModelInfo",
        "ModelMismatchError", "NamespaceError", "Part", "Passage", "PlannedReflection", "Priority", "Problem",
        "Profile", "Pruned", "QueryNotFoundError", "ReadQuery", "RecallConfig", "RecencyModeConflictError",
        "Reembedded", "Reembedding", "Reflection", "Replay", "RetrieveConfig", "RevisionConflictError", "RevisionDiff",
        "Seal", "SearchConfig", "SimonidesError", "Stats", "Store", "StoreBusyError", "StoreClosedError", "StoreConfig",
        "StoreDamagedError", "StoreError", "StoreReadOnlyError", "StoreTooNewError", "TextConfig", "Theme", "Thought",
        "ThoughtNotFoundError", "ThoughtType", "TopicsConfig", "Verification", "WhyNot", "load_config", "open",
        "open_async",
    ]  # fmt: skip
    assert all(hasattr(simonides, name) for name in simonides.__all__)
