-- Sealing and pruning the journal.

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
