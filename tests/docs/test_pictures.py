"""Are the pictures of the pages sound, and do they show what the repository holds?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "walk.svg"


def test_the_walk_is_a_picture_on_its_page_with_memories_of_the_conversation() -> None:
    assert f"]({PICTURE.name})" in (ROOT / "docs" / "topics.md").read_text("utf-8")
    words = [element.text or "" for element in ElementTree.parse(PICTURE).iter() if element.tag.endswith("}text")]
    lines = (ROOT / "examples" / "conversation" / "petrel.jsonl").read_text("utf-8").splitlines()
    contents = {json.loads(line)["content"] for line in lines}
    hits = [match[1] for text in words if (match := re.fullmatch(r"\d   0\.\d\d   (.*)", text))]
    assert len(hits) == 3
    assert all(any(content.startswith(hit.removesuffix(" …")) for content in contents) for hit in hits)
    assert any(f"of {len(lines)} memories compared" in text for text in words)
