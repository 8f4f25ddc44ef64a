"""The command as a person or a script meets it: a process with arguments, two streams and an exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import PACKAGE, Cli, fill, process, surroundings, words

import simonides
from simonides import errors
from simonides.faces.cli.exits import BY_ERROR, Exit


def test_what_is_remembered_is_recalled_with_its_id(cli: Cli) -> None:
    code, thought_id, _ = words(cli("remember", "Ana prefers window seats on trains", "--speaker", "Ana"))
    assert (code, len(thought_id.strip())) == (0, 36)
    code, out, err = words(cli("recall", "which seat does Ana like?"))
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert re.fullmatch(r"1\. \d\.\d{4}  Ana: Ana prefers window seats on trains", first)
    assert second.startswith(f"   {thought_id.strip()} | ")


def test_every_field_can_be_given_and_comes_back_as_json(cli: Cli) -> None:
    given = cli(
        *("remember", "Pump 4 leaks", "--type", "TASK", "--priority", "P1", "--speaker", "Ola", "--session", "s1"),
        *("--at", "2026-02-03T10:00:00+01:00", "--meta", "floor=3", "-m", 'code="3"', "--concept", "pump"),
        *("--source", "radio", "--json"),
    )
    thought = json.loads(given.stdout)
    assert thought["thought_type"] == "TASK"
    assert thought["priority"] == "P1"
    assert (thought["speaker"], thought["session"], thought["source"]) == ("Ola", "s1", "radio")
    assert thought["occurred_at"] == "2026-02-03T09:00:00+00:00"
    assert (thought["metadata"], thought["concepts"]) == ({"floor": 3, "code": "3"}, ["pump"])
    code, out, _ = words(cli("get", thought["thought_id"], "--json"))
    assert (code, json.loads(out)) == (0, thought)


def test_standard_input_is_stored_byte_for_byte(cli: Cli) -> None:
    text = "\ufefftwo  spaces\r\nand 会议\n"
    thought = json.loads(cli("remember", "-", "--json", stdin=text.encode()).stdout)
    assert thought["content"] == text


def test_standard_input_that_is_not_utf_8_is_refused(cli: Cli) -> None:
    code, out, err = words(cli("remember", "-", stdin=b"caf\xe9"))
    assert (code, out) == (Exit.USAGE, "")
    assert err == "simonides: standard input is not UTF-8 at byte 3\n"


def test_an_answer_is_explained_and_given_as_json(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "The spare key is under the blue pot", "The red pot is cracked")
    code, out, _ = words(cli("recall", "key", "--explain", "-k", "1"))
    assert code == 0
    assert "fts" in out
    assert "terms" in out
    answer = json.loads(cli("recall", "blue pot", "-k", "1", "--json").stdout)
    [hit] = answer["hits"]
    assert hit["thought"]["content"] == "The spare key is under the blue pot"
    assert abs(sum(hit["contributions"].values()) - hit["score"]) < 1e-9


def test_nothing_found_is_no_failure(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one")
    assert words(cli("recall", "zzz", "--embedder", "off")) == (0, "", "nothing found\n")
    assert json.loads(cli("recall", "zzz", "--embedder", "off", "--json").stdout)["hits"] == []


def test_shared_options_may_stand_before_or_behind_and_behind_wins(cli: Cli) -> None:
    cli("--db", "a.db", "--namespace", "ana", "remember", "apple")
    cli("--db", "wrong.db", "remember", "pear", "--db", "b.db", "-n", "ben")
    for options in (
        ["--db", "a.db", "-n", "ana", "--json", "stats"],
        ["stats", "--db", "a.db", "--namespace", "ana", "--json"],
    ):
        assert json.loads(cli(*options).stdout)["thoughts"] == 1
    assert json.loads(cli("stats", "--json", SIMONIDES_DB="b.db", SIMONIDES_NAMESPACE="ben").stdout)["thoughts"] == 1
    assert cli("stats", "--db", "wrong.db").returncode == Exit.STORE


@pytest.mark.parametrize("command", [["recall", "x"], ["get", "x"], ["list"], ["stats"], ["verify"]])
def test_reading_makes_no_store(cli: Cli, tmp_path: Path, command: list[str]) -> None:
    code, out, err = words(cli(*command))
    assert (code, out) == (Exit.STORE, "")
    assert err.splitlines() == [
        "simonides: there is no store at simonides.db",
        "  hint: name one with --db, or remember something",
    ]
    assert list(tmp_path.iterdir()) == []


def test_filters_are_comparisons_or_json_and_all_must_hold(cli: Cli, tmp_path: Path) -> None:
    with simonides.open(tmp_path / "simonides.db", embedder=False) as store:
        for name, floor, at in (("Ana", 1, "2026-01-05"), ("Ana", 3, "2026-02-05"), ("Ben", 3, "2026-02-06")):
            store.remember(f"{name} on {floor}", speaker=name, metadata={"floor": floor}, occurred_at=at)

    def found(*conditions: str) -> list[str]:
        options = [part for condition in conditions for part in ("-f", condition)]
        listed = cli("list", "--json", *options).stdout.decode().splitlines()
        return [json.loads(line)["content"] for line in listed]

    assert found("speaker=Ana") == ["Ana on 1", "Ana on 3"]
    assert found("speaker=Ana", "metadata.floor>=2") == ["Ana on 3"]
    assert found("occurred_at>2026-02-05") == ["Ben on 3"]
    assert found("speaker!=Ana") == ["Ben on 3"]
    assert found('{"$or": [{"metadata.floor": 1}, {"speaker": "Ben"}]}') == ["Ana on 1", "Ben on 3"]
    hits = json.loads(cli("recall", "on", "--json", "-f", "speaker=Ben").stdout)["hits"]
    assert [hit["thought"]["content"] for hit in hits] == ["Ben on 3"]
    for wrong in ("nonsense", "{", "colour=red", "[1]", "occurred_at>soon"):
        code, out, err = words(cli("list", "-f", wrong))
        assert (code, out) == (Exit.USAGE, "")
        assert err.startswith("simonides: ")


def test_a_listing_is_paged_and_can_be_imported_again(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, *(f"memory number {n}" for n in range(23)))
    code, out, err = words(cli("list"))
    assert (code, len(out.splitlines()), err) == (0, 20, "20 of 23; --limit 0 lists all\n")
    first = out.split()[0]
    assert len(cli("list", "--after", first, "--limit", "0").stdout.splitlines()) == 22
    listing = cli("list", "--limit", "0", "--json").stdout
    (tmp_path / "copy.jsonl").write_bytes(listing)
    code, out, _ = words(cli("import", "copy.jsonl", "--db", "other.db"))
    assert (code, out) == (0, "jsonl: 23 added, 0 updated, 0 known already, 0 left out\n")
    copied = cli("list", "--limit", "0", "--json", "--db", "other.db").stdout
    assert [json.loads(x)["thought_id"] for x in copied.splitlines()] == [
        json.loads(x)["thought_id"] for x in listing.splitlines()
    ]


def test_a_listing_begins_with_the_newest_on_request(cli: Cli, tmp_path: Path) -> None:
    for name in "abc":
        fill(tmp_path, f"note {name}", thought_id=name)
    code, out, err = words(cli("list", "--newest", "--limit", "2"))
    assert (code, [line.split()[0] for line in out.splitlines()], err) == (
        0,
        ["c", "b"],
        "2 of 3; --limit 0 lists all\n",
    )
    assert words(cli("list", "--newest", "--after", "b"))[1].split()[0] == "a"


def test_a_missing_memory_is_named_and_the_others_are_printed(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "here", thought_id="a")
    code, out, err = words(cli("get", "a", "b", "a"))
    assert code == Exit.NOT_FOUND
    assert out.count("thought id") + out.count("thought_id") == 1
    assert out.endswith("\nhere\n")
    assert err == "simonides: no thought 'b' in namespace 'default'\n"


def test_stats_and_verify_in_words_and_json(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", "two")
    code, out, _ = words(cli("stats"))
    assert code == 0
    assert re.search(r"^thoughts: +2$", out, re.MULTILINE)
    code, out, _ = words(cli("verify"))
    assert code == 0
    assert re.fullmatch(r"2 thoughts, \d+ journal rows: no problems\n", out)
    assert json.loads(cli("verify", "--json").stdout)["ok"] is True


def test_an_import_reports_problems_with_places_and_a_code_of_its_own(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(
        '{"content": "one", "speaker": "Ana", "session": "s"}\n{\n{"content": "two"}\n'
    )
    for added, known in ((2, 0), (0, 2)):
        code, out, err = words(cli("import", "talk.jsonl"))
        assert code == Exit.INCOMPLETE
        assert out == f"jsonl: {added} added, 0 updated, {known} known already, 1 left out\n"
        assert err.startswith("talk.jsonl: line 2: not JSON")
    report = json.loads(cli("import", "talk.jsonl", "--json").stdout)
    assert (report["kind"], report["skipped"], report["problems"][0]["position"]) == ("jsonl", 2, "line 2")


def test_an_import_whose_model_fails_keeps_the_text_and_says_so(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model fails while importing and works again the next time."""
    (tmp_path / "notes.jsonl").write_text('{"content": "one"}\n{"content": "two"}\n')

    def broken(*_: object) -> None:
        raise RuntimeError("out of order")

    with monkeypatch.context() as patch:
        patch.setattr("simonides.embedders.HashingEmbedder.embed_documents", broken)
        code, out, err = words(cli("import", "notes.jsonl", "--embedder", "hashing:8"))
    assert (code, out) == (0, "jsonl: 2 added, 0 updated, 0 known already, 0 left out\n")
    assert "out of order" in err
    assert "2 passages have no vector; importing again tries once more" in err
    report = json.loads(cli("import", "notes.jsonl", "--embedder", "hashing:8", "--json").stdout)
    assert (report["added"], report["skipped"], report["pending_embeddings"]) == (0, 2, 0)


