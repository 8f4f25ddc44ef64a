"""Where do the evaluation sets come from? Readers of the public files, as their authors published them."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from simonides.errors import ConfigError
from simonides.evaluate.collection import Collection, EvalSet, Item, Question, pruned
from simonides.sources.locomo import read_sample
from simonides.sources.record import Place, Record

LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
QMSUM_CHARACTERS_MIN = 15
"""Shorter turns ("Yeah.") answer nothing and are left out."""
QMSUM_SPAN_TURNS_MAX = 40
"""Questions whose answer spans more turns ask for a summary, not for a memory; they are left out."""

_CSV_FIELD_CHARACTERS_MAX = 16 * 1024 * 1024
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # also "D8:6; D9:17", "D30:05" and "D:11:26", which the file holds
_PRINTED_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_SMART_RECORD = re.compile(r"^\.I\s+(\d+)\s*$", re.MULTILINE)
_SMART_FIELD = re.compile(r"^\.([A-Z])\s*$", re.MULTILINE)


def load_set(name: str, data: Path) -> EvalSet:
    """A set by name from a folder that holds one folder per set. Raises ConfigError when it is unknown or not there."""
    loader = _LOADERS.get(name)
    if loader is None:
        raise ConfigError(f"there is no evaluation set {name!r}", hint=f"one of {', '.join(SETS)}")
    if not (data / name).is_dir():
        raise ConfigError(f"there is no folder {name} in {data}", hint="docs/evaluation.md says where to get the sets")
    try:
        return EvalSet(name, tuple(loader(data / name)))
    except FileNotFoundError as error:
        raise ConfigError(f"the set {name} lacks the file {Path(error.filename).name}") from None
    except (KeyError, ValueError, TypeError, AttributeError, SyntaxError) as error:
        raise ConfigError(f"the set {name} is not in the format of its authors: {error!r}") from error


def _locomo(folder: Path) -> Iterator[Collection]:
    """Dialogues: a turn is an item, the turns named as evidence are relevant."""
    for sample in json.loads((folder / "locomo10.json").read_text("utf-8")):
        name = sample["sample_id"]
        records = [r for r in read_sample(sample, Place("locomo10.json", name)) if isinstance(r, Record)]
        questions = [
            Question(
                f"{name}/{number}",
                row["question"],
                {f"{name}/D{int(a)}:{int(b)}": 1 for text in row["evidence"] for a, b in _EVIDENCE.findall(text)},
                LOCOMO_CATEGORIES[row["category"]],
            )
            for number, row in enumerate(sample["qa"])
        ]
        yield pruned(name, [_turn(record) for record in records], questions)


def _turn(record: Record) -> Item:
    draft = record.draft
    moment = draft.occurred_at if isinstance(draft.occurred_at, datetime) else None
    return Item(draft.thought_id or "", draft.content, draft.speaker, draft.session, moment)


def _qmsum(folder: Path) -> Iterator[Collection]:
    """Meetings: a turn is an item, the turns of the annotated spans of a specific question are relevant."""
    for part in ("test", "val"):
        lines = (folder / f"{part}.jsonl").read_text("utf-8").split("\n")
        for number, line in enumerate(filter(str.strip, lines)):
            meeting = json.loads(line)
            name = f"{part}{number}"
            turns = [(turn["speaker"], _spoken(turn["content"])) for turn in meeting["meeting_transcripts"]]
            items = [
                Item(str(position), text, speaker, name)
                for position, (speaker, text) in enumerate(turns)
                if len(text) >= QMSUM_CHARACTERS_MIN
            ]
            asked = [(row["query"], row["relevant_text_span"]) for row in meeting["specific_query_list"]]
            questions = [Question(f"{name}/{n}", text, _spans(spans)) for n, (text, spans) in enumerate(asked)]
            whole = pruned(name, items, questions)
            short = tuple(q for q in whole.questions if len(q.relevant) <= QMSUM_SPAN_TURNS_MAX)
            if short:
                yield Collection(name, whole.items, short)


def _spans(spans: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Every turn of every span, first and last included."""
    return {str(turn): 1 for first, last in spans for turn in range(int(first), int(last) + 1)}


