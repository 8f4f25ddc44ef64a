"""`simonides hygiene` and `expire`: a table that a person can judge, JSON on request."""

from __future__ import annotations

import json
import re
from pathlib import Path

from command_line import Cli, fill, words

COLOUR = re.compile("\x1b\\[[0-9;]*m")
OFF = ("--embedder", "off")
LATER = ("--dry-run", "--now", "2099-01-01")


def test_a_dry_run_shows_what_and_why(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "the projector was in room 3", thought_id="old")
    fill(tmp_path, "the spare key", thought_id="key", pinned=True)
    code, out, err = words(cli("hygiene", *LATER, *OFF))
    assert code == 0
    (line,) = out.splitlines()
    what, name, _, text, why = line.split("\t")
    assert (what, name, text) == ("archive", "old", "the projector was in room 3")
    assert why.endswith("never shown, never confirmed, P3")
    assert "1 would be archived, 0 would be erased" in err
    assert "kept: 1 pinned" in err
    told = json.loads(cli("hygiene", *LATER, "--json", *OFF).stdout)
    assert (told["archived"], told["items"][0]["thought_id"], told["kept"]) == (1, "old", {"pinned": 1})
    shown = words(cli("hygiene", *LATER, *OFF, terminal=True, NO_COLOR="1"))[1]
    assert COLOUR.sub("", shown).splitlines()[0].split() == ["what", "memory", "last", "used", "text", "why"]


def test_a_run_now_leaves_what_is_new(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "new", thought_id="new")
    assert "kept: 1 used lately" in words(cli("hygiene", *OFF))[2]
    assert cli("hygiene", "--now", "2099-01-01", *OFF).returncode == 2


def test_expire_archives_or_erases(cli: Cli, tmp_path: Path) -> None:
    fill(tmp_path, "guest code 1", thought_id="one", expires_at="2020-01-01")
    fill(tmp_path, "guest code 2", thought_id="two", expires_at="2020-01-02")
    out = words(cli("expire", "--dry-run", *OFF))[1]
    assert [line.split("\t")[1] for line in out.splitlines()] == ["one", "two"]
    assert "1 archived, 0 erased, and there is more" in words(cli("expire", "--limit", "1", *OFF))[2]
    assert "0 archived, 2 erased" in words(cli("expire", "--erase", *OFF))[2]
