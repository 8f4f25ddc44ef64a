-- Blocks of postings are found through a small index, not by a tree of the blocks themselves.

ALTER TABLE lexicon_blocks RENAME TO lexicon_blocks_by_term;

CREATE TABLE lexicon_blocks (
  block INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL,
  first_term TEXT NOT NULL,
  last_term TEXT NOT NULL,
  dense INTEGER NOT NULL,
  terms TEXT NOT NULL,
  counts BLOB NOT NULL,
  docs BLOB NOT NULL,
  frequencies BLOB NOT NULL
) STRICT;

INSERT INTO lexicon_blocks (segment, first_term, last_term, dense, terms, counts, docs, frequencies)
SELECT segment, first_term, last_term, dense, terms, counts, docs, frequencies FROM lexicon_blocks_by_term
ORDER BY segment, first_term;

CREATE UNIQUE INDEX lexicon_blocks_term ON lexicon_blocks (segment, first_term);

DROP TABLE lexicon_blocks_by_term;
