-- name: missing_versions
-- Journal rows of revisions that are not there, though nobody erased them.
SELECT j.seq, j.subject_id, j.revision FROM journal j
WHERE j.revision IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.ns = j.ns AND v.seq = j.seq)
  AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.ns = j.ns AND e.subject_id = j.subject_id
                  AND e.kind = 'thought.erased' AND e.seq > j.seq)
  AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.ns = j.ns AND e.kind = 'namespace.purged' AND e.seq > j.seq)
LIMIT 100;

-- name: fulltext_awake
-- Any question: it makes FTS5 notice what other connections wrote.
SELECT rowid FROM fulltext WHERE fulltext MATCH '"x"' LIMIT 1;
