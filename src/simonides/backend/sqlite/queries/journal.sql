-- name: seals
-- Sealed segments, oldest first.
SELECT first_seq, last_seq, last_at, hash, pruned, kept FROM journal_seals ORDER BY last_seq;

-- name: end
-- The last link of the chain.
SELECT seq, at, hash FROM journal ORDER BY seq DESC LIMIT 1;

-- name: end_before
-- The last link of the chain before an instant.
SELECT seq, at, hash FROM journal WHERE at < ? ORDER BY seq DESC LIMIT 1;

-- name: latest_at
-- The latest instant of the links up to a seq, whatever their order.
SELECT ifnull(max(at), 0) FROM journal WHERE seq <= ?;

-- name: hash_at
-- The hash of a link.
SELECT hash FROM journal WHERE seq = ?;

-- name: said
-- What the newest row of a kind about a subject has as its digest.
SELECT digest FROM journal WHERE kind = ? AND subject_id = ? ORDER BY seq DESC LIMIT 1;

-- name: kept
-- What is kept of pruned segments, by seq.
SELECT seq, at, ns, kind, subject_id, revision, digest FROM journal_kept ORDER BY seq;

-- name: add_seal
-- A segment that is sealed.
INSERT INTO journal_seals (first_seq, last_seq, last_at, hash) VALUES (?, ?, ?, ?);

-- name: keep
-- Rows of versions that stay, and of erasures.
INSERT OR REPLACE INTO journal_kept (seq, at, ns, kind, subject_id, revision, digest)
SELECT j.seq, j.at, j.ns, j.kind, j.subject_id, j.revision, j.digest FROM journal j
WHERE j.seq <= :last AND (j.kind IN ('thought.erased', 'namespace.purged') OR j.revision IS NOT NULL AND EXISTS (
  SELECT 1 FROM versions v
  WHERE v.ns = j.ns AND v.seq = j.seq AND (v.recorded_to IS NULL OR v.recorded_to > :horizon)));

-- name: unkeep
-- Rows of versions that have gone since they were kept.
DELETE FROM journal_kept WHERE revision IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM versions v WHERE v.ns = journal_kept.ns AND v.seq = journal_kept.seq
  AND (v.recorded_to IS NULL OR v.recorded_to > :horizon));

-- name: mark_pruned
-- The segments up to a seq are pruned.
UPDATE journal_seals SET pruned = 1, kept = CASE WHEN last_seq = :last THEN :kept END WHERE last_seq <= :last;

-- name: prune_versions
-- Versions that had ended by then, in batches.
DELETE FROM versions WHERE vid IN (
  SELECT vid FROM versions WHERE recorded_to <= :horizon AND seq <= :last LIMIT :batch) RETURNING vid;

-- name: prune_passages
-- Passages that had ended by then.
DELETE FROM passage_history WHERE until <= :last;

-- name: prune_labels
-- Labels that had ended by then.
DELETE FROM label_history WHERE until <= :horizon;

-- name: prune_edges
-- Edges that had ended by then.
DELETE FROM edge_history WHERE until <= :horizon;

-- name: prune_thoughts
-- Thoughts of which nothing is left.
DELETE FROM thoughts WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = thoughts.tid);

-- name: prune_conflicts
-- Pairs of which one half is left.
DELETE FROM conflicts WHERE older_tid NOT IN (SELECT tid FROM thoughts) OR newer_tid NOT IN (SELECT tid FROM thoughts);

-- name: prune_journal
-- Links of pruned segments, in batches.
DELETE FROM journal WHERE seq IN (SELECT seq FROM journal WHERE seq <= :last ORDER BY seq LIMIT :batch) RETURNING seq;

-- name: restore_seal
-- A seal as it was.
INSERT INTO journal_seals (first_seq, last_seq, last_at, hash, pruned, kept) VALUES (?, ?, ?, ?, ?, ?);

-- name: restore_kept
-- A kept row as it was.
INSERT INTO journal_kept (seq, at, ns, kind, subject_id, revision, digest) VALUES (?, ?, ?, ?, ?, ?, ?);
