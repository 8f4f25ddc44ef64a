-- The topic tree of every large namespace: what makes its vectors quick to search, and a map to read.

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

CREATE TABLE topic_work (
  ns INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  pids BLOB NOT NULL,
  labels BLOB NOT NULL
) STRICT;
