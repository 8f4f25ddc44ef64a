-- name: head
-- The tree of a namespace.
SELECT ns, version, epoch, seq, model, dimension, beam, next_key, built, built_at FROM topic_trees WHERE ns = :ns;

-- name: topics
-- Every topic of a tree.
SELECT key, parent, level, count, length, label, centroid FROM topics WHERE ns = :ns AND version = :version;

-- name: names
-- The same without centroids.
SELECT key, parent, level, count, label FROM topics WHERE ns = :ns AND version = :version;

-- name: size
-- How many vectors are in its leaves: the root's count.
SELECT count FROM topics WHERE ns = :ns AND version = :version AND key = 0;

-- name: members
-- Who is in which leaf; the codes stay where they are.
SELECT leaf, part, pids FROM topic_leaves WHERE ns = :ns AND version = :version ORDER BY leaf, part;

-- name: leaves
-- The codes of some leaves.
SELECT leaf, part, pids, factors, codes FROM topic_leaves
WHERE ns = :ns AND version = :version AND leaf IN (SELECT value FROM json_each(:leaves)) ORDER BY leaf, part;

-- name: codes
-- The same without whose they are.
SELECT leaf, factors, codes FROM topic_leaves
WHERE ns = :ns AND version = :version AND leaf IN (SELECT value FROM json_each(:leaves)) ORDER BY leaf, part;

-- name: tail_size
-- How many vectors were stored after a seq, counted up to a limit.
SELECT count(*) FROM (SELECT 1 FROM vectors WHERE ns = :ns AND seq > :seq LIMIT :limit);

-- name: vectors_page
-- Vectors stored up to a seq, in portions.
SELECT pid, vector FROM vectors WHERE ns = :ns AND +seq <= :seq AND pid > :after ORDER BY pid LIMIT :limit;

-- name: texts
-- The texts of some passages.
SELECT p.pid, v.content, p.start, p.stop FROM json_each(:pids) c
JOIN passages p ON p.pid = c.value JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL;

-- name: work
-- A rebalance that has begun.
SELECT owner, version, seq, stage, pids, labels FROM topic_work WHERE ns = :ns;

-- name: put_head
-- Another tree, or another state of it.
INSERT OR REPLACE INTO topic_trees (ns, version, epoch, seq, model, dimension, beam, next_key, built, built_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_kept
-- What was kept of the state before.
DELETE FROM kept_trees WHERE ns = :ns;

-- name: put_topic
-- A topic, new or changed.
INSERT OR REPLACE INTO topics (ns, version, key, parent, level, count, length, label, centroid)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_topic
-- One that has no members any more.
DELETE FROM topics WHERE ns = ? AND version = ? AND key = ?;

-- name: put_label
-- Another name for a topic.
UPDATE topics SET label = ? WHERE ns = ? AND version = ? AND key = ?;

-- name: put_part
-- Members of a leaf that came together.
INSERT INTO topic_leaves (ns, version, leaf, part, pids, factors, codes) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: drop_leaf
-- A leaf is written anew.
DELETE FROM topic_leaves WHERE ns = :ns AND version = :version AND leaf = :leaf;

-- name: drop_leaves_but
-- Some of what is left of other versions; a tree of the model to come stays.
DELETE FROM topic_leaves WHERE rowid IN (
  SELECT rowid FROM topic_leaves WHERE ns = :ns AND version <> :version
    AND version IS NOT (SELECT value ->> 'version' FROM meta WHERE key = 'tree_next:' || :ns) LIMIT :limit);

-- name: drop_topics_but
-- The topics of other versions.
DELETE FROM topics WHERE ns = :ns AND version <> :version
  AND version IS NOT (SELECT value ->> 'version' FROM meta WHERE key = 'tree_next:' || :ns);

-- name: drop_version_leaves
-- A tree that does not come.
DELETE FROM topic_leaves WHERE ns = :ns AND version = :version;

-- name: drop_version_topics
-- Its topics.
DELETE FROM topics WHERE ns = :ns AND version = :version;

-- name: put_work
-- How far a rebalance is.
INSERT OR REPLACE INTO topic_work (ns, owner, version, seq, stage, pids, labels) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: drop_work
-- It is done.
DELETE FROM topic_work WHERE ns = :ns;
