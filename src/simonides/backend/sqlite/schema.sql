-- The whole schema at the current version. The migrations, run in order, must give exactly this (a test compares).
-- Instants are microseconds since 1970-01-01T00:00:00Z. `ns` is the namespace and leads every index that owners share.

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
CREATE INDEX versions_seq ON versions (ns, seq, recorded_from, recorded_to);
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
CREATE INDEX edges_meaning ON edges (ns)
  WHERE edge_type IN ('SUPERSEDES', 'CONTRADICTS', 'CONTESTED_BY', 'SUPPORTS');

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

-- Rows with a number: a b-tree of rows so long by their terms would be seven levels high, four rows to a page.
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
CREATE UNIQUE INDEX lexicon_blocks_term ON lexicon_blocks (segment, first_term);

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

CREATE INDEX versions_reflections ON versions (ns, tid) WHERE thought_type = 5;
CREATE INDEX journal_erased ON journal (ns, subject_id) WHERE kind = 'thought.erased';
CREATE INDEX journal_purged ON journal (ns) WHERE kind = 'namespace.purged';

-- Vectors of the model that a re-embedding builds up; an empty vector: the text has none. Swapped with `vectors`.
CREATE TABLE vectors_next (
  pid INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;

-- For analysts. Columns are only ever added; names and meanings stay.
CREATE VIEW v_thoughts AS
SELECT n.name AS namespace, t.thought_id, v.revision,
       CASE v.thought_type WHEN 0 THEN 'NOTE' WHEN 1 THEN 'OBSERVATION' WHEN 2 THEN 'BELIEF' WHEN 3 THEN 'TASK'
         WHEN 4 THEN 'OUTPUT_DRAFT' WHEN 5 THEN 'REFLECTION' END AS thought_type,
       CASE v.lifecycle_status WHEN 0 THEN 'CREATED' WHEN 1 THEN 'ACTIVE' WHEN 2 THEN 'DONE'
         WHEN 3 THEN 'ARCHIVED' END AS lifecycle_status,
       'P' || (v.priority + 1) AS priority,
       v.content_type, v.content, v.essence, s.name AS speaker, e.name AS session, t.position, v.source, v.source_type,
       v.confidence, v.visibility, v.pinned, v.metadata, v.provenance,
       (SELECT json_group_array(l.label) FROM labels l WHERE l.tid = t.tid AND l.kind = 'concept') AS concepts,
       (SELECT json_group_array(l.label) FROM labels l WHERE l.tid = t.tid AND l.kind = 'topic') AS topics,
       t.created_cycle, v.updated_cycle,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.updated_at / 1000000.0, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.occurred_at / 1000000.0, 'unixepoch') AS occurred_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.expires_at / 1000000.0, 'unixepoch') AS expires_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.valid_from / 1000000.0, 'unixepoch') AS valid_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.valid_until / 1000000.0, 'unixepoch') AS valid_until,
       t.access_count, t.confirmation_count
FROM thoughts t
JOIN versions v ON v.tid = t.tid AND v.recorded_to IS NULL
JOIN namespaces n ON n.ns = t.ns
LEFT JOIN speakers s ON s.speaker = t.speaker
LEFT JOIN sessions e ON e.session = t.session;

CREATE VIEW v_edges AS
SELECT n.name AS namespace, e.edge_id, f.thought_id AS from_id, g.thought_id AS to_id, e.edge_type, e.weight,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1000000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.valid_from / 1000000.0, 'unixepoch') AS valid_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.valid_until / 1000000.0, 'unixepoch') AS valid_until,
       e.source, e.metadata
FROM edges e
JOIN namespaces n ON n.ns = e.ns
JOIN thoughts f ON f.tid = e.from_tid
JOIN thoughts g ON g.tid = e.to_tid;

CREATE VIEW v_retrieval_log AS
SELECT query_id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000000.0, 'unixepoch') AS asked_at, namespace, namespaces, verb,
       recipe, mode, query_hash, CASE typeof(query) WHEN 'text' THEN query END AS query,
       json_array_length(sources) AS hits, query_profile, sources, plan
FROM retrieval_log;

