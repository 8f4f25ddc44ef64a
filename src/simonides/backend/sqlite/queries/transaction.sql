-- name: add_namespace
-- A namespace the first time somebody writes to it.
INSERT INTO namespaces (name, created_at) VALUES (?, ?) RETURNING ns;

-- name: touch
-- The last change of a namespace.
UPDATE namespaces SET seq = ? WHERE ns = ?;

-- name: session_find
-- A session by name; its last turn only while that thought is current.
SELECT session, turns, (SELECT v.tid FROM versions v WHERE v.tid = last_tid AND v.recorded_to IS NULL)
FROM sessions WHERE ns = ? AND name = ?;

-- name: session_add
-- A session the first time somebody speaks in it.
INSERT INTO sessions (ns, name) VALUES (?, ?) RETURNING session;

-- name: session_advance
-- The session got another turn.
UPDATE sessions SET turns = turns + 1, last_tid = ?2 WHERE session = ?1;

-- name: speaker_find
-- A speaker by name.
SELECT speaker FROM speakers WHERE ns = ? AND name = ?;

-- name: speaker_add
-- A speaker the first time they speak.
INSERT INTO speakers (ns, name) VALUES (?, ?) RETURNING speaker;

-- name: thought_find
-- A thought's row and its latest revision, deleted ones included.
SELECT t.tid, (SELECT max(revision) FROM versions v WHERE v.tid = t.tid),
       EXISTS (SELECT 1 FROM versions v WHERE v.tid = t.tid AND v.recorded_to IS NULL)
FROM thoughts t WHERE t.ns = ? AND t.thought_id = ?;

-- name: thoughts_unknown
-- Ids that a namespace never had.
SELECT c.value FROM json_each(?) c
WHERE NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.ns = ? AND t.thought_id = c.value);

-- name: thought_by_dedup
-- The thought that holds a text already.
SELECT tid, thought_id FROM thoughts WHERE ns = ? AND dedup = ?;

-- name: thought_add
-- The identity of a new thought.
INSERT INTO thoughts (ns, thought_id, created_at, created_cycle, session, position, speaker, dedup)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING thought_id, tid;

-- name: thought_dedup
-- Which text a thought stands for when duplicates are refused.
UPDATE thoughts SET dedup = ? WHERE tid = ?;

-- name: thought_moves_dedup
-- The same for a thought whose text changed, if it stood for one and no other stands for the new one.
UPDATE thoughts SET dedup = iif(EXISTS (SELECT 1 FROM thoughts o WHERE o.ns = ?1 AND o.dedup = ?2), NULL, ?2)
WHERE tid = ?3 AND dedup IS NOT NULL;

-- name: thought_place
-- Another place in a session, another speaker.
UPDATE thoughts SET session = ?, position = ?, speaker = ? WHERE tid = ?;

-- name: thought_confirmed
-- Somebody remembered the same again.
UPDATE thoughts SET confirmation_count = confirmation_count + 1, last_accessed_at = max(ifnull(last_accessed_at, ?1), ?1)
WHERE tid = ?2;

-- name: version_close
-- The current version ends.
UPDATE versions SET recorded_to = max(?, recorded_from) WHERE tid = ? AND recorded_to IS NULL RETURNING recorded_to;

