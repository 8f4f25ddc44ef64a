"""tantivy: full text only, in a folder of its own."""

from __future__ import annotations

import os

import tantivy

from benchmarks.speed.corpus import Block

PACKAGES = ("tantivy",)
NOTE = "default tokenizer, one commit per block; text only"


class Tantivy:
    def __init__(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("text", stored=True)
        self._index = tantivy.Index(schema.build(), path)
        self._writer: tantivy.IndexWriter | None = None

    def store(self, block: Block) -> None:
        if self._writer is None:
            self._writer = self._index.writer()
        for name, text in zip(block.ids, block.texts, strict=True):
            self._writer.add_document(tantivy.Document(id=name, text=text))
        self._writer.commit()

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def text(self, text: str) -> list[str]:
        searcher = self._index.searcher()
        query, _ = self._index.parse_query_lenient(text, ["text"])
        return [searcher.doc(place)["id"][0] for _, place in searcher.search(query, 10).hits]

    def close(self) -> None:
        pass


def open(path: str, dimension: int) -> Tantivy:
    return Tantivy(path)
