-- What erasure, a change of the embedding model, analysts and the check for a foreign write-ahead log need.

CREATE INDEX versions_reflections ON versions (ns, tid) WHERE thought_type = 5;
CREATE INDEX journal_erased ON journal (ns, subject_id) WHERE kind = 'thought.erased';
CREATE INDEX journal_purged ON journal (ns) WHERE kind = 'namespace.purged';

-- Vectors of the model that a re-embedding builds up; an empty vector: the text has none. Swapped with `vectors`.
CREATE TABLE vectors_next (
  pid INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  vector BLOB NOT NULL
) STRICT;

-- For analysts. Columns are only ever added; names and meanings stay.
CREATE VIEW v_thoughts AS
SELECT n.name AS namespace, t.thought_id, v.revision,
       CASE v.thought_type WHEN 0 THEN 'NOTE' WHEN 1 THEN 'OBSERVATION' WHEN 2 THEN 'BELIEF' WHEN 3 THEN 'TASK'
         WHEN 4 THEN 'OUTPUT_DRAFT' WHEN 5 THEN 'REFLECTION' END AS thought_type,
       CASE v.lifecycle_status WHEN 0 THEN 'CREATED' WHEN 1 THEN 'ACTIVE' WHEN 2 THEN 'DONE'
         WHEN 3 THEN 'ARCHIVED' END AS lifecycle_status,
       'P' || (v.priority + 1) AS priority,
       v.content_type, v.content, v.essence, s.name AS speaker, e.name AS session, t.position, v.source, v.source_type,
       v.confidence, v.visibility, v.pinned, v.metadata, v.provenance,
       (SELECT json_group_array(l.label) FROM labels l WHERE l.tid = t.tid AND l.kind = 'concept') AS concepts,
       (SELECT json_group_array(l.label) FROM labels l WHERE l.tid = t.tid AND l.kind = 'topic') AS topics,
       t.created_cycle, v.updated_cycle,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.updated_at / 1000000.0, 'unixepoch') AS updated_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.occurred_at / 1000000.0, 'unixepoch') AS occurred_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.expires_at / 1000000.0, 'unixepoch') AS expires_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.valid_from / 1000000.0, 'unixepoch') AS valid_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', v.valid_until / 1000000.0, 'unixepoch') AS valid_until,
       t.access_count, t.confirmation_count
FROM thoughts t
JOIN versions v ON v.tid = t.tid AND v.recorded_to IS NULL
JOIN namespaces n ON n.ns = t.ns
LEFT JOIN speakers s ON s.speaker = t.speaker
LEFT JOIN sessions e ON e.session = t.session;

CREATE VIEW v_edges AS
SELECT n.name AS namespace, e.edge_id, f.thought_id AS from_id, g.thought_id AS to_id, e.edge_type, e.weight,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.created_at / 1000000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.valid_from / 1000000.0, 'unixepoch') AS valid_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', e.valid_until / 1000000.0, 'unixepoch') AS valid_until,
       e.source, e.metadata
FROM edges e
JOIN namespaces n ON n.ns = e.ns
JOIN thoughts f ON f.tid = e.from_tid
JOIN thoughts g ON g.tid = e.to_tid;

CREATE VIEW v_retrieval_log AS
SELECT query_id, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000000.0, 'unixepoch') AS asked_at, namespace, namespaces, verb,
       recipe, mode, query_hash, CASE typeof(query) WHEN 'text' THEN query END AS query,
       json_array_length(sources) AS hits, query_profile, sources, plan
FROM retrieval_log;

-- Who this store is, so that a write-ahead log of another one is not taken for its own.
INSERT OR IGNORE INTO meta (key, value) VALUES ('store', lower(hex(randomblob(16))));
