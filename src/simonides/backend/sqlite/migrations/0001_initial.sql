-- The first schema.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE namespaces (
  ns INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE sessions (
  session INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  name TEXT NOT NULL,
  turns INTEGER NOT NULL DEFAULT 0,
  last_tid INTEGER,
  UNIQUE (ns, name)
) STRICT;

CREATE TABLE speakers (
  speaker INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (ns, name)
) STRICT;

CREATE TABLE thoughts (
  tid INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL,
  thought_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_cycle INTEGER NOT NULL,
  session INTEGER NOT NULL DEFAULT 0,
  position INTEGER,
  speaker INTEGER NOT NULL DEFAULT 0,
  dedup BLOB,
  access_count INTEGER NOT NULL DEFAULT 0,
  confirmation_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at INTEGER,
  UNIQUE (ns, thought_id)
) STRICT;
CREATE UNIQUE INDEX thoughts_dedup ON thoughts (ns, dedup) WHERE dedup IS NOT NULL;
CREATE INDEX thoughts_session ON thoughts (session, position) WHERE session > 0;
CREATE INDEX thoughts_speaker ON thoughts (speaker) WHERE speaker > 0;

CREATE TABLE versions (
  vid INTEGER PRIMARY KEY AUTOINCREMENT,
  tid INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  recorded_from INTEGER NOT NULL,
  recorded_to INTEGER,
  thought_type INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  content TEXT NOT NULL,
  essence TEXT,
  priority INTEGER NOT NULL,
  lifecycle_status INTEGER NOT NULL,
  retired INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  updated_cycle INTEGER NOT NULL,
  occurred_at INTEGER,
  expires_at INTEGER,
  valid_from INTEGER,
  valid_until INTEGER,
  source TEXT,
  source_type TEXT,
  confidence REAL,
  visibility TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  metadata TEXT NOT NULL DEFAULT '{}',
  provenance TEXT,
  content_hash BLOB NOT NULL,
  salt BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX versions_current ON versions (tid) WHERE recorded_to IS NULL;
CREATE INDEX versions_seq ON versions (ns, seq);
CREATE INDEX versions_tid ON versions (tid, revision);

CREATE TABLE labels (
  ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  tid INTEGER NOT NULL,
  PRIMARY KEY (ns, kind, label, tid)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_tid ON labels (tid);

-- Other names of a concept; a name stands for one concept.
CREATE TABLE concept_aliases (
  ns INTEGER NOT NULL,
  alias TEXT NOT NULL,
  concept TEXT NOT NULL,
  PRIMARY KEY (ns, alias)
) STRICT, WITHOUT ROWID;

-- Topics that people made, with or without members; a key holds its parents: deploy/staging.
CREATE TABLE user_topics (
  ns INTEGER NOT NULL,
  key TEXT NOT NULL,
  title TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (ns, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
  eid INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL,
  edge_id TEXT NOT NULL,
  from_tid INTEGER NOT NULL,
  to_tid INTEGER NOT NULL,
  edge_type TEXT NOT NULL,
  weight REAL NOT NULL,
  created_at INTEGER NOT NULL,
  valid_from INTEGER,
  valid_until INTEGER,
  source TEXT,
  metadata TEXT NOT NULL DEFAULT '{}',
  UNIQUE (ns, edge_id),
  UNIQUE (from_tid, to_tid, edge_type)
) STRICT;
CREATE INDEX edges_to ON edges (to_tid, edge_type);

-- A passage is the unit of both indexes. Its id is never used again: changed text gets new passages.
-- embedding: 0 no vector wanted or possible, 1 pending, 2 stored.
CREATE TABLE passages (
  pid INTEGER PRIMARY KEY AUTOINCREMENT,
  tid INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  words INTEGER NOT NULL,
  essence_words INTEGER NOT NULL DEFAULT 0,
  asks REAL NOT NULL DEFAULT 0,
  tokens BLOB NOT NULL,
  embedding INTEGER NOT NULL
) STRICT;
CREATE INDEX passages_tid ON passages (tid);
CREATE INDEX passages_ns ON passages (ns, pid);
CREATE INDEX passages_pending ON passages (ns, pid) WHERE embedding = 1;

CREATE TABLE dead_passages (
  seq INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  PRIMARY KEY (ns, seq, pid)
) STRICT, WITHOUT ROWID;

CREATE TABLE vectors (
  pid INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_seq ON vectors (ns, seq);

-- The postings index: a tail of rows not yet in a segment, immutable segments, blocks of consecutive terms.
CREATE TABLE lexicon_tail (
  pid INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  terms TEXT NOT NULL,
  frequencies BLOB NOT NULL
) STRICT;
CREATE INDEX lexicon_tail_ns ON lexicon_tail (ns, pid);

CREATE TABLE lexicon_segments (
  segment INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  pids BLOB NOT NULL
) STRICT;
CREATE INDEX lexicon_segments_ns ON lexicon_segments (ns);

CREATE TABLE lexicon_blocks (
  segment INTEGER NOT NULL,
  first_term TEXT NOT NULL,
  last_term TEXT NOT NULL,
  dense INTEGER NOT NULL,
  terms TEXT NOT NULL,
  counts BLOB NOT NULL,
  docs BLOB NOT NULL,
  frequencies BLOB NOT NULL,
  PRIMARY KEY (segment, first_term)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE fulltext USING fts5 (
  content, essence, content_more, essence_more,
  content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  revision INTEGER,
  digest BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX journal_ns ON journal (ns, seq);
