"""What an answer says about itself; OpenTelemetry spans and metrics when its API is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from simonides import EmbeddingError


def test_backends_are_the_legs_that_ran_and_the_signals_that_changed_a_score(make: Any) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=[1, 0], priority="P4")
    assert store.search_hybrid("unheard", [1, 0]).backends_used == {"fts5", "vector"}
    store.remember("kettle", thought_id="b", vector=[1, 0], priority="P1")
    assert store.search_hybrid("unheard", [1, 0]).backends_used == {"fts5", "vector", "priority"}
    assert store.search_hybrid("pot", current_cycle=0).backends_used == {"fts5", "recency"}


def test_weights_are_the_effective_ones_and_each_stage_has_its_seconds(make: Any) -> None:
    store = make()
    store.remember("pot", thought_id="a", vector=[1, 0])
    answer = store.search_hybrid("pot", [1, 0])
    assert sum(answer.weights.values()) == pytest.approx(1.0, abs=1e-12)
    assert {"text", "vector", "rank", "present"} <= set(answer.timings)
    assert all(seconds >= 0 for seconds in answer.timings.values())
    assert set(answer.to_dict()["timings"]) == set(answer.timings)


class Broken:
    """A model that works for documents and fails for questions."""

    def __init__(self) -> None:
        from simonides.embedders import HashingEmbedder

        self._inner = HashingEmbedder(8)

    @property
    def info(self) -> Any:
        return self._inner.info

    zero_means_unknown = False

    def embed_documents(self, texts: Any) -> Any:
        return self._inner.embed_documents(texts)

    def embed_queries(self, texts: Any) -> Any:
        raise EmbeddingError("the model is away")


@pytest.mark.parametrize("verb", ["recall", "retrieve", "search_hybrid"])
def test_a_leg_that_fails_is_named_and_the_rest_answers(make: Any, verb: str) -> None:
    store = make(embedder=Broken())
    store.remember("pot", thought_id="a")
    answer = getattr(store, verb)("pot")
    assert [hit.thought_id for hit in answer.hits] == ["a"]
    assert [(lost.what, "away" in lost.reason) for lost in answer.degraded] == [("vector", True)]
    assert "vector" not in answer.weights


# ---- OpenTelemetry: in a process of its own, since its providers are set once per process

WATCHED = """
import json
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
tracing = TracerProvider()
tracing.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(tracing)
metrics.set_meter_provider(MeterProvider(metric_readers=[reader]))

import simonides
with simonides.open(":memory:", embedder=False) as store:
    store.remember("secret pot", thought_id="a", vector=[1, 0])
    store.search_hybrid("secret", [1, 0])
    store.recall("pot")
    store.retrieve("pot")
    store.search_fts("pot")
    store.search_similar([1, 0])
    store.search_reflections_only("pot", [1, 0])
    try:
        store.search_hybrid("pot", [1, 0, 0])
    except simonides.ModelMismatchError as error:
        raised = error.code
points = {
    metric.name: [(p.attributes["recipe"], getattr(p, "value", None), getattr(p, "count", None)) for p in
                  metric.data.data_points]
    for resource in reader.get_metrics_data().resource_metrics
    for scope in resource.scope_metrics for metric in scope.metrics
}
print(json.dumps({"raised": raised, "points": points, "spans": [
    {"name": span.name, "ok": span.status.is_ok, "values": dict(span.attributes)}
    for span in spans.get_finished_spans()
]}))
"""
RECIPES = ["default", "five_signal", "fts", "reflections", "rrf", "similar"]


def run(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def watched() -> Any:
    return json.loads(run(WATCHED))


def test_a_search_is_one_span_with_its_recipe_pool_and_stages_and_no_text(watched: Any) -> None:
    span = watched["spans"][0]
    values = span["values"]
    assert (span["name"], span["ok"]) == ("simonides.search", True)
    assert values["simonides.recipe"] == "five_signal"
    assert values["simonides.pool"] == 1
    assert values["simonides.backends"] == ["fts5", "priority", "vector"]
    assert values["simonides.degraded"] == 0
    assert all(values[f"simonides.seconds.{stage}"] >= 0 for stage in ("text", "vector", "rank"))
    assert "secret" not in json.dumps(watched)


def test_every_ranked_verb_is_counted_and_timed_by_recipe(watched: Any) -> None:
    assert sorted((recipe, value) for recipe, value, _ in watched["points"]["simonides.searches"]) == [
        (recipe, 1) for recipe in RECIPES
    ]
    assert sorted((recipe, count) for recipe, _, count in watched["points"]["simonides.search.seconds"]) == [
        (recipe, 1) for recipe in RECIPES
    ]
    assert len(watched["spans"]) == len(RECIPES) + 1


def test_an_error_ends_its_span_as_failed_and_reaches_the_caller(watched: Any) -> None:
    assert watched["raised"] == "model_mismatch"
    assert [span["ok"] for span in watched["spans"]] == [True] * len(RECIPES) + [False]


def test_without_the_api_everything_works() -> None:
    found = run(
        "import sys; sys.modules['opentelemetry'] = None\n"
        "import simonides\n"
        "with simonides.open(':memory:', embedder=False) as store:\n"
        "    store.remember('pot', thought_id='a')\n"
        "    print([hit.thought_id for hit in store.search_hybrid('pot').hits])\n"
    )
    assert found.strip() == "['a']"
