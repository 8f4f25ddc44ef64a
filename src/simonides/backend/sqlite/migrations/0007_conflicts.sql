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
