-- name: fresh
-- Current, living thoughts whose version is newer than a seq, in its order; reflections and archived ones are left out.
SELECT v.tid, v.seq FROM versions v INDEXED BY versions_seq
WHERE v.ns = ?1 AND v.seq > ?2 AND v.recorded_to IS NULL AND v.thought_type <> 5 AND v.lifecycle_status <> 3
ORDER BY v.seq LIMIT ?3;

-- name: scanned
-- How far the last scan came.
SELECT seq FROM conflict_scans WHERE ns = ?;

-- name: set_scanned
-- How far this one came.
INSERT INTO conflict_scans (ns, seq) VALUES (?, ?) ON CONFLICT (ns) DO UPDATE SET seq = excluded.seq;

-- name: sharing
-- Current thoughts whose metadata say one of some values at a path, newest first.
SELECT json_extract(v.metadata, ?2), v.tid FROM versions v
WHERE v.ns = ?1 AND v.recorded_to IS NULL AND v.metadata <> '{}'
  AND json_extract(v.metadata, ?2) IN (SELECT value FROM json_each(?3))
ORDER BY v.seq DESC;

-- name: get
-- One of them.
SELECT cid, conflict_id, older_tid, newer_tid, kind, status, confidence, evidence, texts, proposed_at, decided_at,
       decided_by, reason FROM conflicts WHERE ns = ? AND conflict_id = ?;

-- name: page
-- In the order in which they were proposed, of one status.
SELECT cid, conflict_id, older_tid, newer_tid, kind, status, confidence, evidence, texts, proposed_at, decided_at,
       decided_by, reason FROM conflicts WHERE ns = ? AND status = ? AND cid > ? ORDER BY cid LIMIT ?;

-- name: touching
-- Those of some thoughts.
SELECT cid, conflict_id, older_tid, newer_tid, kind, status, confidence, evidence, texts, proposed_at, decided_at,
       decided_by, reason FROM conflicts
WHERE cid IN (SELECT cid FROM conflicts WHERE older_tid IN (SELECT value FROM json_each(?1))
              UNION SELECT cid FROM conflicts WHERE newer_tid IN (SELECT value FROM json_each(?1))) ORDER BY cid;

-- name: counts
-- How many there are of each status.
SELECT status, count(*) FROM conflicts WHERE ns = ? GROUP BY status;

-- name: put
-- A proposal.
INSERT INTO conflicts (ns, conflict_id, older_tid, newer_tid, kind, status, confidence, evidence, texts, proposed_at,
  decided_at, decided_by, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: decide
-- What somebody decided.
UPDATE conflicts SET older_tid = ?, newer_tid = ?, kind = ?, status = ?, texts = ?, decided_at = ?, decided_by = ?,
  reason = ? WHERE cid = ?;

-- name: drop
-- A proposal that no longer holds.
DELETE FROM conflicts WHERE cid = ?;