def test_an_import_of_what_is_not_there_or_not_known_makes_no_store(cli: Cli, tmp_path: Path) -> None:
    code, _, err = words(cli("import", "gone.jsonl"))
    assert (code, err) == (Exit.INPUT, "simonides: gone.jsonl: No such file or directory\n")
    (tmp_path / "thing.bin").write_bytes(b"\x00\x01")
    code, _, err = words(cli("import", "thing.bin"))
    assert code == Exit.USAGE
    assert "cannot tell what thing.bin holds" in err
    assert "hint: " in err
    assert not (tmp_path / "simonides.db").exists()


def test_the_evaluation_prints_one_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "data" / "hotpotqa100").mkdir(parents=True)
    corpus = {"Kites": ["Kites are red."], "Boats": ["Boats are blue."], "Cars": ["Cars are loud."]}
    questions = [
        {"_id": "1", "question": "Are kites red?", "supporting_facts": [["Kites", 0]], "type": "bridge"},
        {"_id": "2", "question": "Are boats blue?", "supporting_facts": [["Boats", 0]], "type": "bridge"},
    ]
    (tmp_path / "data/hotpotqa100/hotpotqa_train_corpus.json").write_text(json.dumps(corpus))
    (tmp_path / "data/hotpotqa100/hotpotqa_train.json").write_text(json.dumps(questions))
    options = ("eval", "hotpotqa100", "--data", "data", "--systems", "fts5,text,recall")
    code, out, err = words(cli(*options, "--split"))
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "| set | system | part | n | R@5 | R@10 | nDCG@10 | MRR | ms |"
    assert out.count("**1.000**") == 9
    rows = json.loads(cli(*options, "--json").stdout)
    assert [(row["system"], row["questions"], row["ndcg_10"]) for row in rows] == [
        ("fts5", 2, 1.0),
        ("text", 2, 1.0),
        ("recall", 2, 1.0),
    ]
    assert cli("eval", "trec", "--data", "data").returncode == Exit.USAGE
    assert cli("eval", "locomo", "--data", "data").returncode == Exit.USAGE
    assert cli("eval", "locomo", "--data", "data", "--systems", "bm42").returncode == Exit.USAGE


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_any_console_shows_any_text(cli: Cli, tmp_path: Path, encoding: str) -> None:
    """What the console lacks is written as an escape; what it has is written as it is."""
    fill(tmp_path, "会议 at the café, 5 € \U0001f600", thought_id="é1")
    for command in (["recall", "café"], ["list"], ["get", "é1"], ["recall", "café", "--explain"]):
        result = cli(*command, encoding=encoding)
        assert result.returncode == 0, result.stderr
        out = result.stdout.decode(encoding)
        assert ("会议" in out) == (encoding == "utf-8")
        assert ("\\u4f1a\\u8bae" in out) == (encoding != "utf-8")
        assert ("café" in out) == (encoding != "ascii")
        assert ("5 €" in out) == (encoding in ("cp1252", "utf-8"))
    answer = json.loads(cli("get", "é1", "--json", encoding=encoding).stdout.decode(encoding))
    assert answer["content"] == "会议 at the café, 5 € \U0001f600"
    missing = cli("get", "会议", encoding=encoding)
    assert (missing.returncode, b"Traceback" in missing.stderr) == (Exit.NOT_FOUND, False)


