"""What happened, on the command line: the journal, the retrieval log, replay, jobs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Cli, fill, words

import simonides
from simonides.faces.cli.exits import Exit

OFF = ("--embedder", "off")


def test_the_journal_is_a_feed_of_lines(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one", thought_id="a")
    fill(tmp_path, "two", thought_id="b")
    cli("archive", "a", "--reason", "old\tand \x1b[31mred", *OFF)
    code, out, err = words(cli("changes"))
    assert (code, err) == (0, "")
    rows = [line.split("\t") for line in out.splitlines()]
    assert [(row[2], row[4]) for row in rows[-3:]] == [("caller", "a"), ("caller", "b"), ("cli", "a")]
    assert rows[-1][6] == "old and \\x1b[31mred"
    feed = [json.loads(line) for line in cli("changes", "--json").stdout.splitlines()]
    assert [change["seq"] for change in feed] == sorted(change["seq"] for change in feed)
    after = [json.loads(line) for line in cli("changes", "--since", str(feed[-2]["seq"]), "--json").stdout.splitlines()]
    assert after == [feed[-1]]
    assert words(cli("changes", "--limit", "1"))[2] == f"there may be more; go on with --since {feed[0]['seq']}\n"


def test_a_journal_of_more_than_a_page_is_printed_whole(cli: Cli, tmp_path: Path) -> None:
    with simonides.open(tmp_path / "simonides.db", embedder=False) as store:
        store.remember_many([f"memory {n}" for n in range(2_100)])
    feed = [json.loads(line)["seq"] for line in cli("changes", "--json").stdout.splitlines()]
    assert len(feed) == len(set(feed)) >= 2_100
    assert len(cli("changes", "--limit", "1500").stdout.splitlines()) == 1_500


def test_questions_are_listed_explained_and_asked_again(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "the spare key is under the pot", thought_id="key")
    for command in ("explain", "replay"):
        assert cli(command, *OFF).returncode == Exit.NOT_FOUND
    cli("recall", "pot", *OFF)
    cli("retrieve", "key", *OFF)
    rows = [line.split("\t") for line in cli("log", *OFF).stdout.decode().splitlines()]
    assert [row[2:] for row in rows] == [["retrieve", "1", "key"], ["recall", "1", "pot"]]
    entries = [json.loads(line) for line in cli("log", "--json", *OFF).stdout.splitlines()]
    assert [entry["query_id"] for entry in entries] == [row[0] for row in rows]
    assert "under the pot" in cli("explain", rows[1][0], *OFF).stdout.decode()
    assert cli("explain", *OFF).stdout.startswith(b"query    'key'")
    assert json.loads(cli("explain", "--json", *OFF).stdout)["query"] == "key"
    code, out, _ = words(cli("replay", rows[1][0], *OFF))
    assert code == 0
    assert "identical" in out
    cli("delete", "key", "--yes", *OFF)
    code, out, _ = words(cli("replay", rows[1][0], *OFF))
    assert code == Exit.INCOMPLETE
    assert "not identical" in out
    result = json.loads(cli("replay", rows[1][0], "--json", *OFF).stdout)
    assert (result["identical"], result["answer"]["hits"]) == (False, [])
    assert {"kind", "subject", "before", "after"} == set(result["differences"][0])
    assert cli("explain", "nothing-like-it", *OFF).returncode == Exit.NOT_FOUND


def test_the_log_is_paged_and_pruned(cli: Cli, tmp_path: Path) -> None:
    with simonides.open(tmp_path / "simonides.db", embedder=False) as store:
        store.remember("one")
        for number in range(5):
            store.recall(f"question {number}")
    code, out, err = words(cli("log", "--limit", "2", *OFF))
    assert (code, len(out.splitlines()), err) == (0, 2, "2 of 5; --limit 0 lists all\n")
    last = out.splitlines()[-1].split("\t")[0]
    assert "question 2" in cli("log", "--after", last, *OFF).stdout.decode().splitlines()[0]
    assert words(cli("log", "prune", "--before", "2999-01-01", *OFF))[:2] == (0, "5 questions forgotten\n")
    assert json.loads(cli("log", "prune", "--json", *OFF).stdout) == {"pruned": 0}
    assert cli("log", "prune", "--before", "soon", *OFF).returncode == Exit.USAGE
    assert cli("log", *OFF).stdout == b""


def test_hostile_questions_are_shown_escaped(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "one")
    cli("recall", "one \x1b]0;title\x07 \u202etwo", *OFF)
    for command in (["log"], ["explain"], ["replay"]):
        out = cli(*command, *OFF).stdout.decode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", out), command


def test_jobs_are_counted_listed_run_and_retried(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that fails leaves a job behind, which fails too until the model works again."""

    def broken(*_: object) -> None:
        raise RuntimeError("out of order")

    model = ("--embedder", "hashing:8")
    with monkeypatch.context() as patch:
        patch.setattr("simonides.embedders.HashingEmbedder.embed_documents", broken)
        cli("remember", "one", *model)
        code, out, err = words(cli("jobs", "run", *model))
        assert (code, out) == (Exit.INCOMPLETE, "0 jobs done\n")
        assert "out of order" in err
    [job] = [json.loads(line) for line in cli("jobs", "list", "--state", "ready", "--json", *model).stdout.splitlines()]
    assert (job["kind"], job["attempts"]) == ("embed.pending", 1)
    row = cli("jobs", "list", *model).stdout.decode().split("\t")
    assert (row[0], row[1], row[4]) == (str(job["job_id"]), "embed.pending", f"1/{job['attempts_max']}")
    assert "out of order" in row[6]
    assert words(cli("jobs", *model))[1] == "embed.pending\tready\t1\n"
    assert words(cli("jobs", "retry", str(job["job_id"]), *model))[1].endswith("(embed.pending) is ready\n")
    assert words(cli("jobs", "run", *model)) == (0, "1 jobs done\n", "")
    assert json.loads(cli("jobs", "--json", *model).stdout)["embed.pending"]["done"] == 1
    assert cli("jobs", "retry", "999", *model).returncode == Exit.INCOMPLETE
    assert cli("jobs", "list", "--state", "odd", *model).returncode == Exit.USAGE
    assert json.loads(cli("jobs", "run", "--limit", "0", "--json", *model).stdout) == {"done": 0, "failures": []}
