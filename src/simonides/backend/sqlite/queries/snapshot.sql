-- name: state
-- How far a namespace is.
SELECT ns, seq, epoch FROM namespaces WHERE name = ?;

-- name: opening
-- How far a namespace is, whose vectors the store holds, and the namespace's tree: one row, also when there is nothing.
SELECT n.ns, n.seq, n.epoch, m.value,
       t.ns, t.version, t.epoch, t.seq, t.model, t.dimension, t.beam, t.next_key, t.built, t.built_at
FROM (SELECT 1) LEFT JOIN namespaces n ON n.name = ? LEFT JOIN meta m ON m.key = 'model'
LEFT JOIN topic_trees t ON t.ns = n.ns;

-- name: namespaces
-- All namespaces by name; purged ones have no name that could be asked for.
SELECT ns, name FROM namespaces WHERE name NOT GLOB char(127) || '*' ORDER BY name;

-- name: meta
-- One fact about the store.
SELECT value FROM meta WHERE key = ?;

-- name: speakers
-- The speakers of a namespace.
SELECT speaker, name FROM speakers WHERE ns = ?;

-- name: catalogue_all
-- What ranking needs to know of the live passages of a namespace behind one, a portion of them.
SELECT p.pid, p.tid, t.thought_id, v.content_hash, p.words, p.essence_words, p.asks, t.session, t.position, t.speaker,
       v.thought_type, v.lifecycle_status, v.retired, v.priority, v.updated_at, v.updated_cycle, t.created_at,
       v.occurred_at, v.expires_at, v.valid_from, v.valid_until
FROM passages p
JOIN thoughts t ON t.tid = p.tid
JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.ns = ? AND p.pid > ?
ORDER BY p.pid LIMIT ?;

-- name: catalogue_changed
-- The same for the passages of thoughts that changed after a seq.
SELECT p.pid, p.tid, t.thought_id, v.content_hash, p.words, p.essence_words, p.asks, t.session, t.position, t.speaker,
       v.thought_type, v.lifecycle_status, v.retired, v.priority, v.updated_at, v.updated_cycle, t.created_at,
       v.occurred_at, v.expires_at, v.valid_from, v.valid_until
FROM versions v
JOIN passages p ON p.tid = v.tid
JOIN thoughts t ON t.tid = v.tid
WHERE v.ns = ? AND v.seq > ? AND v.recorded_to IS NULL
ORDER BY p.pid;

-- name: dead_since
-- Passages that were removed after a seq.
SELECT pid FROM dead_passages WHERE ns = ? AND seq > ?;

-- name: vectors_since
-- Vectors that were stored after a seq.
SELECT pid, vector FROM vectors WHERE ns = ? AND seq > ? ORDER BY pid;

-- name: vectors_of
-- The vectors of some passages.
SELECT pid, vector FROM vectors WHERE pid IN (SELECT value FROM json_each(?));

-- name: tokens_of
-- The tokens of some passages.
SELECT pid, tokens FROM passages WHERE pid IN (SELECT value FROM json_each(?));

-- name: passages_of
-- Where some passages lie in their thoughts.
SELECT pid, tid, part, start, stop FROM passages WHERE pid IN (SELECT value FROM json_each(?));

-- name: passage_text
-- The text around a passage and where in it the passage lies.
SELECT v.content, p.start, p.stop FROM passages p JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.pid = ?;

-- name: thought_ids
-- The public ids of some thoughts.
SELECT tid, thought_id FROM thoughts WHERE tid IN (SELECT value FROM json_each(?));

-- name: tids_of
-- The row ids of some public ids, current thoughts only.
SELECT t.thought_id, t.tid FROM thoughts t
WHERE t.ns = ? AND t.thought_id IN (SELECT value FROM json_each(?))
  AND EXISTS (SELECT 1 FROM versions v WHERE v.tid = t.tid AND v.recorded_to IS NULL);

-- name: match
-- The passages that an expert query finds; scoring happens elsewhere.
SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid;

-- name: edges_of
-- The edges that touch a thought, both directions, of one type or of any, strongest first.
SELECT e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from, e.valid_until,
       e.source, e.metadata
FROM edges e JOIN thoughts f ON f.tid = e.from_tid JOIN thoughts g ON g.tid = e.to_tid
WHERE e.ns = ?1 AND (e.from_tid = ?2 OR e.to_tid = ?2) AND (?4 IS NULL OR e.edge_type = ?4)
ORDER BY e.weight DESC, e.edge_id LIMIT ?3;

-- name: edges_all
-- The edges of a namespace, of one type or of any, strongest first.
SELECT e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from, e.valid_until,
       e.source, e.metadata
