"""What should the store know? A dictionary and three rules; everything else of the engine has to agree with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

Key = tuple[str, str]  # namespace, thought id
Link = tuple[str, str, str, str]  # namespace, from, to, type


@dataclass(frozen=True)
class Memory:
    """One living thought. word: stands in this content and in no other. versions: revisions so far."""

    content: str
    word: str
    archived: bool = False
    expires_at: int | None = None
    pinned: bool = False
    versions: int = 1

    def visible(self, now: int) -> bool:
        return not self.archived and (self.expires_at is None or self.expires_at > now)


@dataclass
class Model:
    """memories: the living. gone: words that nothing may find any more. erased: words whose bytes must leave."""

    memories: dict[Key, Memory] = field(default_factory=dict)
    links: set[Link] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    ended: set[Key] = field(default_factory=set)  # ids that were used and are not living
    past: dict[Key, set[str]] = field(default_factory=dict)  # words of earlier revisions, which history keeps

    def add(self, key: Key, memory: Memory) -> None:
        self.memories[key] = memory

    def change(self, key: Key, **values: object) -> None:
        """A new revision, when anything differs."""
        old = self.memories[key]
        new = replace(old, **values)  # type: ignore[arg-type]  # what a caller should not give
        if new != old:
            self.memories[key] = replace(new, versions=old.versions + 1)
        if new.word != old.word:
            self.gone.add(old.word)
            self.past.setdefault(key, set()).add(old.word)

    def end(self, key: Key, *, erase: bool) -> None:
        """Deleted: out of every answer, kept in the history. Erased: out of the file as well."""
        memory = self.memories.pop(key)
        self.gone.add(memory.word)
        self.ended.add(key)
        self.past.setdefault(key, set()).add(memory.word)
        if erase:
            self.erased |= self.past.pop(key)
        namespace, name = key
        self.links = {link for link in self.links if link[0] != namespace or name not in link[1:3]}

    def of(self, namespace: str) -> dict[str, Memory]:
        return {name: memory for (where, name), memory in self.memories.items() if where == namespace}