def test_a_process_on_an_old_console_shows_escapes(tmp_path: Path) -> None:
    fill(tmp_path, "会议 at the café", thought_id="é1")
    for encoding in ("ascii", "cp1252"):
        result = process(tmp_path, "-m", "simonides.faces.cli", "get", "é1", PYTHONIOENCODING=encoding)
        assert result.returncode == 0, result.stderr
        assert "\\u4f1a\\u8bae at the caf" in result.stdout.decode(encoding)


def test_stored_text_cannot_steer_the_terminal(cli: Cli, tmp_path: Path) -> None:
    hostile = "harmless \x1b[31mred\x1b]0;title\x07 \x9b2J back\x08 \u202eturned \r gone"
    fill(tmp_path, hostile, thought_id="h", speaker="\u202eevil", source="s\u2066")
    for command in (["recall", "harmless"], ["list"], ["get", "h"], ["recall", "harmless", "--explain"]):
        out = cli(*command).stdout.decode()
        assert "harmless" in out
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out), command
        assert "\\x1b[31mred" in out
    as_json = cli("get", "h", "--json").stdout.decode()
    assert not re.search("[\x7f-\x9f\u202a-\u202e]", as_json)
    assert json.loads(as_json)["content"] == hostile


def test_a_reader_that_goes_away_is_met_with_silence(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, *(f"{n} {'long ' * 200}" for n in range(200)))
    with subprocess.Popen(
        [sys.executable, "-m", "simonides.faces.cli", "list", "--limit", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=surroundings(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == Exit.BROKEN_PIPE


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import simonides.sources.importing as importing
from simonides.faces.cli.run import run

take_in, calls = importing._take_in, []

def interrupted(store, records, tally):
    take_in(store, records, tally)
    calls.append(1)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGINT)

importing._take_in = interrupted
sys.exit(run(["import", "talk.jsonl"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot send itself Ctrl-C there")
def test_ctrl_c_keeps_what_was_committed_and_leaves_a_sound_store(cli: Cli, tmp_path: Path) -> None:
    rows = [json.dumps({"content": f"row {n}", "thought_id": str(n)}) for n in range(2_500)]
    (tmp_path / "talk.jsonl").write_text("\n".join(rows))
    done = process(tmp_path, "-c", INTERRUPTED)
    assert words(done) == (Exit.INTERRUPTED, "", "simonides: interrupted; what was committed stays\n")
    assert json.loads(cli("stats", "--json").stdout)["thoughts"] == 2_000
    assert cli("verify").returncode == 0
    assert words(cli("import", "talk.jsonl"))[1] == "jsonl: 500 added, 0 updated, 2000 known already, 0 left out\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--help"], 0),
        (["recall", "--help"], 0),
        (["--version"], 0),
        (["nonsense"], Exit.USAGE),
        (["recall"], Exit.USAGE),
        (["recall", "x", "--nonsense"], Exit.USAGE),
        (["recall", "x", "-k", "many"], Exit.USAGE),
        (["remember", " "], Exit.USAGE),
        (["remember", "x", "--type", "POEM"], Exit.USAGE),
        (["remember", "x", "--at", "soon"], Exit.USAGE),
        (["remember", "x", "--meta", "novalue"], Exit.USAGE),
        (["remember", "x", "-n", ""], 0),
        (["remember", "x", "-n", "a\nb"], Exit.USAGE),
        (["remember", "x", "--embedder", "nonsense"], Exit.USAGE),
        (["remember", "x", "--db", "no/such/folder/s.db"], Exit.STORE),
        (["eval", "locomo"], Exit.USAGE),
    ],
)
def test_every_way_to_call_it_ends_with_its_code_and_never_a_traceback(
    cli: Cli, arguments: list[str], code: int
) -> None:
    result = cli(*arguments)
    assert result.returncode == code, result.stderr
    assert b"Traceback" not in result.stdout + result.stderr
    assert (result.stderr == b"") == (code == 0)


def test_values_of_a_search_that_are_out_of_range_are_refused(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one")
    for options in (["recall", "x", "-k", "0"], ["list", "--limit", "-1"], ["list", "--after", "nobody"]):
        code, out, err = words(cli(*options))
        assert (code, out) == (Exit.USAGE, "")
        assert err.startswith("simonides: ")


def test_a_file_that_is_no_store_is_refused_and_left_alone(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "simonides.db").write_bytes(b"this is a letter, not a database" * 200)
    before = (tmp_path / "simonides.db").read_bytes()
    for command in (["recall", "x"], ["remember", "x"], ["verify"], ["stats"]):
        code, out, err = words(cli(*command))
        assert (code, out) == (Exit.STORE, "")
        assert err.startswith("simonides: ")
    assert (tmp_path / "simonides.db").read_bytes() == before


def test_an_unexpected_mistake_is_one_sentence_with_the_way_to_see_more(tmp_path: Path) -> None:
    script = (
        "import sys, simonides\n"
        "def open(*_, **__): raise ZeroDivisionError('oops')\n"
        "simonides.open = open\n"
        "from simonides.faces.cli.run import run\n"
        "sys.exit(run(['remember', 'x']))\n"
    )
    done = process(tmp_path, "-c", script)
    assert done.returncode == Exit.FAILURE
    assert done.stderr.startswith(b"simonides: unexpected ZeroDivisionError: oops\n  hint: ")
    assert b"Traceback" in process(tmp_path, "-c", script, SIMONIDES_DEBUG="1").stderr


def test_without_the_extra_one_line_names_it(tmp_path: Path) -> None:
    script = "import sys; sys.modules['click'] = None\nfrom simonides.faces.cli import main\nmain()"
    done = process(tmp_path, "-c", script)
    line = "simonides: the command line needs an optional package: pip install 'simonides[cli]'\n"
    assert words(done) == (Exit.EXTRA_MISSING, "", line)


def test_the_command_line_itself_loads_neither_numpy_nor_the_store(tmp_path: Path) -> None:
    """The package's own front page is left out: what it imports is not for this face to say."""
    script = (
        "import sys, types\n"
        "package = sys.modules['simonides'] = types.ModuleType('simonides')\n"
        f"package.__path__ = [{str(PACKAGE)!r}]\n"
        "from simonides.faces.cli.run import run\n"
        "run(['--help'])\n"
        "sys.exit(','.join(sorted({'numpy', 'apsw', 'rich', 'Stemmer', 'simonides.store'} & set(sys.modules))) or 0)"
    )
    done = process(tmp_path, "-c", script)
    assert (done.returncode, done.stderr) == (0, b"")


def subclasses(kind: type[errors.SimonidesError]) -> list[type[errors.SimonidesError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in subclasses(child))]


def test_every_error_has_an_exit_code() -> None:
    assert {kind.code for kind in subclasses(errors.SimonidesError)} == set(BY_ERROR)