FROM edges e JOIN thoughts f ON f.tid = e.from_tid JOIN thoughts g ON g.tid = e.to_tid
WHERE e.ns = ?1 AND (?3 IS NULL OR e.edge_type = ?3)
ORDER BY e.weight DESC, e.edge_id LIMIT ?2;

-- name: edge_by_id
-- One edge by its public id.
SELECT e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from, e.valid_until,
       e.source, e.metadata
FROM edges e JOIN thoughts f ON f.tid = e.from_tid JOIN thoughts g ON g.tid = e.to_tid
WHERE e.ns = ?1 AND e.edge_id = ?2;

-- name: edge_find
-- One edge by its ends and type.
SELECT eid, edge_id, weight FROM edges WHERE from_tid = ? AND to_tid = ? AND edge_type = ?;

-- name: neighbours
-- Per candidate its strongest edges in both directions; a self-loop comes once per direction.
SELECT tid, neighbour, weight, edge_id FROM (
  SELECT tid, neighbour, weight, edge_id,
         ROW_NUMBER() OVER (PARTITION BY tid ORDER BY weight DESC, edge_id, direction) AS place
  FROM (
    SELECT e.from_tid AS tid, e.to_tid AS neighbour, e.weight, e.edge_id, 0 AS direction
    FROM json_each(?1) c JOIN edges e ON e.from_tid = c.value
    WHERE ?3 IS NULL OR (ifnull(e.valid_from, ?3) <= ?3 AND ifnull(e.valid_until, ?3 + 1) > ?3)
    UNION ALL
    SELECT e.to_tid, e.from_tid, e.weight, e.edge_id, 1
    FROM json_each(?1) c JOIN edges e ON e.to_tid = c.value
    WHERE ?3 IS NULL OR (ifnull(e.valid_from, ?3) <= ?3 AND ifnull(e.valid_until, ?3 + 1) > ?3)
  )
) WHERE place <= ?2 ORDER BY tid, place;

-- name: outgoing
-- The edges of some types that leave some thoughts, strongest first per thought.
SELECT e.from_tid, e.to_tid, e.weight, e.edge_id, e.edge_type, e.valid_from, e.valid_until
FROM json_each(?1) c JOIN edges e ON e.from_tid = c.value
WHERE e.edge_type IN (SELECT value FROM json_each(?2))
ORDER BY e.from_tid, e.weight DESC, e.edge_id LIMIT ?3;

-- name: incoming
-- The edges of some types that reach some thoughts, strongest first per thought.
SELECT e.to_tid, e.from_tid, e.weight, e.edge_id, e.edge_type, e.valid_from, e.valid_until
FROM json_each(?1) c JOIN edges e ON e.to_tid = c.value
WHERE e.edge_type IN (SELECT value FROM json_each(?2))
ORDER BY e.to_tid, e.weight DESC, e.edge_id LIMIT ?3;

-- name: has_meaning
-- Whether any edge of a namespace supersedes, contradicts or supports: asked of an index that holds only such edges.
SELECT EXISTS (SELECT 1 FROM edges WHERE ns = ?
               AND edge_type IN ('SUPERSEDES', 'CONTRADICTS', 'CONTESTED_BY', 'SUPPORTS'));

-- name: related
-- Edges that reach some thoughts (1) and edges that leave them (0), strongest first per thought.
SELECT * FROM (
  SELECT 1, e.to_tid, e.from_tid, e.weight, e.edge_id, e.edge_type, e.valid_from, e.valid_until
  FROM json_each(?1) c JOIN edges e ON e.to_tid = c.value
  WHERE e.edge_type IN (SELECT value FROM json_each(?2))
  ORDER BY e.to_tid, e.weight DESC, e.edge_id LIMIT ?4
)
UNION ALL
SELECT * FROM (
  SELECT 0, e.from_tid, e.to_tid, e.weight, e.edge_id, e.edge_type, e.valid_from, e.valid_until
  FROM json_each(?1) c JOIN edges e ON e.from_tid = c.value
  WHERE e.edge_type IN (SELECT value FROM json_each(?3))
  ORDER BY e.from_tid, e.weight DESC, e.edge_id LIMIT ?4
);

-- name: labels_of
-- Concepts and topics of some thoughts.
SELECT tid, kind, label FROM labels WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, kind, label;

-- name: label_counts
-- The labels of a kind with the number of current thoughts that carry them, by name.
SELECT l.label, count(*) FROM labels l
WHERE l.ns = ? AND l.kind = ? GROUP BY l.label ORDER BY l.label;

-- name: aliases
-- Other names of concepts.
SELECT alias, concept FROM concept_aliases WHERE ns = ? ORDER BY alias;

-- name: user_topics
-- Topics that people made.
SELECT key, title FROM user_topics WHERE ns = ? ORDER BY key;

