"""LanceDB without a vector index, as its pages advise for small tables: an exact scan, native full text."""

from __future__ import annotations

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from benchmarks.speed.corpus import Block
from benchmarks.speed.systems import Vector

PACKAGES = ("lancedb", "pylance", "pyarrow")
NOTE = "no vector index (exact scan), native full-text index made after storing, hybrid by its RRFReranker"


class Lance:
    def __init__(self, path: str, dimension: int, *, ivf: bool = False) -> None:
        self._db = lancedb.connect(path)
        vector = pa.list_(pa.float32(), dimension)
        self._schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("vector", vector)])
        self._table = self._db.create_table("notes", schema=self._schema, exist_ok=True)
        self._reranker = RRFReranker()
        self._ivf = ivf

    def store(self, block: Block) -> None:
        size = block.vectors.shape[1]
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(block.vectors.ravel()), size)
        self._table.add(pa.table([pa.array(block.ids), pa.array(block.texts), vectors], schema=self._schema))

    def finish(self) -> None:
        self._table.create_fts_index("text")
        if self._ivf and self._table.count_rows() >= 256:  # fewer cannot train its codes
            self._table.create_index(metric="cosine", vector_column_name="vector")
        self._table.optimize()

    def text(self, text: str) -> list[str]:
        found = self._table.search(text, query_type="fts").select(["id"]).limit(10).to_arrow()
        return found["id"].to_pylist()

    def vector(self, vector: Vector) -> list[str]:
        found = self._table.search(vector).distance_type("cosine").select(["id"]).limit(10).to_arrow()
        return found["id"].to_pylist()

    def hybrid(self, text: str, vector: Vector) -> list[str]:
        search = self._table.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine")
        return search.select(["id", "text"]).rerank(self._reranker).limit(10).to_arrow()["id"].to_pylist()

    def close(self) -> None:
        pass


def open(path: str, dimension: int) -> Lance:
    return Lance(path, dimension)
