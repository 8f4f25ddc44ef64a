-- name: unfinished_restore
-- A mark that an import of a whole store has not come to its end.
SELECT value FROM meta WHERE key = 'import';

-- name: missing_versions
-- Journal rows of revisions that are not there, though nobody erased them.
WITH pruned AS (SELECT ifnull(max(last_seq), 0) AS last FROM journal_seals WHERE pruned = 1),
told AS (SELECT seq, ns, subject_id, revision FROM journal, pruned WHERE revision IS NOT NULL AND seq > last
         UNION ALL SELECT seq, ns, subject_id, revision FROM journal_kept WHERE revision IS NOT NULL)
SELECT j.seq, j.subject_id, j.revision FROM told j
WHERE 1
  AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.ns = j.ns AND v.seq = j.seq)
  AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.ns = j.ns AND e.subject_id = j.subject_id
                  AND e.kind = 'thought.erased' AND e.seq > j.seq)
  AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.ns = j.ns AND e.kind = 'namespace.purged' AND e.seq > j.seq)
  AND NOT EXISTS (SELECT 1 FROM journal_kept e WHERE e.ns = j.ns AND e.seq > j.seq
                  AND (e.kind = 'thought.erased' AND e.subject_id = j.subject_id OR e.kind = 'namespace.purged'))
LIMIT 100;

-- name: fulltext_awake
-- Any question: it makes FTS5 notice what other connections wrote.
SELECT rowid FROM fulltext WHERE fulltext MATCH '"x"' LIMIT 1;

-- name: orphan_edges
-- Edges with an end that is not a current thought.
SELECT edge_id FROM edges e WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = e.from_tid AND v.recorded_to IS NULL)
  OR NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = e.to_tid AND v.recorded_to IS NULL) LIMIT 100;

-- name: orphan_labels
-- Labels of thoughts that are not current.
SELECT kind || ' ' || label FROM labels l
WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = l.tid AND v.recorded_to IS NULL) LIMIT 100;

-- name: orphan_history
-- What is kept of earlier times of thoughts that are not there.
SELECT tid FROM passage_history WHERE tid NOT IN (SELECT tid FROM thoughts)
UNION SELECT tid FROM label_history WHERE tid NOT IN (SELECT tid FROM thoughts)
UNION SELECT from_tid FROM edge_history WHERE from_tid NOT IN (SELECT tid FROM thoughts)
UNION SELECT to_tid FROM edge_history WHERE to_tid NOT IN (SELECT tid FROM thoughts) LIMIT 100;

-- name: mend_passage_history
-- Earlier passages of nobody.
DELETE FROM passage_history WHERE tid NOT IN (SELECT tid FROM thoughts);

-- name: mend_label_history
-- Earlier labels of nobody.
DELETE FROM label_history WHERE tid NOT IN (SELECT tid FROM thoughts);

-- name: mend_edge_history
-- Earlier edges of nobody.
DELETE FROM edge_history
WHERE from_tid NOT IN (SELECT tid FROM thoughts) OR to_tid NOT IN (SELECT tid FROM thoughts);

-- name: orphan_conflicts
-- Conflicts with an end that is not there at all.
SELECT conflict_id FROM conflicts c WHERE NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.tid = c.older_tid)
  OR NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.tid = c.newer_tid) LIMIT 100;

-- name: superseding
-- Who replaces whom, to look for circles.
SELECT from_tid, to_tid FROM edges WHERE edge_type = 'SUPERSEDES';

-- name: wrong_vectors
-- Vectors that are not of the store's model.
SELECT pid FROM vectors WHERE length(vector) <> 4 * ? LIMIT 100;

-- name: lost_vectors
-- Passages that are said to have a vector and have none.
SELECT pid FROM passages p WHERE p.embedding = 2 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.pid = p.pid) LIMIT 100;

-- name: passages_outside
-- Passages that lie outside of their text.
SELECT p.pid FROM passages p JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.start < 0 OR p.stop < p.start OR p.stop > length(CAST(v.content AS BLOB)) LIMIT 100;

-- name: lexicon_living
-- Living passages by namespace.
SELECT ns, count(*) FROM passages GROUP BY ns;

-- name: lexicon_heads
-- What the postings index holds: namespace and passage ids of each segment.
SELECT ns, pids FROM lexicon_segments;

-- name: lexicon_tails
-- And those in no segment yet.
SELECT ns, pid FROM lexicon_tail;

-- name: passages_all
-- Every living passage.
SELECT ns, pid FROM passages ORDER BY pid;

-- name: vectors_next_count
-- How far a change of the model is.
SELECT count(*) FROM vectors_next;

-- name: trees
-- Topic trees in use, those of another model among them.
SELECT count(*), ifnull(sum(model <> (SELECT value FROM meta WHERE key = 'model')), 0) FROM topic_trees WHERE version > 0;

-- name: facts
-- How much there is.
SELECT (SELECT count(*) FROM namespaces WHERE name NOT GLOB char(127) || '*'),
       (SELECT count(*) FROM versions WHERE recorded_to IS NULL), (SELECT count(*) FROM versions),
       (SELECT count(*) FROM passages), (SELECT count(*) FROM vectors), (SELECT count(*) FROM passages WHERE embedding = 1),
       (SELECT count(*) FROM edges), (SELECT count(*) FROM journal);

-- name: mend_fulltext
-- The full-text index begins anew.
INSERT INTO fulltext (fulltext) VALUES ('delete-all');

-- name: mend_passages
-- Passages of nobody.
DELETE FROM passages WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = passages.tid AND v.recorded_to IS NULL);

-- name: mend_edges
-- Edges with an end that is not there.
DELETE FROM edges WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = edges.from_tid AND v.recorded_to IS NULL)
  OR NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = edges.to_tid AND v.recorded_to IS NULL);

-- name: mend_conflicts
-- Conflicts with an end that is not there at all.
DELETE FROM conflicts WHERE NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.tid = conflicts.older_tid)
  OR NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.tid = conflicts.newer_tid);

-- name: mend_labels
-- Labels of nobody.
DELETE FROM labels WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = labels.tid AND v.recorded_to IS NULL);

-- name: mend_vectors
-- Vectors of nobody or of another length.
DELETE FROM vectors WHERE length(vector) <> 4 * :dimension
  OR NOT EXISTS (SELECT 1 FROM passages p WHERE p.pid = vectors.pid);

-- name: mend_embedding
-- What has a vector, and what lost it.
UPDATE passages SET embedding = CASE WHEN embedding = 2 THEN 1 ELSE 2 END
WHERE (embedding = 2) <> EXISTS (SELECT 1 FROM vectors v WHERE v.pid = passages.pid);

-- name: bare_thoughts
-- Current thoughts without a passage.
SELECT v.tid, v.ns, v.seq, v.content, v.essence, s.name FROM versions v JOIN thoughts t ON t.tid = v.tid
LEFT JOIN speakers s ON s.speaker = t.speaker
WHERE v.recorded_to IS NULL AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.tid = v.tid);
