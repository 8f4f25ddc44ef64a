-- name: plan_add
-- A plan with its settings, the first time it is used.
INSERT OR IGNORE INTO retrieval_plans (hash, plan) VALUES (?, ?);

-- name: plan_text
-- A plan with its settings.
SELECT plan FROM retrieval_plans WHERE hash = ?;

-- name: log_add
-- One question and what it showed; written twice it stays one row.
INSERT INTO retrieval_log (query_id, at, namespace, namespaces, verb, recipe, mode, query_hash, query, vector,
  query_profile, sources, now, reference, plan, seqs, trees)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (query_id) DO NOTHING;

-- name: log_get
-- One question by its id.
SELECT query_id, at, namespace, namespaces, verb, recipe, mode, query_hash, query, vector, query_profile, sources, now,
  reference, plan, seqs, trees
FROM retrieval_log WHERE query_id = ?;

-- name: log_place
-- Where a question stands in the order of arrival.
SELECT lid FROM retrieval_log WHERE query_id = ?;

-- name: log_of
-- Questions that asked one namespace alone, newest first.
SELECT query_id, at, namespace, namespaces, verb, recipe, mode, query_hash, query, vector, query_profile, sources, now,
  reference, plan, seqs, trees
FROM retrieval_log WHERE namespace = :namespace AND lid < :before ORDER BY lid DESC LIMIT :limit;

-- name: log_with
-- Questions that asked a namespace, alone or among others, newest first.
SELECT query_id, at, namespace, namespaces, verb, recipe, mode, query_hash, query, vector, query_profile, sources, now,
  reference, plan, seqs, trees
FROM retrieval_log WHERE lid IN (
  SELECT lid FROM (SELECT lid FROM retrieval_log WHERE namespace = :namespace AND lid < :before
    ORDER BY lid DESC LIMIT :limit)
  UNION ALL
  SELECT lid FROM (SELECT l.lid FROM retrieval_log l WHERE l.namespace = '' AND l.lid < :before
    AND EXISTS (SELECT 1 FROM json_each(l.namespaces) WHERE value = :namespace) ORDER BY l.lid DESC LIMIT :limit)
) ORDER BY lid DESC LIMIT :limit;

-- name: count_of
-- How many questions asked one namespace alone.
SELECT count(*) FROM retrieval_log WHERE namespace = :namespace;

-- name: count_with
-- How many questions asked a namespace, alone or among others.
SELECT (SELECT count(*) FROM retrieval_log WHERE namespace = :namespace) + (SELECT count(*) FROM retrieval_log l
  WHERE l.namespace = '' AND EXISTS (SELECT 1 FROM json_each(l.namespaces) WHERE value = :namespace));

-- name: prune_old
-- The oldest questions from before an instant end.
DELETE FROM retrieval_log WHERE lid IN (SELECT lid FROM retrieval_log WHERE at < :before ORDER BY at LIMIT :limit)
RETURNING plan;

-- name: prune_many
-- The first questions end while there are too many.
DELETE FROM retrieval_log WHERE lid IN (
  SELECT lid FROM retrieval_log WHERE lid <= (SELECT max(lid) FROM retrieval_log) - :rows ORDER BY lid LIMIT :limit
) RETURNING plan;

-- name: prune_plan
-- A plan ends with the last question that used it.
DELETE FROM retrieval_plans WHERE hash = :hash AND NOT EXISTS (SELECT 1 FROM retrieval_log WHERE plan = :hash);

-- name: shown_text
-- A thought as it was at some revision, and who said it.
SELECT v.content, s.name FROM namespaces n
JOIN thoughts t ON t.ns = n.ns AND t.thought_id = :thought_id
JOIN versions v ON v.tid = t.tid AND v.revision = :revision
LEFT JOIN speakers s ON s.speaker = t.speaker AND t.speaker > 0
WHERE n.name = :namespace;

-- name: note_access
-- A thought was shown so many times more.
UPDATE thoughts SET access_count = access_count + :times, last_accessed_at = max(ifnull(last_accessed_at, :last), :last)
WHERE ns = (SELECT ns FROM namespaces WHERE name = :namespace) AND thought_id = :thought_id;
