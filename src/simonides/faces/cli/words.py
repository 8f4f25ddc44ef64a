"""How is a parameter of a command described? As data beside its type, `Annotated[str, Option("--id", …)]`."""

from __future__ import annotations

from collections.abc import Callable


class Option:
    """An option with a name, or with several: `--name`, `-n`, or `--yes/--no` for a flag with an opposite.

    metavar: what stands for its value. min, max: limits of a number. values: what a shell completes it with.
    """

    __slots__ = ("help", "max", "metavar", "min", "names", "values")

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: int | None = None,
        max: int | None = None,
        values: Callable[[], list[str]] | None = None,
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max, self.values = min, max, values


class Argument:
    """A word of the command line without a name; the last one may be a list."""

    __slots__ = ("help", "metavar")

    def __init__(self, *, metavar: str, help: str) -> None:
        self.metavar, self.help = metavar, help
