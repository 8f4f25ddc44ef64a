"""The commands that change memories: edit, archive, restore, delete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from simonides.errors import InvalidQueryError, InvalidThoughtError, ThoughtNotFoundError
from simonides.faces.cli.filters import read_metadata
from simonides.faces.cli.memories import standard_input
from simonides.faces.cli.options import Ids, Meta, Reason, given, values_of
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import is_agreed, is_interactive, note, say, say_json, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides import Store, Thought

CLEARABLE = (
    "essence", "metadata", "occurred_at", "expires_at", "valid_from", "valid_until", "source", "source_type",
    "confidence", "visibility",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fields:
    """What can be changed besides the text."""

    essence: Annotated[str | None, Option("--essence", metavar="TEXT", help="The same in a few words.")] = None
    thought_type: Annotated[
        str | None,
        Option("--type", metavar="NAME", help="NOTE, TASK ...", values=values_of("ThoughtType")),
    ] = None
    priority: Annotated[
        str | None,
        Option("--priority", metavar="P", help="P1 (most) to P4.", values=values_of("Priority")),
    ] = None
    lifecycle_status: Annotated[
        str | None,
        Option("--status", metavar="NAME", help="ACTIVE, DONE ...", values=values_of("LifecycleStatus")),
    ] = None
    content_type: Annotated[str | None, Option("--content-type", metavar="NAME", help="A name for its kind.")] = None
    metadata: Meta = None
    occurred_at: Annotated[str | None, Option("--at", metavar="TIME", help="When, ISO-8601.")] = None
    expires_at: Annotated[str | None, Option("--expires", metavar="TIME", help="Until when it holds.")] = None
    valid_from: Annotated[str | None, Option("--valid-from", metavar="TIME", help="True since.")] = None
    valid_until: Annotated[str | None, Option("--valid-until", metavar="TIME", help="True until.")] = None
    source: Annotated[str | None, Option("--source", metavar="TEXT", help="Where it comes from.")] = None
    confidence: Annotated[float | None, Option("--confidence", metavar="X", help="From 0 to 1.")] = None
    pinned: Annotated[bool | None, Option("--pin/--no-pin", help="Keep it from being tidied away.")] = None
    clear: Annotated[
        list[str] | None,
        Option("--clear", metavar="FIELD", help="Empty it: essence, source, metadata.KEY ... Several times."),
    ] = None

    def wanted(self) -> dict[str, Any]:
        """The fields that have a new value; metadata and what is cleared not yet settled."""
        return given(**{name: getattr(self, name) for name in self.__slots__})


def edit(
    place: Place,
    thought_id: Annotated[str, Argument(metavar="ID", help="Which memory.")],
    fields: Fields,
    content: Annotated[
        str | None, Option("--content", metavar="TEXT", help="The new text; - reads standard input.")
    ] = None,
    revision: Annotated[
        int | None, Option("--revision", metavar="N", help="Refuse when it is another one by now.")
    ] = None,
    reason: Reason = None,
) -> None:
    """Change a memory; on a terminal and without options in your editor.

    Metadata are set beside those that are there. The editor is $VISUAL or $EDITOR. A change is refused when somebody
    else was faster.

    Example: simonides edit seat --priority P1 --meta floor=3 --clear source
    """
    wanted = fields.wanted() | given(content=standard_input() if content == "-" else content)
    if not wanted and not is_interactive():
        raise InvalidThoughtError("nothing to change is named", hint="give an option; on a terminal $EDITOR opens")
    with place.changing() as store:
        before = _found(store, thought_id, place)
        expected = before.revision if revision is None else revision
        if wanted:
            after = _update(store, before, _settled(before, wanted), expected, reason)
        else:
            from simonides.faces.cli.editor import edited

            with edited(before.content) as text:
                after = _update(store, before, {"content": text}, expected, reason)
    if place.as_json:
        say_json(after.to_dict())
    elif after.revision == before.revision:
        note("nothing changed")
    else:
        say(visible(f"{after.thought_id} revision {after.revision}"))


def _update(store: Store, before: Thought, values: dict[str, Any], expected: int, reason: str | None) -> Thought:
    return store.update_thought(before.thought_id, **values, expected_revision=expected, reason=reason)


def _found(store: Store, thought_id: str, place: Place) -> Thought:
    thought = store.get_thought(thought_id)
    if thought is None:
        raise ThoughtNotFoundError(f"no thought {thought_id!r} in namespace {place.namespace!r}")
    return thought


def _settled(before: Thought, wanted: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `update_thought`: metadata as a whole, None for what is cleared."""
    values = dict(wanted)
    metadata = before.metadata | (read_metadata(values.pop("metadata", ())) or {})
    for name in values.pop("clear", ()):
        whole, _, key = name.partition(".")
        if whole == "metadata" and key:
            metadata.pop(key, None)
        elif name == "metadata":
            metadata = {}
        elif name in CLEARABLE:
            values[name] = None
        else:
            raise InvalidQueryError(f"{name!r:.80} cannot be cleared", hint=", ".join((*CLEARABLE, "metadata.KEY")))
    if metadata != before.metadata:
        values["metadata"] = metadata
    return values


def archive(place: Place, thought_ids: Ids, reason: Reason = None) -> None:
    """Take memories out of every search; they stay in listings.

    Example: simonides archive seat --reason "she drives now"
    """
    _each(place, thought_ids, "archived", lambda store, name: store.archive_thought(name, reason=reason))


def restore(place: Place, thought_ids: Ids, reason: Reason = None) -> None:
    """Bring archived memories back.

    Example: simonides restore seat
    """
    _each(place, thought_ids, "restored", lambda store, name: store.restore_thought(name, reason=reason))


def delete(
    place: Place,
    thought_ids: Ids,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    reason: Reason = None,
) -> None:
    """End memories: nothing finds them any more.

    Earlier revisions stay in the history; `forget` erases them. Without a terminal to ask at it needs --yes.

    Example: simonides delete seat --yes
    """
    if not yes:
        if not is_interactive():
            raise InvalidQueryError("nobody is here to be asked", hint="--yes deletes without asking")
        if not is_agreed(f"delete {len(thought_ids)} memories?"):
            note("nothing was deleted")
            return
    _each(place, thought_ids, "deleted", lambda store, name: store.delete_thought(name, reason=reason))


def _each(place: Place, thought_ids: list[str], done: str, verb: Callable[[Store, str], object]) -> None:
    """Does it to those that are there, says so, and ends with an error that names the missing ones."""
    names, missing = list(dict.fromkeys(thought_ids)), []
    with place.changing() as store:
        for name in names:
            try:
                verb(store, name)
            except ThoughtNotFoundError:
                missing.append(name)
                continue
            if place.as_json:
                say_json({"thought_id": name, "done": done}, indent=None)
            else:
                say(visible(f"{name} {done}"))
    if missing:
        raise ThoughtNotFoundError(f"no thought {', '.join(map(repr, missing))} in namespace {place.namespace!r}")
