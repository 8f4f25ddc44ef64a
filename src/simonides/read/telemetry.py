"""Who else wants to know? OpenTelemetry spans and metrics, when the program has loaded its API; nothing otherwise.

One span `simonides.search` per question with its recipe, pool, hits and stages; a counter of questions and a
histogram of seconds per recipe. No query text and no content leaves the process this way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from simonides.clock import stopwatch

if TYPE_CHECKING:
    from simonides.read.plan import Plan
    from simonides.read.trail import Trail


@contextmanager
def reported(plan: Plan, trail: Trail) -> Iterator[None]:
    """Wraps one search in a span and counts it."""
    tools = _tools() if "opentelemetry" in sys.modules else None  # whoever collects has loaded it
    if tools is None:
        yield
        return
    tracer, questions, seconds = tools
    begun = stopwatch()
    with tracer.start_as_current_span("simonides.search") as span:
        yield
        span.set_attribute("simonides.recipe", plan.recipe.name)
        span.set_attribute("simonides.namespaces", len(plan.scope.namespaces))
        span.set_attribute("simonides.pool", trail.pool)
        span.set_attribute("simonides.backends", sorted(trail.backends))
        span.set_attribute("simonides.degraded", len(trail.degraded))
        for stage, took in trail.timings.items():
            span.set_attribute(f"simonides.seconds.{stage}", took)
    labels = {"recipe": plan.recipe.name}
    questions.add(1, labels)
    seconds.record(stopwatch() - begun, labels)


@cache
def _tools() -> tuple[Any, Any, Any] | None:
    try:
        from opentelemetry import metrics, trace
    except ImportError:
        return None
    meter = metrics.get_meter("simonides")
    return (
        trace.get_tracer("simonides"),
        meter.create_counter("simonides.searches", description="Ranked searches"),
        meter.create_histogram("simonides.search.seconds", unit="s", description="Seconds per ranked search"),
    )
