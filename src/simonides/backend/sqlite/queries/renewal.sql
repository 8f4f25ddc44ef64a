-- name: todo
-- Passages without a vector of the model to come, whatever the old one said of them.
SELECT p.pid, p.start, p.stop, v.content FROM passages p JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.pid > ? AND NOT EXISTS (SELECT 1 FROM vectors_next n WHERE n.pid = p.pid) ORDER BY p.pid LIMIT ?;

-- name: progress
-- How many passages there are, and how many are done.
SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM vectors_next n JOIN passages p ON p.pid = n.pid);

-- name: total
-- How many passages there are.
SELECT count(*) FROM passages;

-- name: sizes
-- How many vectors of the model to come each namespace has.
SELECT ns, count(*) FROM vectors_next WHERE length(vector) > 0 GROUP BY ns;

-- name: page
-- Those that the tree to come is made of, in portions.
SELECT pid, vector FROM vectors_next WHERE ns = ? AND seq = 1 AND pid > ? AND length(vector) > 0 ORDER BY pid LIMIT ?;

-- name: put
-- A vector of the model to come, unless the passage has gone. Its seq is before every change that a cache asks for,
-- or behind the tree that was begun without it.
INSERT OR REPLACE INTO vectors_next (pid, ns, seq, vector)
SELECT p.pid, p.ns, ifnull((SELECT m.value ->> 'seq' FROM meta m WHERE m.key = 'tree_next:' || p.ns) + 1, 1), :vector
FROM passages p WHERE p.pid = :pid;

-- name: clear
-- The model to come does not come.
DELETE FROM vectors_next;

-- name: switch_01
-- Passages that went meanwhile.
DELETE FROM vectors_next WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.pid = vectors_next.pid);

-- name: switch_02
-- Passages that came meanwhile wait for their vector.
UPDATE passages SET embedding = 1 WHERE embedding <> 1
  AND NOT EXISTS (SELECT 1 FROM vectors_next n WHERE n.pid = passages.pid);

-- name: switch_03
-- Passages that the new model has no vector for.
UPDATE passages SET embedding = 0 WHERE embedding <> 0
  AND EXISTS (SELECT 1 FROM vectors_next n WHERE n.pid = passages.pid AND length(n.vector) = 0);

-- name: switch_04
-- Passages that it has one for, though the old one had none.
UPDATE passages SET embedding = 2 WHERE embedding <> 2
  AND EXISTS (SELECT 1 FROM vectors_next n WHERE n.pid = passages.pid AND length(n.vector) > 0);

-- name: switch_05
-- They have no row among the vectors.
DELETE FROM vectors_next WHERE length(vector) = 0;

-- name: switch_06
-- The old ones go; renaming takes as long for a million as for one.
DROP TABLE vectors;

-- name: switch_07
-- The new ones take their name.
ALTER TABLE vectors_next RENAME TO vectors;

-- name: switch_08
-- As in the schema.
CREATE INDEX vectors_seq ON vectors (ns, seq);

-- name: switch_09
-- As in the schema.
CREATE TABLE vectors_next (
  pid INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;