-- name: pending
-- Passages that wait for their vector, oldest first.
SELECT p.pid, p.tid, t.thought_id, v.content, p.start, p.stop
FROM passages p JOIN thoughts t ON t.tid = p.tid JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.ns = ? AND p.embedding = 1 AND p.pid > ? ORDER BY p.pid LIMIT ?;

-- name: changes
-- The journal after a seq, one namespace.
SELECT j.seq, j.at, j.ns, n.name, j.actor, j.reason, j.kind, j.subject_id, j.revision, j.digest, j.hash
FROM journal j JOIN namespaces n ON n.ns = j.ns WHERE j.ns = ? AND j.seq > ? ORDER BY j.seq LIMIT ?;

-- name: journal
-- The whole journal after a seq.
SELECT j.seq, j.at, j.ns, ifnull(n.name, ''), j.actor, j.reason, j.kind, j.subject_id, j.revision, j.digest, j.hash
FROM journal j LEFT JOIN namespaces n ON n.ns = j.ns WHERE j.seq > ? ORDER BY j.seq LIMIT ?;

-- name: journal_last
-- The end of the chain.
SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1;

-- name: last_change
-- The seq of the last change that any namespace remembers.
SELECT ifnull(max(seq), 0) FROM namespaces;

-- name: journal_count
-- How many changes a namespace has seen.
SELECT count(*) FROM journal WHERE ns = ?;

-- name: versions_by_seq
-- Every version with the seq that wrote it, for checking digests.
SELECT v.vid, v.seq, v.tid, v.ns, t.thought_id, v.revision, v.thought_type, v.content_type, v.content, v.essence, v.priority,
       v.lifecycle_status, v.retired, v.updated_at, v.updated_cycle, v.occurred_at, v.expires_at, v.valid_from,
       v.valid_until, v.source, v.source_type, v.confidence, v.visibility, v.pinned, v.metadata, v.provenance,
       v.content_hash, v.salt
FROM versions v JOIN thoughts t ON t.tid = v.tid WHERE v.vid > ? ORDER BY v.vid LIMIT ?;

-- name: version_digests
-- The journal digests of the versions in a range of seqs.
SELECT seq, digest FROM journal_kept WHERE seq BETWEEN ?1 AND ?2
UNION ALL SELECT seq, digest FROM journal WHERE seq BETWEEN ?1 AND ?2;

-- name: counts
-- Current thoughts by type and status.
SELECT thought_type, lifecycle_status, count(*) FROM versions
WHERE ns = ? AND recorded_to IS NULL GROUP BY thought_type, lifecycle_status;

-- name: sizes
-- Passages, edges, vectors, pending passages, sessions and speakers of a namespace.
SELECT (SELECT count(*) FROM passages WHERE ns = ?1), (SELECT count(*) FROM edges WHERE ns = ?1),
       (SELECT count(*) FROM vectors WHERE ns = ?1), (SELECT count(*) FROM passages WHERE ns = ?1 AND embedding = 1),
       (SELECT count(*) FROM sessions WHERE ns = ?1), (SELECT count(*) FROM speakers WHERE ns = ?1);

-- name: orphan_passages
-- Passages whose thought has no current version.
SELECT pid FROM passages p WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.tid = p.tid AND v.recorded_to IS NULL)
LIMIT 100;

-- name: missing_passages
-- Current thoughts without a passage.
SELECT t.thought_id FROM versions v JOIN thoughts t ON t.tid = v.tid
WHERE v.recorded_to IS NULL AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.tid = v.tid) LIMIT 100;

-- name: orphan_vectors
-- Vectors whose passage is gone.
SELECT pid FROM vectors WHERE pid NOT IN (SELECT pid FROM passages) LIMIT 100;

-- name: fulltext_count
-- How many rows the full-text index holds, and how many it should.
SELECT (SELECT count(*) FROM fulltext_docsize), (SELECT count(*) FROM passages);

-- name: version_of
-- The current version of a thought.
SELECT revision, thought_type, content_type, content, essence, priority, lifecycle_status, retired, updated_at,
       updated_cycle, occurred_at, expires_at, valid_from, valid_until, source, source_type, confidence, visibility,
       pinned, metadata, provenance, content_hash
FROM versions WHERE tid = ? AND recorded_to IS NULL;

-- name: texts
-- The text of every passage of a namespace.
SELECT p.pid, p.start, p.stop, p.part, v.content, v.essence, s.name FROM passages p
JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
JOIN thoughts t ON t.tid = p.tid LEFT JOIN speakers s ON s.speaker = t.speaker
WHERE p.ns = ? AND p.pid > ? ORDER BY p.pid LIMIT ?;

-- name: newest_cycle
-- The largest cycle among current thoughts.
SELECT max(updated_cycle) FROM versions WHERE ns = ? AND recorded_to IS NULL;
