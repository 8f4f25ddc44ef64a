"""The whole store on the command line: erase, copy, move, look after, change the model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli, words
from store_driver import of_version

import simonides
from simonides.faces.cli.exits import Exit

MODEL = ("--embedder", "hashing:32")


@pytest.fixture
def people(tmp_path: Path, cli: Cli) -> Cli:
    """Three memories of Ana, two of Ben; one of them in a namespace of her own."""
    with simonides.open(tmp_path / "simonides.db", embedder="hashing:32") as store:
        for n in range(3):
            store.remember(f"Ana said {n}", thought_id=f"a{n}", speaker="Ana")
        store.remember("Ben said xylophone", thought_id="b", speaker="Ben")
        store.remember("hers alone", thought_id="h", namespace="ana")
    return cli


def test_what_is_forgotten_is_counted_and_gone(people: Cli, tmp_path: Path) -> None:
    code, out, err = words(people("forget", "-f", "speaker=Ben", "--reason", "asked", *MODEL))
    assert (code, out) == (0, "1 memories, 0 reflections, 1 versions, 1 passages, 0 edges erased\n")
    assert "simonides compact" in err
    assert people("get", "b", *MODEL).returncode == Exit.NOT_FOUND
    done = json.loads(people("forget", "a0", "a1", "--reason", "asked", "--json", *MODEL).stdout)
    assert (done["count"], done["namespace"]) == (2, "default")
    code, out, _ = words(people("compact", *MODEL))
    assert (code, out.split()[1:3]) == (0, ["bytes", "before,"])
    assert b"xylophone" not in (tmp_path / "simonides.db").read_bytes()
    assert people("verify", *MODEL).returncode == 0


@pytest.mark.parametrize("arguments", [[], ["a0"], ["--reason", "x"], ["a0", "-f", "speaker=Ana", "--reason", "x"]])
def test_nothing_is_forgotten_by_halves(people: Cli, arguments: list[str]) -> None:
    code, out, err = words(people("forget", *arguments, *MODEL))
    assert (code, out) == (Exit.USAGE, "")
    assert err.startswith("simonides: ")
    assert json.loads(people("stats", "--json", *MODEL).stdout)["thoughts"] == 4


def test_a_namespace_goes_when_its_name_is_said_twice(people: Cli) -> None:
    assert people("purge", "-n", "ana", *MODEL).returncode == Exit.USAGE
    assert people("purge", "-n", "ana", "--confirm", "Ana", *MODEL).returncode == Exit.USAGE
    assert people("purge", "-n", "ana", "--confirm", "ana", *MODEL).returncode == 0
    assert json.loads(people("stats", "--json", "-n", "ana", *MODEL).stdout)["thoughts"] == 0
    assert json.loads(people("stats", "--json", *MODEL).stdout)["thoughts"] == 4


def test_a_backup_is_a_store_and_a_file_that_is_there_is_kept(people: Cli) -> None:
    code, out, _ = words(people("backup", "copy.db", *MODEL))
    assert (code, out.rsplit(",", 1)[1]) == (0, " up to change 5\n")
    assert people("backup", "copy.db", *MODEL).returncode == Exit.STORE
    assert people("backup", "copy.db", "--overwrite", *MODEL).returncode == 0
    assert json.loads(people("stats", "--json", "--db", "copy.db", *MODEL).stdout)["thoughts"] == 4


def test_a_store_travels_and_comes_back_the_same(people: Cli, tmp_path: Path) -> None:
    assert words(people("export", "all.jsonl", *MODEL))[:2] == (0, "2 namespace, 5 journal, 5 thought\n")
    code, out, _ = words(people("import-store", "all.jsonl", "--db", "new.db", *MODEL))
    assert (code, out) == (0, "restored: 5 added, 0 known already, 0 edges, 0 vectors pending\n")
    code, out, err = words(people("import-store", "all.jsonl", "--db", "new.db", *MODEL))
    assert (code, out, err) == (
        0,
        "merged: 0 added, 5 known already, 0 edges, 0 vectors pending\n",
        "left out: 5 journal\n",
    )
    people("export", "again.jsonl", "--db", "new.db", *MODEL)
    one, two = ((tmp_path / name).read_bytes().splitlines()[1:] for name in ("all.jsonl", "again.jsonl"))
    assert one == two
    (tmp_path / "cut.jsonl").write_bytes(b"\n".join((tmp_path / "all.jsonl").read_bytes().splitlines()[:-1]))
    code, _, err = words(people("import-store", "cut.jsonl", "--db", "third.db", *MODEL))
    assert (code, "was cut" in err) == (Exit.INCOMPLETE, True)
    assert words(people("export", "ana.jsonl", "--only", "ana", "--json", *MODEL))[0] == 0


def test_a_table_is_written_for_analysts(people: Cli, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert words(people("export", "t.parquet", *MODEL))[:2] == (0, "5 thoughts\n")
    assert parquet.read_table(tmp_path / "t.parquet").num_rows == 5


def test_the_doctor_says_what_is_wrong_and_what_can_be_saved(people: Cli, tmp_path: Path) -> None:
    code, out, _ = words(people("doctor", *MODEL))
    assert (code, out.splitlines()[-1]) == (0, "no problems")
    assert "thoughts: 5" in out.splitlines()
    found = json.loads(people("doctor", "simonides.db", "--repair", "--json", *MODEL).stdout)
    assert (found["ok"], "postings" in found["repaired"]) == (True, True)
    data = bytearray((tmp_path / "simonides.db").read_bytes())
    data[:16] = b"something else.."
    (tmp_path / "bad.db").write_bytes(data)
    code, out, err = words(people("doctor", "bad.db", *MODEL))
    assert code == Exit.INCOMPLETE
    assert "is not a Simonides store" in out
    assert "restore a backup" in err
    assert people("recall", "x", "--db", "bad.db", *MODEL).returncode == Exit.STORE
    code, out, _ = words(people("doctor", "simonides.db", "--salvage", "left.jsonl", *MODEL))
    assert (code, out.rsplit(": ", 1)[1]) == (0, "5 memories saved\n")
    assert people("import-store", "left.jsonl", "--db", "saved.db", *MODEL).returncode == 0
    assert people("doctor", "nothing.db").returncode == Exit.STORE


def test_an_empty_file_is_no_store_to_look_at(cli: Cli, tmp_path: Path) -> None:
    """Case 34 (b): what was a store once is never said to hold nothing."""
    (tmp_path / "simonides.db").touch()
    for command in (["recall", "x"], ["list"], ["stats"], ["compact"]):
        code, _, err = words(cli(*command, *MODEL))
        assert code == Exit.STORE, command
        assert "is empty: there is no store in it" in err
    assert (tmp_path / "simonides.db").stat().st_size == 0
    assert cli("remember", "begins one", *MODEL).returncode == 0
    assert cli("recall", "begins", *MODEL).returncode == 0


def test_the_model_is_changed(people: Cli) -> None:
    code, out, _ = words(people("reembed", "--embedder", "hashing:16"))
    assert (code, out.split(",")[0]) == (0, "hashing:16: 5 vectors")
    assert json.loads(people("stats", "--json", "--embedder", "hashing:16").stdout)["model_id"] == "hashing:16"
    assert words(people("reembed", "--embedder", "hashing:16"))[:2] == (0, "the store has hashing:16 already\n")
    assert words(people("reembed", "--cancel"))[:2] == (0, "there was nothing to give up\n")
    assert people("reembed").returncode == Exit.USAGE


def test_reembed_can_be_left_to_the_jobs_and_watched(people: Cli) -> None:
    assert words(people("reembed", "--status"))[:2] == (0, "no change of the model is under way\n")
    # With --background the first batches may be made before the command ends.
    code, out, _ = words(people("reembed", "--embedder", "hashing:16", "--background"))
    assert code == 0
    assert "hashing:16: 5 passages to do" in out
    people("jobs", "run", "--embedder", "hashing:16")
    seen = json.loads(people("reembed", "--status", "--json").stdout)
    assert seen is None
    assert words(people("reembed", "--wait"))[:2] == (0, "no change of the model is under way\n")
    assert json.loads(people("stats", "--json", "--embedder", "hashing:16").stdout)["model_id"] == "hashing:16"
    assert people("reembed", "--status", "--wait").returncode == Exit.USAGE


def test_the_command_line_says_so_in_a_pipe(cli: Cli, tmp_path: Path) -> None:
    of_version(tmp_path / "simonides.db", 2)
    code, out, err = words(cli("stats", "--embedder", "off"))
    assert code == 0
    assert "bringing the file up to this version" in err
    assert "bringing" not in out
    assert words(cli("stats", "--embedder", "off"))[2] == ""
