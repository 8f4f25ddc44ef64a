-- name: spaces
-- Every namespace by number, purged ones too: the journal speaks of numbers.
SELECT ns, name, created_at, seq FROM namespaces ORDER BY ns;

-- name: thoughts_page
-- The identities of thoughts, ended ones too, in the order in which they came.
SELECT t.tid, t.ns, t.thought_id, t.created_at, t.created_cycle, e.name, t.position, s.name, t.dedup, t.access_count,
       t.confirmation_count, t.last_accessed_at
FROM thoughts t LEFT JOIN sessions e ON e.session = t.session LEFT JOIN speakers s ON s.speaker = t.speaker
WHERE t.tid > ? ORDER BY t.tid LIMIT ?;

-- name: versions_of
-- Every revision of some thoughts.
SELECT tid, revision, seq, recorded_from, recorded_to, salt, thought_type, content_type, content, essence, priority,
       lifecycle_status, retired, updated_at, updated_cycle, occurred_at, expires_at, valid_from, valid_until, source,
       source_type, confidence, visibility, pinned, metadata, provenance, content_hash
FROM versions WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, revision, vid;

-- name: labels_of
-- Concepts and topics of some thoughts.
SELECT tid, kind, label FROM labels WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, kind, label;

-- name: passages_of
-- Passages of some thoughts with the vectors that are there.
SELECT p.tid, p.part, p.start, p.stop, p.embedding, v.vector FROM passages p LEFT JOIN vectors v ON v.pid = p.pid
WHERE p.tid IN (SELECT value FROM json_each(?)) ORDER BY p.tid, p.part;

-- name: past_passages_of
-- Passages of some thoughts that have ended.
SELECT tid, until, part, start, stop, vector FROM passage_history
WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, until, part;

-- name: past_labels_of
-- Labels of some thoughts as they were until a change.
SELECT tid, until, kind, label FROM label_history
WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, until, kind, label;

-- name: past_edges_page
-- Edges as they were until a change.
SELECT h.until, h.ns, h.edge_id, f.thought_id, g.thought_id, h.edge_type, h.weight, h.created_at, h.valid_from,
       h.valid_until, h.source, h.metadata
FROM edge_history h JOIN thoughts f ON f.tid = h.from_tid JOIN thoughts g ON g.tid = h.to_tid
WHERE (h.ns, h.edge_id, h.until) > (?, ?, ?) ORDER BY h.ns, h.edge_id, h.until LIMIT ?;

-- name: add_past_passage
-- A passage that has ended.
INSERT OR IGNORE INTO passage_history (tid, until, part, start, stop, vector) VALUES (?, ?, ?, ?, ?, ?);

-- name: add_past_label
-- A label, or none, until a change.
INSERT OR IGNORE INTO label_history (tid, ns, until, kind, label) VALUES (?, ?, ?, ?, ?);

-- name: add_past_edge
-- An edge until a change.
INSERT OR IGNORE INTO edge_history (until, ns, edge_id, from_tid, to_tid, edge_type, weight, created_at, valid_from,
  valid_until, source, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: sessions
-- Sessions with their last turn.
SELECT e.ns, e.name, e.turns, t.thought_id FROM sessions e LEFT JOIN thoughts t ON t.tid = e.last_tid
ORDER BY e.ns, e.name;

-- name: aliases
-- Other names of concepts.
SELECT ns, alias, concept FROM concept_aliases ORDER BY ns, alias;

-- name: user_topics
-- Topics that people made.
SELECT ns, key, title, created_at FROM user_topics ORDER BY ns, key;

-- name: edges_page
-- Edges in the order in which they came.
SELECT e.eid, e.ns, e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from,
       e.valid_until, e.source, e.metadata
FROM edges e JOIN thoughts f ON f.tid = e.from_tid JOIN thoughts g ON g.tid = e.to_tid
WHERE e.eid > ? ORDER BY e.eid LIMIT ?;

-- name: conflicts_page
-- Conflicts in the order in which they came.
SELECT c.cid, c.ns, c.conflict_id, f.thought_id, g.thought_id, c.kind, c.status, c.confidence, c.evidence, c.texts,
       c.proposed_at, c.decided_at, c.decided_by, c.reason
FROM conflicts c JOIN thoughts f ON f.tid = c.older_tid JOIN thoughts g ON g.tid = c.newer_tid
WHERE c.cid > ? ORDER BY c.cid LIMIT ?;

-- name: left_out
-- What an export never holds.
SELECT (SELECT count(*) FROM retrieval_log), (SELECT count(*) FROM jobs), (SELECT count(*) FROM vectors_next),
       (SELECT count(*) FROM topic_trees WHERE version > 0);

-- name: edge_known
-- Whether an edge is there, by its id or by its ends and type.
SELECT EXISTS (SELECT 1 FROM edges WHERE ns = ?1 AND edge_id = ?2)
  OR EXISTS (SELECT 1 FROM edges WHERE from_tid = ?3 AND to_tid = ?4 AND edge_type = ?5);

-- name: add_space
-- A namespace under the number that the journal knows it by.
INSERT INTO namespaces (ns, name, created_at) VALUES (?, ?, ?);

-- name: add_journal
-- A link of the chain, as it was.
INSERT INTO journal (seq, at, ns, actor, reason, kind, subject_id, revision, digest, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_counts
-- How often a thought was used.
UPDATE thoughts SET access_count = ?, confirmation_count = ?, last_accessed_at = ? WHERE tid = ?;

-- name: add_version
-- A revision with its own times.
INSERT INTO versions (tid, ns, revision, seq, recorded_from, recorded_to, salt, thought_type, content_type, content,
  essence, priority, lifecycle_status, retired, updated_at, updated_cycle, occurred_at, expires_at, valid_from,
  valid_until, source, source_type, confidence, visibility, pinned, metadata, provenance, content_hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: set_session
-- How far a session is; it never goes back.
UPDATE sessions SET turns = max(turns, :turns),
  last_tid = ifnull((SELECT tid FROM thoughts WHERE ns = :ns AND thought_id = :last), last_tid)
WHERE ns = :ns AND name = :name;

-- name: finish
-- Readers may see it now: every namespace is at its last change.
UPDATE namespaces SET seq = max(seq, ifnull((SELECT max(seq) FROM journal j WHERE j.ns = namespaces.ns), 0));

-- name: drop_meta
-- A fact about the store that is no longer one.
DELETE FROM meta WHERE key = ?;

-- name: table_thoughts
-- The view for analysts, some namespaces.
SELECT * FROM v_thoughts WHERE namespace IN (SELECT value FROM json_each(?));

-- name: table_edges
-- The view for analysts, some namespaces.
SELECT * FROM v_edges WHERE namespace IN (SELECT value FROM json_each(?));

-- name: table_retrieval_log
-- The view for analysts: questions that asked these namespaces and no other.
SELECT * FROM v_retrieval_log
WHERE NOT EXISTS (SELECT 1 FROM json_each(namespaces) j WHERE j.value NOT IN (SELECT value FROM json_each(?)));
