"""What is the question's vector, and when is it there? Asked for early, waited for late, never for long."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from simonides.clock import stopwatch
from simonides.embedders.builtin import StaticEmbedder
from simonides.embedders.door import Unit, check_dimension
from simonides.errors import EmbeddingError
from simonides.model.answer import Degradation
from simonides.read.conversation import without_names

if TYPE_CHECKING:
    from simonides.backend.port import Snapshot
    from simonides.embedders.port import ModelInfo
    from simonides.engine import Engine, Look
    from simonides.read.plan import Plan


class Question:
    """One question on its way to a vector. A quick local embedder is asked at once, any other in a thread."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self._engine = engine
        self._plan = plan
        self._until = stopwatch() + plan.deadline_s
        self._row: Unit | None = plan.vector
        self._error: EmbeddingError | None = None
        self._model: ModelInfo | None = None  # the one that was asked
        self._thread: threading.Thread | None = None
        if not plan.wants_vector or engine.embedder is None:
            return
        with engine.database.snapshot() as snapshot:  # here, not in the thread: `:memory:` has one connection
            model = engine.model(snapshot)
            text = self._text(snapshot)
        if model is None:
            return  # nothing is stored that a vector could be compared with
        self._model = model
        if isinstance(engine.embedder, StaticEmbedder):
            self._ask(model, text)
            return
        self._thread = threading.Thread(target=self._ask, args=(model, text), name="simonides-question", daemon=True)
        self._thread.start()

    def _ask(self, model: ModelInfo, text: str) -> None:
        try:
            door = self._engine.door(model)
            if door is not None:
                self._row = door.query(text, max(0.001, self._until - stopwatch()))
        except EmbeddingError as error:
            self._error = error

    def _text(self, snapshot: Snapshot) -> str:
        """What is embedded: in a conversation, the question without the names of its speakers."""
        if not self._plan.recipe.conversational:
            return self._plan.query
        names: dict[int, str] = {}
        for namespace in self._plan.scope.namespaces:
            names.update(snapshot.speakers(snapshot.state(namespace).ns))
        return without_names(self._plan.query, names) if names else self._plan.query

    def vector(self, look: Look, degraded: list[Degradation]) -> Unit | None:
        """The unit row, or None: nothing was asked, the text has none, or it did not come in time (then said so)."""
        if self._thread is not None:
            self._thread.join(max(0.0, self._until - stopwatch()) + 0.05)
            if self._thread.is_alive():
                limit = self._plan.deadline_s
                degraded.append(Degradation("vector", f"timeout: no vector of the question within {limit:g} s"))
                return None
        if self._error is not None:
            degraded.append(Degradation("vector", self._error.message))
            return None
        if self._model is not None and look.model != self._model:
            degraded.append(Degradation("vector", "the store's model was changed while the question was asked"))
            return None
        if self._plan.vector is not None:
            check_dimension(self._plan.vector, look.model, "the query")
        return self._row if look.model is not None else None
