-- name: living
-- Current thoughts that are neither archived nor expired nor reflections without sources.
SELECT count(*) FROM versions v INDEXED BY versions_seq
WHERE v.ns = ?1 AND v.recorded_to IS NULL AND v.lifecycle_status <> 3 AND v.retired = 0
  AND (v.expires_at IS NULL OR v.expires_at > ?2);

-- name: cold
-- Those of them that were neither written nor shown since an instant, with what may protect them.
SELECT t.tid, t.thought_id, v.revision, v.thought_type, v.priority, v.pinned, v.confidence, t.access_count,
       t.confirmation_count, max(v.updated_at, v.recorded_from, ifnull(t.last_accessed_at, 0)),
       EXISTS (SELECT 1 FROM edges e JOIN versions r ON r.tid = e.from_tid AND r.recorded_to IS NULL
               WHERE e.to_tid = t.tid AND e.edge_type = 'CONSOLIDATED_FROM' AND r.lifecycle_status <> 3),
       EXISTS (SELECT 1 FROM edges e JOIN versions d ON d.tid = e.from_tid AND d.recorded_to IS NULL
               WHERE e.to_tid = t.tid AND e.edge_type = 'DEPENDS_ON' AND d.lifecycle_status <> 3),
       EXISTS (SELECT 1 FROM conflicts c WHERE c.older_tid = t.tid AND c.status = 'proposed')
         OR EXISTS (SELECT 1 FROM conflicts c WHERE c.newer_tid = t.tid AND c.status = 'proposed'),
       EXISTS (SELECT 1 FROM edges e WHERE e.to_tid = t.tid AND e.edge_type = 'SUPERSEDES')
FROM versions v INDEXED BY versions_seq JOIN thoughts t ON t.tid = v.tid
WHERE v.ns = ?1 AND v.recorded_to IS NULL AND v.lifecycle_status <> 3 AND v.retired = 0
  AND (v.expires_at IS NULL OR v.expires_at > ?3)
  AND max(v.updated_at, v.recorded_from, ifnull(t.last_accessed_at, 0)) < ?2 AND t.tid > ?4
ORDER BY t.tid LIMIT ?5;

-- name: shelved
-- Thoughts whose last change was an archiving for one reason.
SELECT t.tid, t.thought_id, v.revision, v.recorded_from, v.updated_cycle, v.pinned
FROM versions v INDEXED BY versions_seq JOIN thoughts t ON t.tid = v.tid JOIN journal j ON j.seq = v.seq
WHERE v.ns = ?1 AND v.recorded_to IS NULL AND v.lifecycle_status = 3 AND j.kind = 'thought.archived' AND j.reason = ?2
  AND t.tid > ?3 ORDER BY t.tid LIMIT ?4;

-- name: expired
-- Thoughts whose time was up at an instant, earliest first; those that are archived already on request.
SELECT t.tid, t.thought_id, v.revision, v.expires_at, v.updated_cycle, v.pinned
FROM versions v INDEXED BY versions_seq JOIN thoughts t ON t.tid = v.tid
WHERE v.ns = ?1 AND v.recorded_to IS NULL AND v.expires_at <= ?2 AND (?3 OR v.lifecycle_status <> 3)
ORDER BY v.expires_at, t.tid LIMIT ?4;
