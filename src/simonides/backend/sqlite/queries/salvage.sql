-- name: namespaces
-- Whose memories there are.
SELECT ns, name FROM namespaces;

-- name: model
-- Whose vectors there are.
SELECT value FROM meta WHERE key = 'model';

-- name: sequence
-- The last row id that was given in a table, as SQLite notes it.
SELECT seq FROM sqlite_sequence WHERE name = ?;

-- name: last_versions
-- The same as the table says.
SELECT max(vid) FROM versions;

-- name: last_edges
-- The same as the table says.
SELECT max(eid) FROM edges;

-- name: owner
-- Whose revision it is.
SELECT tid FROM versions WHERE vid = ?;

-- name: sessions
-- Names of sessions.
SELECT session, name FROM sessions;

-- name: speakers
-- Names of speakers.
SELECT speaker, name FROM speakers;

-- name: head
-- The identity of a thought, with the numbers of its session and speaker.
SELECT tid, ns, thought_id, created_at, created_cycle, session, position, speaker, dedup, access_count,
       confirmation_count, last_accessed_at FROM thoughts WHERE tid = ?;

-- name: version
-- One revision.
SELECT tid, revision, seq, recorded_from, recorded_to, salt, thought_type, content_type, content, essence, priority,
       lifecycle_status, retired, updated_at, updated_cycle, occurred_at, expires_at, valid_from, valid_until, source,
       source_type, confidence, visibility, pinned, metadata, provenance, content_hash
FROM versions WHERE vid = ?;

-- name: labels
-- Concepts and topics of a thought.
SELECT kind, label FROM labels WHERE tid = ?;

-- name: passages
-- Passages of a thought with their vectors.
SELECT p.part, p.start, p.stop, p.embedding, v.vector FROM passages p LEFT JOIN vectors v ON v.pid = p.pid
WHERE p.tid = ? ORDER BY p.part;

-- name: edge
-- One edge with the ids of its ends.
SELECT e.ns, e.edge_id, f.thought_id, g.thought_id, e.edge_type, e.weight, e.created_at, e.valid_from, e.valid_until,
       e.source, e.metadata
FROM edges e JOIN thoughts f ON f.tid = e.from_tid JOIN thoughts g ON g.tid = e.to_tid WHERE e.eid = ?;

-- name: walk_versions
-- Whether the way to every revision is there.
SELECT count(*) FROM versions NOT INDEXED;

-- name: walk_thoughts
-- The same for thoughts.
SELECT count(*) FROM thoughts NOT INDEXED;

-- name: walk_edges
-- The same for edges.
SELECT count(*) FROM edges NOT INDEXED;
