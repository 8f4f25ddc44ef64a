-- name: closed
-- Ended versions that were current at an instant.
SELECT v.vid, v.seq, v.tid, t.thought_id, v.content_hash, t.session, t.position, t.speaker, v.thought_type,
       v.lifecycle_status, v.retired, v.priority, v.updated_at, v.updated_cycle, t.created_at, v.occurred_at,
       v.expires_at, v.valid_from, v.valid_until, v.content, v.essence, s.name
FROM versions v
JOIN thoughts t ON t.tid = v.tid
LEFT JOIN speakers s ON s.speaker = t.speaker AND t.speaker > 0
WHERE v.ns = :ns AND v.recorded_from <= :at AND v.recorded_to > :at
ORDER BY v.tid LIMIT :limit;

-- name: later
-- Thoughts whose current version began after an instant.
SELECT tid FROM versions WHERE ns = ? AND recorded_from > ? AND recorded_to IS NULL;

-- name: passages_until
-- Earlier passages of some thoughts with their vectors, and the change that ended them.
SELECT tid, until, part, start, stop, vector FROM passage_history
WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid, until, part;

-- name: passages_now
-- What ranking needs to know of the current passages of some thoughts, and the essence that goes with them.
SELECT p.pid, p.tid, p.words, p.essence_words, p.asks, v.content_hash, v.essence
FROM passages p JOIN versions v ON v.tid = p.tid AND v.recorded_to IS NULL
WHERE p.tid IN (SELECT value FROM json_each(?)) ORDER BY p.pid;

-- name: keep_passages
-- The passages of a thought before a change takes them away.
INSERT INTO passage_history (tid, until, part, start, stop, vector)
SELECT p.tid, :seq, p.part, p.start, p.stop, v.vector FROM passages p LEFT JOIN vectors v ON v.pid = p.pid
WHERE p.tid = :tid;

-- name: keep_labels
-- The labels of a thought before a change; of changes at one instant the first keeps them.
INSERT INTO label_history (tid, until, ns, kind, label)
SELECT :tid, :at, :ns, ifnull(l.kind, ''), ifnull(l.label, '') FROM (SELECT 1) LEFT JOIN labels l ON l.tid = :tid
WHERE NOT EXISTS (SELECT 1 FROM label_history h WHERE h.tid = :tid AND h.until = :at);

-- name: keep_edge
-- An edge before a change.
INSERT OR IGNORE INTO edge_history (ns, edge_id, until, from_tid, to_tid, edge_type, weight, created_at, valid_from,
  valid_until, source, metadata)
SELECT ns, edge_id, :at, from_tid, to_tid, edge_type, weight, created_at, valid_from, valid_until, source, metadata
FROM edges WHERE from_tid = :start AND to_tid = :end AND edge_type = :type;

-- name: keep_edges
-- The edges that touch a thought, before they go with it.
INSERT OR IGNORE INTO edge_history (ns, edge_id, until, from_tid, to_tid, edge_type, weight, created_at, valid_from,
  valid_until, source, metadata)
SELECT ns, edge_id, :at, from_tid, to_tid, edge_type, weight, created_at, valid_from, valid_until, source, metadata
FROM edges WHERE from_tid = :tid OR to_tid = :tid;

-- name: drop_past_vectors
-- Vectors of a model that is no longer the store's.
UPDATE passage_history SET vector = NULL WHERE vector IS NOT NULL;

-- name: tids_then
-- The row ids of some public ids that were current at an instant.
SELECT t.thought_id, t.tid FROM thoughts t
WHERE t.ns = :ns AND t.thought_id IN (SELECT value FROM json_each(:ids)) AND EXISTS (
  SELECT 1 FROM versions v
  WHERE v.tid = t.tid AND v.recorded_from <= :at AND (v.recorded_to IS NULL OR v.recorded_to > :at));

-- name: speakers_then
-- Who had spoken by an instant.
SELECT s.speaker, s.name FROM speakers s WHERE s.ns = :ns AND EXISTS (
  SELECT 1 FROM thoughts t JOIN versions v ON v.tid = t.tid
  WHERE t.speaker = s.speaker AND t.speaker > 0 AND v.recorded_from <= :at);

-- name: newest_cycle_then
-- The largest cycle among the thoughts of an instant.
SELECT max(updated_cycle) FROM versions
WHERE ns = :ns AND recorded_from <= :at AND (recorded_to IS NULL OR recorded_to > :at);

-- name: labels_then
-- Concepts and topics of some thoughts at an instant: what was true until the next change, or is still.
SELECT l.tid, l.kind, l.label FROM labels l
WHERE l.tid IN (SELECT value FROM json_each(:tids))
  AND NOT EXISTS (SELECT 1 FROM label_history h WHERE h.tid = l.tid AND h.until > :at)
UNION ALL
SELECT h.tid, h.kind, h.label FROM label_history h
WHERE h.tid IN (SELECT value FROM json_each(:tids)) AND h.kind <> ''
  AND h.until = (SELECT min(m.until) FROM label_history m WHERE m.tid = h.tid AND m.until > :at)
ORDER BY 1, 2, 3;

-- name: with_labels
-- The same of every thought, as a table for filters.
SELECT l.tid, l.ns, l.kind, l.label FROM labels l
WHERE NOT EXISTS (SELECT 1 FROM label_history h WHERE h.tid = l.tid AND h.until > :at)
UNION ALL
SELECT h.tid, h.ns, h.kind, h.label FROM label_history h
WHERE h.kind <> '' AND h.until = (SELECT min(m.until) FROM label_history m WHERE m.tid = h.tid AND m.until > :at);

-- name: with_edges
-- The edges of an instant, as a table.
SELECT e.ns, e.edge_id, e.from_tid, e.to_tid, e.edge_type, e.weight, e.created_at, e.valid_from, e.valid_until,
       e.source, e.metadata
FROM edges e
WHERE e.created_at <= :at
  AND NOT EXISTS (SELECT 1 FROM edge_history h WHERE h.ns = e.ns AND h.edge_id = e.edge_id AND h.until > :at)
UNION ALL
SELECT h.ns, h.edge_id, h.from_tid, h.to_tid, h.edge_type, h.weight, h.created_at, h.valid_from, h.valid_until,
       h.source, h.metadata
FROM edge_history h
WHERE h.created_at <= :at AND h.until = (
  SELECT min(m.until) FROM edge_history m WHERE m.ns = h.ns AND m.edge_id = h.edge_id AND m.until > :at);

-- name: revisions
-- Every revision of a thought, ended thoughts too, with what the journal says of it.
SELECT v.vid, v.seq, v.revision, v.recorded_from, v.recorded_to, j.at, j.actor, j.reason, j.kind
FROM versions v LEFT JOIN journal j ON j.seq = v.seq WHERE v.tid = ? ORDER BY v.revision, v.vid;

-- name: events
-- What happened to a thought beside its revisions.
SELECT seq, at, actor, reason, kind FROM journal
WHERE ns = ? AND subject_id = ? AND revision IS NULL AND kind <> 'edge.written' ORDER BY seq;
