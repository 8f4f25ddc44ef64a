"""Which commands are there, where is each written, and what does it do in one sentence? Nothing is imported for it."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A command: its words, `module:function` in this folder, and the first sentence of its help."""

    name: str
    at: str
    says: str


# A name of two words belongs to the group of its first; the help of the group and of the whole is made from this alone.
SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Memories": (
        Entry("remember", "memories:remember", "Store one memory and print its id."),
        Entry("get", "memories:get", "Print memories by id, with every field."),
        Entry("list", "memories:list_", "List memories, oldest first or newest first."),
        Entry("edit", "changing:edit", "Change a memory; on a terminal and without options in your editor."),
        Entry("archive", "changing:archive", "Take memories out of every search; they stay in listings."),
        Entry("restore", "changing:restore", "Bring archived memories back."),
        Entry("delete", "changing:delete", "End memories: nothing finds them any more."),
        Entry("invalidate", "history:invalidate", "Say that a memory is not true any more."),
        Entry("history", "history:history", "Print what happened to a memory: when, by whom and why."),
        Entry("diff", "history:diff", "Show what two revisions of a memory differ in."),
    ),
    "Questions": (
        Entry("recall", "asking:recall", "Find the memories that answer a question, best first."),
        Entry("retrieve", "asking:retrieve", "Find memories with a profile, scopes and budgets."),
        Entry("why-not", "asking:why_not", "Say why a memory is not among the answers."),
        Entry("log", "trail:log", "List the questions that were asked, newest first."),
        Entry("log prune", "trail:prune", "Forget old questions."),
        Entry("explain", "trail:explain", "Show an answer that was given, with what every score was made of."),
        Entry("replay", "trail:replay", "Ask a question of the log again and say what changed since."),
    ),
    "Connections": (
        Entry("link", "linking:link", "Connect two memories."),
        Entry("unlink", "linking:unlink", "Remove a connection."),
        Entry("edges", "linking:edges", "List the connections of a memory, or all of them."),
        Entry("annotate", "labels:annotate", "Name concepts of a memory."),
        Entry("concepts", "labels:concepts", "Count the memories of every concept."),
        Entry("concepts alias", "labels:alias", "Give a concept another name."),
        Entry(
            "conflicts",
            "conflicts:conflicts",
            "Review memories that seem to disagree, one by one; in a pipe list them.",
        ),
        Entry(
            "conflicts confirm",
            "conflicts:confirm",
            "Say that two memories disagree: the newer one is linked to the older one.",
        ),
        Entry(
            "conflicts reject",
            "conflicts:reject",
            "Say that two memories do not disagree; the pair is not proposed again.",
        ),
        Entry("topics", "topics:topics", "Print the topics as a tree: key, memories, and words that set them apart."),
        Entry("topics check", "topics:check", "Compare the search through the tree with an exhaustive one."),
        Entry("topics rebalance", "topics:rebalance", "Make the tree anew, or for the first time."),
    ),
    "The store": (
        Entry("stats", "whole:stats", "Count what the namespace holds."),
        Entry("changes", "trail:changes", "Print the journal: what was changed, when, and by whom."),
        Entry("changes anchor", "chain:anchor", "Print where the journal stands, to keep elsewhere or to sign."),
        Entry("changes seal", "chain:seal", "Check the journal since the last seal and close that part of it."),
        Entry(
            "changes prune",
            "chain:prune",
            "Take sealed parts out of the journal.",
        ),
        Entry("jobs", "jobs:jobs", "Count the jobs by kind and state."),
        Entry("jobs run", "jobs:run", "Do the jobs that are due."),
        Entry("jobs list", "jobs:list_", "List jobs in the order in which they were asked for."),
        Entry("jobs retry", "jobs:retry", "Make a job that was given up due again."),
        Entry("verify", "whole:verify", "Check the file, the indexes and the journal."),
        Entry("import", "whole:import_", "Remember what a file or folder holds."),
        Entry("export", "moving:export", "Write everything as lines of JSON, or a table for analysts."),
        Entry("import-store", "moving:import_store", "Take in an export; an empty store becomes the one it came from."),
        Entry("backup", "moving:backup", "Copy the store while it is in use."),
        Entry("doctor", "caring:doctor", "Look at everything in a store and say what is wrong."),
        Entry(
            "consolidate",
            "reflecting:consolidate",
            "Write reflections on memories that belong together, and again where their sources changed.",
        ),
        Entry("reembed", "caring:reembed", "Make the vectors of another model and switch to it."),
        Entry("hygiene", "forgetting:hygiene", "Archive memories that nobody has used for long."),
        Entry("expire", "forgetting:expire", "Archive or erase memories whose time is up."),
        Entry("forget", "erasing:forget", "Erase memories for good, with their history and what was made from them."),
        Entry("purge", "erasing:purge", "Erase a namespace whole, its name included."),
        Entry("compact", "erasing:compact", "Rewrite indexes and file without what was forgotten."),
    ),
    "Beyond": (
        Entry("mcp", "serve:mcp", "Serve the memories to agents over the Model Context Protocol."),
        Entry("eval", "whole:eval_", "Measure every way to rank on public sets."),
    ),
}
COMMANDS: dict[str, Entry] = {entry.name: entry for entries in SECTIONS.values() for entry in entries}
