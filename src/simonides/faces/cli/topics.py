"""The commands about the topic tree: topics, check, rebalance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli import progress
from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, paint, say, say_json, say_table, visible
from simonides.faces.cli.words import Option

if TYPE_CHECKING:
    from simonides import Store
    from simonides.model.topic import Topic

PAGE = 1_000


def topics(
    place: Place,
    depth: Annotated[int | None, Option("--depth", metavar="N", min=0, help="How far down; else all.")] = None,
    filed: Annotated[bool, Option("--filed", help="Count the keys that memories were filed under.")] = False,
) -> None:
    """Print the topics as a tree: key, memories, and words that set them apart.

    A store without a tree is drawn one for the look; `topics rebalance` keeps it. Then its keys stay what they are:
    `list -f topics=t0000004` shows what is in one, `retrieve --topic t0000004` searches it. With --json each topic is
    an object on a line of its own, before those below it.

    Example: simonides topics --depth 2
    """
    with place.reading() as store:
        if filed:
            _filed(place, store)
            return
        found = [topic for topic in store.topics.tree() if depth is None or topic.depth <= depth]
    for topic in found:
        if place.as_json:
            say_json({name: getattr(topic, name) for name in topic.__slots__}, indent=None)
        else:
            say(_line(topic))
    if place.as_json:
        return
    if not found:
        note("there is nothing to draw: no memory has a vector, or there are too many without a tree")
    elif not found[0].kept:
        note("drawn for this look; `topics rebalance` keeps it, and its keys can be used")


def check(
    place: Place,
    goal: Annotated[
        float | None, Option("--goal", metavar="X", help="Share of the ten nearest to find; 0.9 by default.")
    ] = None,
    sample: Annotated[int, Option("--sample", metavar="N", help="Stored vectors that are looked for.")] = 200,
    adapt: Annotated[bool, Option("--adapt/--no-adapt", help="Set the beam so that it reaches the goal.")] = True,
) -> None:
    """Compare the search through the tree with an exhaustive one.

    Ends with exit code 8 when the tree is not sound or misses the goal.

    Example: simonides topics check --goal 0.95
    """
    with place.reading() as store:
        result = store.topics.check(goal=goal, sample=sample, adapt=adapt)
    facts = {name: getattr(result, name) for name in result.__slots__}
    if place.as_json:
        say_json(facts | {"problems": list(result.problems), "ok": result.ok})
    else:
        for name, value in facts.items():
            if name != "problems":
                text = f"{value:.4f}" if isinstance(value, float) else str(value)
                say(f"{paint(f'{name}:'.ljust(12), 'faint')}{visible(text)}")
        for problem in result.problems:
            say(visible(f"problem: {problem}"))
    if not result.ok:
        raise Ended(Exit.INCOMPLETE)


def rebalance(place: Place) -> None:
    """Make the tree anew, or for the first time.

    Others read and write meanwhile. Who was interrupted calls again.

    Example: simonides topics rebalance
    """
    with place.changing() as store, progress.staged("topics") as tell:
        vectors = store.topics.rebalance(progress=tell)
    if place.as_json:
        say_json({"vectors": vectors})
    else:
        say(f"{vectors} vectors are in the tree")


def _line(topic: Topic) -> str:
    name = paint(visible(topic.name), "strong" if not topic.is_leaf else "faint")
    return f"{'  ' * topic.depth}{name}  {topic.count}  {visible(topic.label)}".rstrip()


def _filed(place: Place, store: Store) -> None:
    counts: Counter[str] = Counter()
    after = None
    with progress.shown("counting") as advance:
        total, read = store.count_thoughts(), 0
        while page := store.list_thoughts(limit=PAGE, after=after):
            counts.update(key for thought in page for key in thought.topics)
            read, after = read + len(page), page[-1].thought_id
            advance(read, total)
    if place.as_json:
        say_json(dict(sorted(counts.items())))
        return
    say_table(("topic", "memories"), ((name, str(count)) for name, count in sorted(counts.items())))
    if not counts:
        note("no memory is filed under a topic")
