"""Consolidation as an extension: `DreamingExtension(config).run_consolidation(store, current_cycle)`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar, overload

from simonides.aio import AsyncStore
from simonides.config import ConsolidationConfig
from simonides.errors import ConfigError
from simonides.store import Store

if TYPE_CHECKING:
    from simonides.model.consolidation import Composer, Consolidated

S = TypeVar("S", Store, AsyncStore)


class DreamingExtension:
    """Consolidates any store with settings of its own; None means those of the store."""

    def __init__(self, config: ConsolidationConfig | None = None, *, composer: Composer | None = None) -> None:
        if config is not None and not isinstance(config, ConsolidationConfig):
            raise ConfigError(f"config is {type(config).__name__}; expected ConsolidationConfig or None")
        self.config = config
        self.composer = composer

    @overload
    def run_consolidation(self, store: Store, current_cycle: int | None = None) -> Consolidated: ...
    @overload
    def run_consolidation(self, store: AsyncStore, current_cycle: int | None = None) -> Awaitable[Consolidated]: ...
    def run_consolidation(
        self, store: Store | AsyncStore, current_cycle: int | None = None
    ) -> Consolidated | Awaitable[Consolidated]:
        """`store.consolidate` with these settings; to be awaited for an AsyncStore.

        >>> import simonides
        >>> with simonides.open(":memory:") as store:
        ...     _ = store.remember_many([f"The blue pot stands in room {n}" for n in range(4)])
        ...     DreamingExtension().run_consolidation(store, current_cycle=7).created
        1
        """
        return store.consolidate(current_cycle=current_cycle, composer=self.composer, config=self.config)