-- What was asked and shown. `namespace` is the one that was asked, '' when there were several. `query` is text, or bytes
-- when the text holds half a surrogate pair. What two questions share (plan and settings) stands in retrieval_plans once.
CREATE TABLE retrieval_plans (
  hash TEXT PRIMARY KEY,
  plan TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE retrieval_log (
  lid INTEGER PRIMARY KEY AUTOINCREMENT,
  query_id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  namespaces TEXT NOT NULL,
  verb TEXT NOT NULL,
  recipe TEXT NOT NULL,
  mode TEXT NOT NULL,
  query_hash TEXT NOT NULL,
  query ANY,
  vector BLOB,
  query_profile TEXT NOT NULL,
  sources TEXT NOT NULL,
  now INTEGER NOT NULL,
  reference INTEGER,
  plan TEXT NOT NULL,
  seqs TEXT NOT NULL,
  trees TEXT
) STRICT;
CREATE INDEX retrieval_log_namespace ON retrieval_log (namespace, lid);
CREATE INDEX retrieval_log_at ON retrieval_log (at);
CREATE INDEX retrieval_log_plan ON retrieval_log (plan);

-- The durable queue. state: ready, running, done, dead. `namespace` is '' for work on the whole store. A key is unique
-- while its job is open; asked for again while it runs, the job runs once more (`again`).
CREATE TABLE jobs (
  job INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL DEFAULT '',
  payload TEXT NOT NULL DEFAULT '{}',
  idempotency_key TEXT,
  state TEXT NOT NULL DEFAULT 'ready',
  again INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  attempts_max INTEGER NOT NULL,
  run_after INTEGER NOT NULL,
  lease_owner TEXT,
  lease_until INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX jobs_state ON jobs (state, run_after);
CREATE UNIQUE INDEX jobs_open ON jobs (kind, namespace, idempotency_key) WHERE state IN ('ready', 'running');

-- The topic tree of a namespace. version 0: none. epoch rises with every change of the tree; vectors with a seq above
-- `seq` are not in it yet (the tail). built: members when it was last built or rebalanced; beam: topics kept per round.
CREATE TABLE topic_trees (
  ns INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  beam INTEGER NOT NULL,
  next_key INTEGER NOT NULL,
  built INTEGER NOT NULL,
  built_at INTEGER NOT NULL
) STRICT;

-- The sum of a topic's members is centroid · length (float32). Versions other than that of the tree are not in use.
CREATE TABLE topics (
  ns INTEGER NOT NULL,
  version INTEGER NOT NULL,
  key INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  level INTEGER NOT NULL,
  count INTEGER NOT NULL,
  length REAL NOT NULL,
  label TEXT NOT NULL,
  centroid BLOB NOT NULL,
  UNIQUE (ns, version, key)
) STRICT;

-- Members of leaves in runs that were added together: pids int64, factors float32, codes int8, one row per member.
CREATE TABLE topic_leaves (
  ns INTEGER NOT NULL,
  version INTEGER NOT NULL,
  leaf INTEGER NOT NULL,
  part INTEGER NOT NULL,
  pids BLOB NOT NULL,
  factors BLOB NOT NULL,
  codes BLOB NOT NULL,
  UNIQUE (ns, version, leaf, part)
) STRICT;

-- How far a rebalance is, so that one that was killed goes on: a leaf number (int32) for every passage (int64).
CREATE TABLE topic_work (
  ns INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  pids BLOB NOT NULL,
  labels BLOB NOT NULL
) STRICT;

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

-- Pairs of memories that seem to disagree, for a person to decide. evidence: JSON, what differs. texts: digest of both
-- contents, so that a pair is looked at again when one of them changed. status: proposed, confirmed, rejected.
CREATE TABLE conflicts (
  cid INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL,
  conflict_id TEXT NOT NULL,
  older_tid INTEGER NOT NULL,
  newer_tid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  confidence REAL NOT NULL,
  evidence TEXT NOT NULL,
  texts BLOB NOT NULL,
  proposed_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  reason TEXT,
  UNIQUE (ns, conflict_id)
) STRICT;
CREATE UNIQUE INDEX conflicts_pair ON conflicts (min(older_tid, newer_tid), max(older_tid, newer_tid));
CREATE INDEX conflicts_status ON conflicts (ns, status, cid);
CREATE INDEX conflicts_older ON conflicts (older_tid);
CREATE INDEX conflicts_newer ON conflicts (newer_tid);

-- How far memories were compared: every version up to this seq.
CREATE TABLE conflict_scans (
  ns INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL
) STRICT;

-- Segments of the journal that were sealed, and what is kept of those that were pruned: a row for every version that
-- is still there, so that its digest can be checked, and for every erasure.
CREATE TABLE journal_seals (
  last_seq INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  pruned INTEGER NOT NULL DEFAULT 0,
  kept BLOB
) STRICT;

CREATE TABLE journal_kept (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  revision INTEGER,
  digest BLOB NOT NULL
) STRICT;

-- What ranking knows of every passage of a namespace, as it was at a seq: columns of numbers, packed, in parts. Derived:
-- without it, or when it is damaged, the rows are read.
CREATE TABLE catalogues (
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  columns BLOB NOT NULL,
  UNIQUE (ns, part)
) STRICT;

-- The topics of a tree and who is in which leaf, at one epoch, packed in the same way. A tree that changes loses it.
CREATE TABLE kept_trees (
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  columns BLOB NOT NULL,
  UNIQUE (ns, part)
) STRICT;
