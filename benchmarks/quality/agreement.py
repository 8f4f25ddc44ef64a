"""Does `search_hybrid` rank as the peer does, wherever the two are meant to agree?

    python -m benchmarks.quality.agreement --stores 30 --write

Random small stores with given vectors, edges, reflections, priorities, cycles and units go into both; random questions
are asked of both, and lists, scores and evictions are compared. Texts are left out of the questions, since the text
scale differs on purpose, and so is what docs/coming-from.md names: reflections are ACTIVE, sources are OBSERVATIONs,
`include_reflections` stays on, and there is always a vector.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any

import simonides
from benchmarks.quality.results import write_section
from simonides.backend.port import Transaction
from simonides.backend.rows import NewEdge

DIMENSION = 6
DIGITS = 5  # the peer computes in float32
Answer = tuple[list[tuple[str, float]], int]


def scene(dice: random.Random) -> tuple[list[dict[str, Any]], list[tuple[Any, ...]], dict[str, Any]]:
    """(thoughts, edges, settings) of one store."""
    rows: list[dict[str, Any]] = []
    for n in range(dice.choice([4, 12, 40])):
        kind = dice.choice(["NOTE", "OBSERVATION", "REFLECTION", "TASK"]) if n else "NOTE"
        status = "ACTIVE" if kind == "REFLECTION" else dice.choices(["ACTIVE", "ARCHIVED", "DONE"], [8, 1, 1])[0]
        rows.append({
            "thought_id": f"t{n:02}", "content": f"text {n}", "thought_type": kind, "lifecycle_status": status,
            "priority": dice.choice(["P1", "P2", "P3", "P4"]), "created_cycle": dice.randint(0, 60),
            "metadata": {"unit": dice.randint(0, 4)} if dice.random() < 0.8 else {},
            "vector": None if dice.random() < 0.1 else [dice.gauss(0.6, 1) for _ in range(DIMENSION)],
        })  # fmt: skip
    edges: dict[tuple[str, str, str], tuple[Any, ...]] = {}
    for n in range(dice.choice([0, 1, 4]) * len(rows)):
        start, end = dice.choice(rows), dice.choice(rows)
        kind = dice.choice(["ASSOCIATED", "DEPENDS_ON", "BRIDGE"])
        if (start["thought_type"], end["thought_type"]) == ("REFLECTION", "OBSERVATION"):
            kind = "CONSOLIDATED_FROM"
        key = (start["thought_id"], end["thought_id"], kind)
        edges.setdefault(key, (f"e{n:04}", *key, dice.choice([0.2, 0.5, 0.9, 1.0])))
    settings = {
        "max_neighbors_per_candidate": dice.choice([1, 3, 5]), "reflection_topk_cap": dice.choice([0.3, 0.5, 1.0]),
        "graph_expansion_enabled": dice.random() < 0.5, "graph_expansion_top_n": dice.choice([1, 5]),
    }  # fmt: skip
    return rows, list(edges.values()), settings


def questions(dice: random.Random) -> list[tuple[list[float], dict[str, Any]]]:
    """(vector, arguments) of some questions."""
    asked = []
    for _ in range(6):
        options: dict[str, Any] = {
            "top_k": dice.choice([1, 3, 10, 20]), "fts_weight": dice.choice([0.0, 0.3]),
            "priority_weight": dice.choice([0.0, 0.2]), "graph_weight": dice.choice([0.0, 0.3, 1.0]),
            "include_archived": dice.random() < 0.2,
        }  # fmt: skip
        if dice.random() < 0.5:
            options |= {"current_cycle": dice.randint(0, 80), "recency_weight": dice.choice([0.1, 0.5])}
            options["recency_half_life"] = dice.choice([10, 50])
        for name, value in (("reflection_boost", 1.5), ("collapse_key", "$.unit"), ("graph_edge_decay", 0.3)):
            if dice.random() < 0.3:
                options[name] = value
        asked.append(([dice.gauss(0.4, 1) for _ in range(DIMENSION)], options))
    return asked


def ours(rows: Any, edges: Any, settings: Any, asked: Any) -> list[Answer]:
    """The answers of `search_hybrid`. Edges are written with their ids, which settle ties."""
    with simonides.open(":memory:", embedder=False, config={"search": settings}) as store:
        for row in rows:
            store.create_thought(**row)

        def link(tx: Transaction) -> None:
            ns = tx.state("default").ns
            tids = tx.tids_of(ns, [row["thought_id"] for row in rows])
            for name, start, end, kind, weight in edges:
                tx.put_edge(NewEdge(ns, name, tids[start], tids[end], kind, weight, 0, None, None, None, "{}"))

        store._engine.database.write(link)
        answers = [store.search_hybrid("", vector, **options) for vector, options in asked]
        return [(answer.results, answer.reflections_evicted) for answer in answers]


async def theirs(rows: Any, edges: Any, settings: Any, asked: Any, folder: Path) -> list[Answer]:
    """The answers of the peer."""
    from engrava import EdgeRecord, EdgeType, LifecycleStatus, Priority, SqliteEngravaCore, ThoughtRecord, ThoughtType

    lines = [f"  {name}: {str(value).lower()}" for name, value in settings.items()]
    vectors = f"extensions:\n  vector:\n    backend: numpy\n    dimension: {DIMENSION}\n"
    text = f"database:\n  path: {folder / 'peer.db'}\n{vectors}search:\n" + "\n".join(lines)
    (folder / "peer.yaml").write_text(text, encoding="utf-8")
    core: Any = await SqliteEngravaCore.from_config(str(folder / "peer.yaml"))
    async with core.suspend_auto_commit():
        for row in rows:
            record = ThoughtRecord(
                thought_id=row["thought_id"], essence=row["thought_id"], content=row["content"], source="agreement",
                thought_type=ThoughtType(row["thought_type"]), priority=Priority(row["priority"]),
                lifecycle_status=LifecycleStatus(row["lifecycle_status"]), created_cycle=row["created_cycle"],
                updated_cycle=row["created_cycle"], metadata=row["metadata"],
            )  # fmt: skip
            await core.create_thought(record)
            if row["vector"] is not None:
                await core.store_embedding(row["thought_id"], row["vector"], model_name="agreement")
        for name, start, end, kind, weight in edges:
            edge = EdgeRecord(
                edge_id=name, from_thought_id=start, to_thought_id=end, edge_type=EdgeType(kind), weight=weight,
                created_cycle=0, source="EXPERIENCE",
            )  # fmt: skip
            await core.create_edge(edge)
    answers = [await core.search_hybrid("", query_vector=vector, **options) for vector, options in asked]
    await core.close()
    return [(answer.results, answer.reflections_evicted) for answer in answers]


def rounded(answer: Answer) -> Answer:
    return [(name, round(score, DIGITS)) for name, score in answer[0]], answer[1]


def main() -> None:
    """Compares and prints what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stores", type=int, default=30)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="replace the section of RESULTS.md")
    chosen = parser.parse_args()
    count = equal = alone = 0
    for seed in range(chosen.seed, chosen.seed + chosen.stores):
        dice = random.Random(seed)
        rows, edges, settings = scene(dice)
        asked = questions(dice)
        with tempfile.TemporaryDirectory() as folder:
            peer = asyncio.run(theirs(rows, edges, settings, asked, Path(folder)))
        kinds = {row["thought_id"]: row["thought_type"] for row in rows}
        for (_, options), here, there in zip(asked, ours(rows, edges, settings, asked), peer, strict=True):
            count += 1
            if rounded(here) == rounded(there):
                equal += 1
            elif not there[0] and {kinds[name] for name, _ in here[0]} == {"REFLECTION"}:
                alone += 1  # decided otherwise: when nothing but reflections was found, they stay
            else:
                print("seed", seed, settings, options, "\n peer", rounded(there), "\n here", rounded(here))
    summary = (
        f"Of {count} questions to {chosen.stores} random stores {equal} have the same list, the same scores to "
        f"{DIGITS} digits and the same evictions; {alone} differ as decided (nothing but reflections was found: there "
        f"the cap leaves nothing, here they stay); {count - equal - alone} differ otherwise."
    )
    print(summary)
    if chosen.write:
        command = f"`python -m benchmarks.quality.agreement --stores {chosen.stores} --write`"
        about = (
            "engrava from PyPI and `search_hybrid` with vectors, edges, reflections, priorities, cycles, units and "
            "archived rows at random; texts are left out, since the text scale differs on purpose."
        )
        write_section("Agreement with the peer", f"{command}\n\n{about}\n\n{summary}")


if __name__ == "__main__":
    main()
