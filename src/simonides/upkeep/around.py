"""Where does a turn of a conversation belong on a map? With the turns around it: "Thanks!" is about what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.topics.codes import Coded, encode, unit_rows

if TYPE_CHECKING:
    from simonides.backend.rows import Ints
    from simonides.engine import Engine
    from simonides.index.catalogue import Catalogue


def in_context(engine: Engine, namespace: str, pids: Ints, coded: Coded) -> Coded:
    """The rows of some passages (m,), each with what the turns around it lend it, as unit rows again.

    The same loans as in the text leg; rows without a session stay as they are.
    """
    with engine.looking((namespace,), vectors=False) as look:
        catalogue = look.views[namespace].catalogue
    return coded if catalogue.context is None else _lent(catalogue, pids, coded)


def _lent(catalogue: Catalogue, pids: Ints, coded: Coded) -> Coded:
    assert catalogue.context is not None
    links, lent = catalogue.context.links, catalogue.context.lent
    ordinals = np.searchsorted(catalogue.pids, pids)
    known = np.append(catalogue.pids, -1)[ordinals] == pids
    place = np.full(catalogue.size + 1, len(pids))
    place[ordinals[known]] = np.flatnonzero(known)
    rows = np.vstack([coded.rows(np.arange(len(coded))), np.zeros((1, coded.dimension), np.float32)])
    sums = rows[:-1].copy()
    for column in range(links.shape[1]):
        sums[known] += lent[ordinals[known], column, None] * rows[place[links[ordinals[known], column]]]
    return encode(unit_rows(sums))
