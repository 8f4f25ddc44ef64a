"""Which turns stand before and after a turn in its session?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simonides.index.context import REACH, Links

if TYPE_CHECKING:
    from simonides.index.catalogue import Catalogue


def link_all(catalogue: Catalogue) -> Links | None:
    """Neighbours of every row, by session, position and passage id. None when there are no sessions."""
    in_session = catalogue.session > 0
    if catalogue.live is not None:
        in_session &= catalogue.live
    rows = np.flatnonzero(in_session)
    if not len(rows):
        return None
    order = rows[np.lexsort((catalogue.pids[rows], catalogue.position[rows], catalogue.session[rows]))]
    links = np.full((len(catalogue._all["pids"]), 2 * REACH), -1, np.int32)
    session = catalogue.session[order]
    for step in range(1, REACH + 1):
        same = session[step:] == session[:-step]
        before, after = order[:-step][same], order[step:][same]
        links[after, 2 * step - 2] = before
        links[before, 2 * step - 1] = after
    return links


def link_more(old: Catalogue, new: Catalogue) -> Links | None:
    """The old links, extended by appended turns that go on where their sessions ended; otherwise all anew."""
    fresh = np.flatnonzero(new.session[old.size : new.size] > 0) + old.size
    if not len(fresh):
        return _room(old.neighbours, new)
    if old.neighbours is None or len(fresh) > max(64, old.size // 8):
        return link_all(new)
    links = _room(old.neighbours, new)
    assert links is not None
    for row in fresh.tolist():
        mates = np.flatnonzero(new.session[:row] == new.session[row])
        if new.live is not None:
            mates = mates[new.live[mates]]
        order = mates[np.lexsort((new.pids[mates], new.position[mates]))][-REACH:]
        if len(order) and new.position[order[-1]] > new.position[row]:
            return link_all(new)
        for step, mate in enumerate(order[::-1].tolist(), 1):
            links[row, 2 * step - 2] = mate
            links[mate, 2 * step - 1] = row
    return links


def _room(links: Links | None, new: Catalogue) -> Links | None:
    capacity = len(new._all["pids"])
    if links is None or len(links) >= capacity:
        return links
    grown = np.full((capacity, links.shape[1]), -1, np.int32)
    grown[: len(links)] = links
    return grown