def _spoken(text: str) -> str:
    """A transcript's turn without marks like {vocalsound} and without spaces before punctuation.

    >>> _spoken("Okay {vocalsound} , so it's  fine .")
    "Okay, so it's fine."
    """
    text = re.sub(r"\s+", " ", re.sub(r"\{\w+\}", "", text))
    return re.sub(r"\s+([.,?!'])", r"\1", text).strip()


def _scifact(folder: Path) -> Iterator[Collection]:
    """Abstracts and claims; relevant is what the test judgements of BEIR say."""
    items = [
        Item(row["doc_id"], f"{row['title']} {_array_text(row['abstract'])}".strip())
        for row in _csv(folder / "corpus_train.csv")
    ]
    claims = {
        row["id"]: row["claim"] for name in ("claims_validation.csv", "claims_train.csv") for row in _csv(folder / name)
    }
    judged: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in _csv(folder / "beir_qrels_test.tsv", delimiter="\t"):
        judged[row["query-id"]][row["corpus-id"]] = int(row["score"])
    yield pruned("scifact", items, [Question(key, claims[key], judged[key]) for key in judged if key in claims])


def _csv(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    before = csv.field_size_limit(_CSV_FIELD_CHARACTERS_MAX)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter=delimiter)
    finally:
        csv.field_size_limit(before)


def _array_text(printed: str) -> str:
    """The sentences of an array of texts as numpy prints it, joined; anything else is returned as it is.

    >>> _array_text("['One.' 'Is it two?']")
    'One. Is it two?'
    """
    inner = printed.strip().removeprefix("[").removesuffix("]")
    sentences = [str(ast.literal_eval(found)) for found in _PRINTED_TEXT.findall(inner)]
    return " ".join(sentences) if sentences else inner


def _cranfield(folder: Path) -> Iterator[Collection]:
    """Abstracts and questions of 1967. A judgement of 1 (best) to 4 becomes a grade of 4 to 1, any other none."""
    items = []
    for number, fields in _smart(folder / "cran.all.1400"):
        title, text = fields.get("T", ""), fields.get("W", "")
        items.append(Item(number, text if text.startswith(title) else f"{title} {text}"))
    # Judgements count the questions by position, not by the number in the file.
    texts = {str(n): fields.get("W", "") for n, (_, fields) in enumerate(_smart(folder / "cran.qry"), 1)}
    judged: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "cranqrel").read_text("latin-1").splitlines():
        columns = line.split()
        if len(columns) >= 3 and 1 <= int(columns[2]) <= 4:
            judged[str(int(columns[0]))][str(int(columns[1]))] = 5 - int(columns[2])
    yield pruned("cranfield", items, [Question(key, text, judged.get(key, {})) for key, text in texts.items()])


def _smart(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Number and fields (letter → text on one line) of each record of a file in the SMART format."""
    _, *parts = _SMART_RECORD.split(path.read_text("latin-1"))
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        _, *pieces = _SMART_FIELD.split(body)
        fields: dict[str, str] = {}
        for letter, text in zip(pieces[::2], pieces[1::2], strict=True):  # two records have a field twice
            fields[letter] = " ".join([*fields.get(letter, "").split(), *text.split()])
        yield str(int(number)), fields


def _hotpotqa(folder: Path) -> Iterator[Collection]:
    """Paragraphs with their titles; the supporting paragraphs of a question are relevant."""
    corpus = json.loads((folder / "hotpotqa_train_corpus.json").read_text("utf-8"))
    items = [Item(title, f"{title}\n{''.join(sentences)}") for title, sentences in corpus.items()]
    questions = [
        Question(row["_id"], row["question"], {title: 1 for title, _ in row["supporting_facts"]}, row["type"])
        for row in json.loads((folder / "hotpotqa_train.json").read_text("utf-8"))
    ]
    yield pruned("hotpotqa100", items, questions)


_LOADERS: dict[str, Callable[[Path], Iterator[Collection]]] = {
    "locomo": _locomo,
    "qmsum": _qmsum,
    "scifact": _scifact,
    "cranfield": _cranfield,
    "hotpotqa100": _hotpotqa,
}
SETS = tuple(_LOADERS)
"""Names of the sets, in the order of reports."""
