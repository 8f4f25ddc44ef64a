-- What was asked and shown, and the durable queue of upkeep.

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
