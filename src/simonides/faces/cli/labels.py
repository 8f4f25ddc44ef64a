"""The commands about labels: annotate, concepts."""

from __future__ import annotations

from typing import Annotated

from simonides.faces.cli.options import Reason
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, say_table, visible
from simonides.faces.cli.words import Argument, Option


def annotate(
    place: Place,
    thought_id: Annotated[str, Argument(metavar="ID", help="Which memory.")],
    names: Annotated[list[str], Argument(metavar="CONCEPT...", help="An alias stands for its concept.")],
    replace: Annotated[bool, Option("--replace", help="In place of those that it has.")] = False,
    reason: Reason = None,
) -> None:
    """Name concepts of a memory.

    Example: simonides annotate seat travel comfort
    """
    with place.changing() as store:
        thought = store.annotate(thought_id, names, replace=replace, reason=reason)
    if place.as_json:
        say_json(thought.to_dict())
    else:
        say(visible(f"{thought.thought_id} {', '.join(thought.concepts)}"))


def concepts(place: Place) -> None:
    """Count the memories of every concept.

    Example: simonides concepts
    """
    with place.reading() as store:
        counts = store.concepts()
    if place.as_json:
        say_json(counts)
        return
    say_table(("concept", "memories"), ((name, str(count)) for name, count in counts.items()))
    if not counts:
        note("no memory has a concept")


def alias(
    place: Place,
    name: Annotated[str, Argument(metavar="ALIAS", help="The other name.")],
    concept: Annotated[str, Argument(metavar="CONCEPT", help="What it stands for.")],
    reason: Reason = None,
) -> None:
    """Give a concept another name.

    Example: simonides concepts alias voyage travel
    """
    with place.changing() as store:
        store.alias_concept(name, concept, reason=reason)
    if place.as_json:
        say_json({"alias": name, "concept": concept})
    else:
        say(visible(f"{name} is {concept}"))
