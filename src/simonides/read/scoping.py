"""What may a query see? One mask per namespace, made before any leg cuts; and a second look at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.backend.rows import ARCHIVED, REFLECTION
from simonides.clock import to_instant
from simonides.index.members import with_members
from simonides.model.thought import LifecycleStatus, Thought, ThoughtType

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.index.catalogue import Catalogue
    from simonides.index.shelf import View
    from simonides.model.edge import Edge
    from simonides.model.predicate import Predicate
    from simonides.model.query import Scope

Mask = npt.NDArray[np.bool_]


def eligible(snapshot: Snapshot, view: View, scope: Scope) -> Mask | None:
    """(n,) bool over the catalogue, or None when everything may be seen.

    Out are dead, expired and archived rows (unless asked for), statements that do not hold at the time asked for,
    reflections that are retired or not ACTIVE, and what the filter refuses.
    """
    catalogue = view.catalogue
    mask = catalogue.live
    hidden = catalogue.hidden
    refusals = [catalogue.expires_at <= scope.now] if hidden.first_expiry <= scope.now else []
    if hidden.retired:
        refusals.append(catalogue.retired)
    if hidden.idle:
        refusals.append(catalogue.idle)
    if hidden.archived and not scope.include_archived:
        refusals.append(catalogue.status == ARCHIVED)
    if hidden.reflections and not scope.include_reflections:
        refusals.append(catalogue.thought_type == REFLECTION)
    if catalogue.bounded and not scope.valid_any:
        refusals += [catalogue.valid_from > scope.holds_at, catalogue.valid_until <= scope.holds_at]
    if refusals:
        refused = np.logical_or.reduce(refusals)
        mask = ~refused if mask is None else mask & ~refused
    return narrowed(snapshot, view, mask, scope.predicate)


def narrowed(snapshot: Snapshot, view: View, mask: Mask | None, predicate: Predicate | None) -> Mask | None:
    """A mask without what a predicate refuses."""
    if predicate is None:
        return mask
    allowed = np.zeros(view.catalogue.size, np.bool_)
    tids = snapshot.tids_where(view.state.ns, with_members(snapshot, view.state.ns, predicate))
    allowed[view.catalogue.ordinals_of_tids(tids)] = True
    return allowed if mask is None else mask & allowed


def without_reflections(catalogue: Catalogue, mask: Mask | None) -> tuple[Mask | None, Mask | None]:
    """(a mask without reflections, the mask of the reflections that were in it); (mask, None) when there are none."""
    if not catalogue.hidden.reflections:
        return mask, None
    reflections = catalogue.thought_type == REFLECTION
    return (~reflections, reflections) if mask is None else (mask & ~reflections, mask & reflections)


def visible(thought: Thought, scope: Scope) -> bool:
    """The second look, by other means: from the thought itself, not from the mask."""
    if thought.namespace not in scope.namespaces:
        return False
    if thought.expires_at is not None and to_instant(thought.expires_at) <= scope.now:
        return False
    if thought.lifecycle_status is LifecycleStatus.ARCHIVED and not scope.include_archived:
        return False
    if not scope.valid_any and not holds(thought, scope.holds_at):
        return False
    if thought.thought_type is not ThoughtType.REFLECTION:
        return True
    return scope.include_reflections and thought.lifecycle_status in (LifecycleStatus.ACTIVE, LifecycleStatus.ARCHIVED)


def holds(thought: Thought, at: int) -> bool:
    """Whether what a thought says is true at an instant: from `valid_from` on, before `valid_until`."""
    begun = thought.valid_from is None or to_instant(thought.valid_from) <= at
    return begun and (thought.valid_until is None or to_instant(thought.valid_until) > at)


def edge_holds(edge: Edge, at: int) -> bool:
    """The same for an edge."""
    begun = edge.valid_from is None or to_instant(edge.valid_from) <= at
    return begun and (edge.valid_until is None or to_instant(edge.valid_until) > at)


def is_reflection(catalogue: Catalogue, ordinals: Sequence[int] | npt.NDArray[np.int64]) -> Mask:
    return np.asarray(catalogue.thought_type[np.asarray(ordinals, np.int64)] == REFLECTION)
