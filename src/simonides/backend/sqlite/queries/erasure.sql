-- What has to go when thoughts are erased. A table that holds anything of a thought has a `forget_…` section, one that
-- holds anything of a namespace a `purge_…` section; a test compares them with the schema. They run in this order.
-- forget: :ns, :seq, :tids and :ids (JSON arrays of row ids and public ids). purge: :ns, when no thought is left.
-- What would have to read a whole table for every batch has a `trace_…` section instead: it runs at the end, over rows
-- :after < row id <= :upto, and finds what was erased in the journal.

-- name: forget_dead_passages
-- So that caches and segments hear of it.
INSERT OR IGNORE INTO dead_passages (seq, ns, pid)
SELECT :seq, ns, pid FROM passages WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_catalogues
-- Hashes of names and texts; whoever opens the store next reads the rows.
DELETE FROM catalogues WHERE ns = :ns;

-- name: forget_kept_trees
-- Centroids may be vectors of theirs.
DELETE FROM kept_trees WHERE ns = :ns;

-- name: forget_fulltext
-- The words; their bytes go with `optimise_fulltext`.
DELETE FROM fulltext WHERE rowid IN (SELECT pid FROM passages WHERE tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_lexicon_tail
-- Postings in no segment; those in segments go with the upkeep of the postings index.
DELETE FROM lexicon_tail WHERE pid IN (SELECT pid FROM passages WHERE tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_lexicon_epoch
-- Readers must not keep the tail they know.
UPDATE namespaces SET epoch = epoch + 1 WHERE ns = :ns;

-- name: forget_vectors
-- The vectors in use.
DELETE FROM vectors WHERE pid IN (SELECT pid FROM passages WHERE tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_vectors_next
-- The vectors of a model to come.
DELETE FROM vectors_next WHERE pid IN (SELECT pid FROM passages WHERE tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_passages
-- Passages with their tokens.
DELETE FROM passages WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_user_topics
-- Topics without a title that nothing else is filed under, or below.
DELETE FROM user_topics WHERE ns = :ns AND title IS NULL
  AND key IN (SELECT label FROM labels WHERE kind = 'topic' AND tid IN (SELECT value FROM json_each(:tids)))
  AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.ns = :ns AND l.kind = 'topic'
                  AND (l.label = user_topics.key OR (l.label > user_topics.key || '/' AND l.label < user_topics.key || '0'))
                  AND l.tid NOT IN (SELECT value FROM json_each(:tids)));

-- name: forget_jobs
-- What went wrong may quote a text; the error's code stays.
UPDATE jobs SET last_error = substr(last_error, 1, instr(last_error, ':') - 1)
WHERE instr(last_error, ':') AND namespace IN ('', (SELECT name FROM namespaces WHERE ns = :ns));

-- name: forget_labels
-- Concepts and topics of the thoughts.
DELETE FROM labels WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_edges
-- Edges, from both ends.
DELETE FROM edges WHERE eid IN (
  SELECT eid FROM edges WHERE from_tid IN (SELECT value FROM json_each(:tids))
  UNION SELECT eid FROM edges WHERE to_tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_passage_history
-- Vectors of earlier texts.
DELETE FROM passage_history WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_label_history
-- Earlier concepts and topics.
DELETE FROM label_history WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_edge_history
-- Earlier edges, from both ends.
DELETE FROM edge_history WHERE (ns, edge_id, until) IN (
  SELECT ns, edge_id, until FROM edge_history WHERE from_tid IN (SELECT value FROM json_each(:tids))
  UNION SELECT ns, edge_id, until FROM edge_history WHERE to_tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_conflicts
-- What they disagreed with; it holds words of their texts.
DELETE FROM conflicts WHERE cid IN (
  SELECT cid FROM conflicts WHERE older_tid IN (SELECT value FROM json_each(:tids))
  UNION SELECT cid FROM conflicts WHERE newer_tid IN (SELECT value FROM json_each(:tids)));

-- name: forget_versions
-- Every revision of the text, with the salts of its digests.
DELETE FROM versions WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: forget_sessions
-- Names of sessions that nothing else belongs to.
DELETE FROM sessions
WHERE session IN (SELECT t.session FROM thoughts t WHERE t.tid IN (SELECT value FROM json_each(:tids)))
  AND NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.session = sessions.session AND t.session > 0
                  AND t.tid NOT IN (SELECT value FROM json_each(:tids)));

-- name: forget_speakers
-- Names of speakers who said nothing else.
DELETE FROM speakers
WHERE speaker IN (SELECT t.speaker FROM thoughts t WHERE t.tid IN (SELECT value FROM json_each(:tids)))
  AND NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.speaker = speakers.speaker AND t.speaker > 0
                  AND t.tid NOT IN (SELECT value FROM json_each(:tids)));

-- name: forget_thoughts
-- The thoughts themselves.
DELETE FROM thoughts WHERE tid IN (SELECT value FROM json_each(:tids));

-- name: purge_topic_trees
-- The map of a namespace that is gone.
DELETE FROM topic_trees WHERE ns = :ns;

-- name: purge_topics
-- Its topics with their labels.
DELETE FROM topics WHERE ns = :ns;

-- name: purge_topic_leaves
-- Its vectors, coded.
DELETE FROM topic_leaves WHERE ns = :ns;

-- name: purge_topic_work
-- A rebalance that had begun.
DELETE FROM topic_work WHERE ns = :ns;

-- name: purge_meta
-- A tree of a model to come, and a consolidation that had begun.
DELETE FROM meta WHERE key IN ('tree_next:' || :ns, 'consolidation:' || :ns);

-- name: purge_retrieval_log
-- Questions that asked the namespace, alone or among others.
DELETE FROM retrieval_log WHERE EXISTS (
  SELECT 1 FROM json_each(retrieval_log.namespaces) j JOIN namespaces n ON n.name = j.value WHERE n.ns = :ns);

-- name: purge_retrieval_plans
-- Plans hold filters; those of no question that is left go.
DELETE FROM retrieval_plans WHERE NOT EXISTS (SELECT 1 FROM retrieval_log l WHERE l.plan = retrieval_plans.hash);

-- name: purge_jobs
-- Work for nobody.
DELETE FROM jobs WHERE namespace = (SELECT name FROM namespaces WHERE ns = :ns);

-- name: purge_conflicts
-- None is left once its thoughts are gone.
DELETE FROM conflicts WHERE ns = :ns;

-- name: purge_conflict_scans
-- How far memories were compared.
DELETE FROM conflict_scans WHERE ns = :ns;

-- name: purge_concept_aliases
-- Names that the owner gave.
DELETE FROM concept_aliases WHERE ns = :ns;

-- name: purge_user_topics
-- Topics that the owner made.
DELETE FROM user_topics WHERE ns = :ns;

-- name: purge_sessions
-- Sessions without a turn.
DELETE FROM sessions WHERE ns = :ns;

-- name: purge_speakers
-- Speakers without a turn.
DELETE FROM speakers WHERE ns = :ns;

-- name: purge_lexicon_blocks
-- The postings.
DELETE FROM lexicon_blocks WHERE segment IN (SELECT segment FROM lexicon_segments WHERE ns = :ns);

-- name: purge_lexicon_segments
-- The heads of their segments.
DELETE FROM lexicon_segments WHERE ns = :ns;

-- name: purge_lexicon_tail
-- Postings in no segment.
DELETE FROM lexicon_tail WHERE ns = :ns;

-- name: purge_catalogues
-- What was kept of its columns.
DELETE FROM catalogues WHERE ns = :ns;

-- name: purge_kept_trees
-- And of its topic tree.
DELETE FROM kept_trees WHERE ns = :ns;

-- name: purge_dead_passages
-- Nobody asks for this namespace again.
DELETE FROM dead_passages WHERE ns = :ns;

-- name: purge_namespaces
-- The owner's name; the number stays, for the journal's sake, under a name that nobody can ask for.
UPDATE namespaces SET name = char(127) || 'purged:' || ns WHERE ns = :ns;

-- name: trace_retrieval_log
-- Questions that showed, or left out, a thought that was erased later.
DELETE FROM retrieval_log WHERE lid > :after AND lid <= :upto AND EXISTS (
  SELECT 1 FROM json_tree('[' || retrieval_log.sources || ',' || retrieval_log.query_profile || ']') s
  JOIN journal e INDEXED BY journal_erased ON e.subject_id = s.atom AND e.kind = 'thought.erased'
  JOIN namespaces n ON n.ns = e.ns
  WHERE s.type = 'text' AND e.at >= retrieval_log.at
    AND n.name IN (SELECT value FROM json_each(retrieval_log.namespaces)));

-- name: trace_retrieval_log_end
-- The last question so far.
SELECT ifnull(max(lid), 0) FROM retrieval_log;

-- name: sweep_retrieval_plans
-- Plans hold filters; those of no question that is left go.
DELETE FROM retrieval_plans WHERE NOT EXISTS (SELECT 1 FROM retrieval_log l WHERE l.plan = retrieval_plans.hash);

-- name: stale_trees
-- Topic trees built before something of theirs was erased: labels and codes may still show it.
SELECT t.ns FROM topic_trees t WHERE t.version > 0 AND EXISTS (
  SELECT 1 FROM journal e WHERE e.ns = t.ns AND e.kind = 'thought.erased' AND (e.seq > t.seq OR e.at >= t.built_at));

-- name: texts_of
-- What some thoughts ever said.
SELECT content FROM versions WHERE tid IN (SELECT value FROM json_each(?));

-- name: erased_since
-- Whether anything of a namespace was erased after a seq.
SELECT EXISTS (SELECT 1 FROM journal WHERE ns = ? AND seq > ? AND kind = 'thought.erased');

-- name: ids_of
-- Row ids of public ids, ended thoughts included.
SELECT tid FROM thoughts WHERE ns = ? AND thought_id IN (SELECT value FROM json_each(?)) ORDER BY tid;

-- name: all_of
-- Row ids of a namespace, in batches.
SELECT tid FROM thoughts WHERE ns = ? ORDER BY tid LIMIT ?;

-- name: newest_tid
-- The last thought so far.
SELECT ifnull(max(tid), 0) FROM thoughts;

-- name: thought_names
-- Public ids of some thoughts.
SELECT tid, thought_id FROM thoughts WHERE tid IN (SELECT value FROM json_each(?)) ORDER BY tid;

-- name: reflections_quoting
-- Reflections of a namespace that were made from some thoughts, by edge or by the ids in their text.
SELECT e.from_tid FROM edges e JOIN versions v INDEXED BY versions_reflections ON v.ns = ?1 AND v.tid = e.from_tid
WHERE e.to_tid IN (SELECT value FROM json_each(?2)) AND e.edge_type = 'CONSOLIDATED_FROM' AND v.thought_type = 5
UNION
SELECT v.tid FROM versions v INDEXED BY versions_reflections, json_tree(CASE WHEN json_valid(v.content) THEN v.content END) j
WHERE v.ns = ?1 AND v.thought_type = 5 AND j.atom IN (SELECT value FROM json_each(?3));

-- name: touching_edges
-- Public ids of the edges that touch some thoughts.
SELECT edge_id FROM edges WHERE from_tid IN (SELECT value FROM json_each(?1))
UNION SELECT edge_id FROM edges WHERE to_tid IN (SELECT value FROM json_each(?1));

-- name: extent
-- Versions and passages of some thoughts.
SELECT (SELECT count(*) FROM versions WHERE tid IN (SELECT value FROM json_each(?1))),
       (SELECT count(*) FROM passages WHERE tid IN (SELECT value FROM json_each(?1)));

-- name: sweep_sessions
-- Names of sessions that nothing belongs to any more.
DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.session = sessions.session AND t.session > 0);

-- name: sweep_speakers
-- Names of speakers who said nothing that is left.
DELETE FROM speakers WHERE NOT EXISTS (SELECT 1 FROM thoughts t WHERE t.speaker = speakers.speaker AND t.speaker > 0);

-- name: optimise_fulltext
-- One segment without the words of what was deleted.
INSERT INTO fulltext (fulltext) VALUES ('optimize');