-- name: version_add
-- A new current version.
INSERT INTO versions (tid, ns, revision, seq, recorded_from, thought_type, content_type, content, essence, priority,
  lifecycle_status, retired, updated_at, updated_cycle, occurred_at, expires_at, valid_from, valid_until, source,
  source_type, confidence, visibility, pinned, metadata, provenance, content_hash, salt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: passage_add
-- A passage with its place and tokens.
INSERT INTO passages (tid, ns, part, start, stop, words, essence_words, asks, tokens, embedding)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING tid, part, pid;

-- name: passage_analysed
-- The same passage, analysed again.
UPDATE passages SET words = ?, essence_words = ?, asks = ?, tokens = ? WHERE pid = ?;

-- name: fulltext_add
-- The analysed text of a passage.
INSERT INTO fulltext (rowid, content, essence, content_more, essence_more) VALUES (?, ?, ?, ?, ?);

-- name: passages_of_thought
-- The passages of a thought.
SELECT pid FROM passages WHERE tid = ?;

-- name: passage_delete
-- A passage ends.
DELETE FROM passages WHERE pid = ?;

-- name: passage_dead
-- So that caches hear of it.
INSERT OR IGNORE INTO dead_passages (seq, ns, pid) VALUES (?, ?, ?);

-- name: fulltext_delete
-- Its text leaves the full-text index.
DELETE FROM fulltext WHERE rowid = ?;

-- name: vector_put
-- A vector of a passage.
INSERT OR REPLACE INTO vectors (pid, ns, seq, vector) VALUES (?, ?, ?, ?);

-- name: vector_of_thought
-- The vector of a thought's first passage.
SELECT vector FROM vectors WHERE pid = (SELECT min(pid) FROM passages WHERE tid = ?);

-- name: vector_delete
-- A vector ends with its passage.
DELETE FROM vectors WHERE pid = ?;

-- name: passage_embedding
-- Whether a passage has its vector.
UPDATE passages SET embedding = ? WHERE pid = ?;

-- name: passage_alive
-- A pending passage that is still there.
SELECT embedding FROM passages WHERE pid = ?;

-- name: label_add
-- A concept or topic of a thought.
INSERT OR IGNORE INTO labels (ns, kind, label, tid) VALUES (?, ?, ?, ?);

-- name: labels_delete
-- All labels of a thought.
DELETE FROM labels WHERE tid = ?;

-- name: alias_put
-- Another name of a concept.
INSERT INTO concept_aliases (ns, alias, concept) VALUES (?, ?, ?)
ON CONFLICT (ns, alias) DO UPDATE SET concept = excluded.concept;

-- name: user_topic_put
-- A topic that somebody made.
INSERT INTO user_topics (ns, key, title, created_at) VALUES (?, ?, ?, ?)
ON CONFLICT (ns, key) DO UPDATE SET title = coalesce(excluded.title, title);

-- name: edge_put
-- An edge, unless one of these ends and this type stands already.
INSERT INTO edges (ns, edge_id, from_tid, to_tid, edge_type, weight, created_at, valid_from, valid_until, source, metadata)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (from_tid, to_tid, edge_type) DO NOTHING RETURNING edge_id;

-- name: edge_change
-- The same ends and type again change an edge.
UPDATE edges SET weight = ?, valid_from = ?, valid_until = ?, source = ?, metadata = ?
WHERE from_tid = ? AND to_tid = ? AND edge_type = ? RETURNING edge_id;

-- name: edge_delete
-- An edge ends.
DELETE FROM edges WHERE eid = ?;

-- name: edges_of_thought
-- The edges that touch a thought, with the ids of their ends.
SELECT e.eid, e.edge_id FROM edges e WHERE e.from_tid = ?1 OR e.to_tid = ?1;

-- name: reflections_of
-- The reflections that were made from a thought.
SELECT DISTINCT e.from_tid FROM edges e WHERE e.to_tid = ? AND e.edge_type = 'CONSOLIDATED_FROM';

-- name: active_sources
-- How many sources a reflection has, and how many are ACTIVE (code 1).
SELECT count(*), coalesce(sum(v.lifecycle_status = 1), 0)
FROM edges e LEFT JOIN versions v ON v.tid = e.to_tid AND v.recorded_to IS NULL
WHERE e.from_tid = ? AND e.edge_type = 'CONSOLIDATED_FROM';

-- name: journal_add
-- One more link of the chain.
INSERT INTO journal (seq, at, ns, actor, reason, kind, subject_id, revision, digest, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: set_meta
-- One fact about the store.
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;
