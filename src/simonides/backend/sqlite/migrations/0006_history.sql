-- What a store knew at an earlier time. A row holds what was true until a change: of the passages of a thought until the
-- journal's `until`, of its labels and of an edge until the instant `until`. Nothing is written while nothing changes.

CREATE TABLE passage_history (
  tid INTEGER NOT NULL,
  until INTEGER NOT NULL,
  part INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  vector BLOB,
  UNIQUE (tid, until, part)
) STRICT;

-- A set without labels is one row of the kind ''.
CREATE TABLE label_history (
  tid INTEGER NOT NULL,
  until INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY (tid, until, kind, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_history_ns ON label_history (ns, until);

CREATE TABLE edge_history (
  ns INTEGER NOT NULL,
  edge_id TEXT NOT NULL,
  until INTEGER NOT NULL,
  from_tid INTEGER NOT NULL,
  to_tid INTEGER NOT NULL,
  edge_type TEXT NOT NULL,
  weight REAL NOT NULL,
  created_at INTEGER NOT NULL,
  valid_from INTEGER,
  valid_until INTEGER,
  source TEXT,
  metadata TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (ns, edge_id, until)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_history_from ON edge_history (from_tid);
CREATE INDEX edge_history_to ON edge_history (to_tid);

-- What happened to a thought beside its revisions.
CREATE INDEX journal_about ON journal (ns, subject_id) WHERE revision IS NULL AND kind <> 'edge.written';

-- Which versions were alive at an instant is answered from this index alone.
DROP INDEX versions_seq;
CREATE INDEX versions_seq ON versions (ns, seq, recorded_from, recorded_to);
