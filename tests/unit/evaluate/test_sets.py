"""The readers of the public sets, on small files in the same formats."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides.errors import ConfigError
from simonides.evaluate.collection import Item, Question, is_even, pruned
from simonides.evaluate.sets import SETS, load_set


def folder(data: Path, name: str, files: dict[str, str]) -> Path:
    (data / name).mkdir()
    for file, text in files.items():
        (data / name / file).write_text(text, encoding="latin-1" if name == "cranfield" else "utf-8")
    return data


def test_locomo_gives_a_collection_per_sample_and_mends_its_evidence(tmp_path: Path) -> None:
    sample = {
        "sample_id": "conv-9",
        "conversation": {
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a canoe."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice.", "blip_caption": "a lake"},
            ],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        },
        "qa": [
            {"question": "What did Ana buy?", "evidence": ["D1:01; D:1:2", "D7:3"], "category": 4},
            {"question": "Nowhere?", "evidence": ["D9:9"], "category": 1},
        ],
    }
    [collection] = load_set("locomo", folder(tmp_path, "locomo", {"locomo10.json": json.dumps([sample])})).collections
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert collection.name == "conv-9"
    assert collection.items == (
        Item("conv-9/D1:1", "I bought a canoe.", "Ana", "conv-9/session_1", at),
        Item("conv-9/D1:2", "Nice. [shares a lake]", "Ben", "conv-9/session_1", at),
    )
    relevant = {"conv-9/D1:1": 1, "conv-9/D1:2": 1}
    assert collection.questions == (Question("conv-9/0", "What did Ana buy?", relevant, "single-hop"),)


def test_qmsum_leaves_out_short_turns_and_questions_for_summaries(tmp_path: Path) -> None:
    meeting = {
        "meeting_transcripts": [
            {"speaker": "Chair", "content": "Good {vocalsound} morning , everyone ."},
            {"speaker": "Ola", "content": "Yeah ."},
            *({"speaker": "Ola", "content": f"This is remark number {n}."} for n in range(45)),
        ],
        "specific_query_list": [
            {"query": "How did it open?", "relevant_text_span": [["0", "1"]]},
            {"query": "Everything?", "relevant_text_span": [["2", "46"]]},
        ],
    }
    files = {"test.jsonl": json.dumps(meeting) + "\n", "val.jsonl": json.dumps(meeting | {"specific_query_list": []})}
    [collection] = load_set("qmsum", folder(tmp_path, "qmsum", files)).collections
    assert collection.items[0] == Item("0", "Good morning, everyone.", "Chair", "test0")
    assert len(collection.items) == 46
    assert collection.questions == (Question("test0/0", "How did it open?", {"0": 1}),)


def test_scifact_reads_printed_arrays_and_the_judgements(tmp_path: Path) -> None:
    files = {
        "corpus_train.csv": "doc_id,title,abstract,structured\n"
        '7,Cells.,"[\'They grow.\'\n \'It\\\'s ""new"".\' ""Isn\'t it?""]",False\n'
        "8,Empty.,[],False\n",
        "claims_validation.csv": "id,claim\n1,Cells grow.\n",
        "claims_train.csv": "id,claim\n2,Nothing.\n3,Unjudged.\n",
        "beir_qrels_test.tsv": "query-id\tcorpus-id\tscore\n1\t7\t1\n2\t99\t1\n",
    }
    [collection] = load_set("scifact", folder(tmp_path, "scifact", files)).collections
    assert [item.item_id for item in collection.items] == ["7", "8"]
    assert collection.items[1].text == "Empty."
    assert collection.questions == (Question("1", "Cells grow.", {"7": 1}),)


def test_cranfield_turns_codes_into_grades_and_numbers_questions_by_position(tmp_path: Path) -> None:
    files = {
        "cran.all.1400": ".I 1\n.T\nwing flow\n.A\nx\n.W\nwing flow\nis fast .\n"
        ".I 2\n.T\nheat\n.W\nof plates\n.W\nagain\n.I 3\n.T\n.W\n",
        "cran.qry": ".I 001\n.W\nhow fast\n.I 004\n.W\nhow hot\n",
        "cranqrel": "1 1 1\n1 2 4\n2 2 5\n2 1 -1\n2 2 2\n2 3 1\n",
    }
    [collection] = load_set("cranfield", folder(tmp_path, "cranfield", files)).collections
    assert collection.items == (Item("1", "wing flow is fast ."), Item("2", "heat of plates again"))
    assert collection.questions == (
        Question("1", "how fast", {"1": 4, "2": 1}),
        Question("2", "how hot", {"2": 3}),
    )


def test_hotpotqa_puts_the_title_before_the_paragraph(tmp_path: Path) -> None:
    question = {"_id": "q", "question": "Who?", "supporting_facts": [["A", 0], ["A", 1], ["B", 0]], "type": "bridge"}
    files = {
        "hotpotqa_train_corpus.json": json.dumps({"A": ["One.", " Two."], "B": ["Three."]}),
        "hotpotqa_train.json": json.dumps([question]),
    }
    [collection] = load_set("hotpotqa100", folder(tmp_path, "hotpotqa100", files)).collections
    assert collection.items == (Item("A", "A\nOne. Two."), Item("B", "B\nThree."))
    assert collection.questions == (Question("q", "Who?", {"A": 1, "B": 1}, "bridge"),)


def test_a_set_that_is_unknown_missing_or_broken_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no evaluation set 'trec'.*locomo, qmsum"):
        load_set("trec", tmp_path)
    with pytest.raises(ConfigError, match="no folder locomo"):
        load_set("locomo", tmp_path)
    (tmp_path / "locomo").mkdir()
    with pytest.raises(ConfigError, match=r"lacks the file locomo10.json"):
        load_set("locomo", tmp_path)
    (tmp_path / "locomo" / "locomo10.json").write_text('[{"qa": []}]')
    with pytest.raises(ConfigError, match="not in the format"):
        load_set("locomo", tmp_path)


def test_blank_items_and_questions_without_an_answer_are_pruned() -> None:
    items = [Item("a", "x"), Item("b", " ")]
    relevant = [{"a": 2, "b": 1, "c": 1}, {"b": 1}, {"a": 0}]
    collection = pruned("n", items, [Question(str(n), "?", ids) for n, ids in enumerate(relevant, 1)])
    assert collection.items == (Item("a", "x"),)
    assert collection.questions == (Question("1", "?", {"a": 2}),)


def test_the_even_half_is_made_of_stores_or_else_of_questions() -> None:
    assert [is_even(store, 1, 3) for store in range(3)] == [True, False, True]
    assert [is_even(0, question, 1) for question in range(3)] == [True, False, True]


def test_there_are_five_sets() -> None:
    assert SETS == ("locomo", "qmsum", "scifact", "cranfield", "hotpotqa100")
