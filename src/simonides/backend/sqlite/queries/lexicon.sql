-- name: segment_ids
-- Segments of a namespace, oldest first.
SELECT segment FROM lexicon_segments WHERE ns = :ns ORDER BY segment;

-- name: segment_sizes
-- Segments of a namespace with their sizes, oldest first.
SELECT segment, passages FROM lexicon_segments WHERE ns = :ns ORDER BY segment;

-- name: segment
-- The passage ids of one segment.
SELECT pids FROM lexicon_segments WHERE segment = :segment;

-- name: blocks_for
-- Per (place in the list, segment, term) the block of the segment that could hold the term.
SELECT w.key, b.first_term, b.last_term, b.dense, b.terms, b.counts, b.docs, b.frequencies
FROM json_each(?) w
JOIN lexicon_blocks b ON b.block = (
  SELECT m.block FROM lexicon_blocks m WHERE m.segment = w.value ->> 0 AND m.first_term <= w.value ->> 1
  ORDER BY m.first_term DESC LIMIT 1
);

-- name: blocks
-- Every block of a segment, terms ascending.
SELECT first_term, last_term, dense, terms, counts, docs, frequencies FROM lexicon_blocks
WHERE segment = :segment ORDER BY first_term;

-- name: tail
-- Rows of a namespace that are in no segment yet and newer than an id.
SELECT pid, terms, frequencies FROM lexicon_tail WHERE ns = :ns AND pid > :after_pid ORDER BY pid;

-- name: tail_size
-- How many rows of a namespace are in no segment yet.
SELECT count(*) FROM lexicon_tail WHERE ns = :ns;

-- name: dead
-- Passages of a namespace that no longer count.
SELECT pid FROM dead_passages WHERE ns = :ns;

-- name: add_tail
-- Append the postings of one passage.
INSERT INTO lexicon_tail (pid, ns, terms, frequencies) VALUES (?, ?, ?, ?);

-- name: remove_tail
-- Erase the postings of one passage and tell whose they were.
DELETE FROM lexicon_tail WHERE pid = :pid RETURNING ns;

-- name: clear_tail
-- Empty the tail of a namespace up to an id.
DELETE FROM lexicon_tail WHERE ns = :ns AND pid <= :pid;

-- name: add_segment
-- A new segment with its passage ids.
INSERT INTO lexicon_segments (ns, passages, pids) VALUES (:ns, :passages, :pids) RETURNING segment;

-- name: add_block
-- One block of a new segment.
INSERT INTO lexicon_blocks (segment, first_term, last_term, dense, terms, counts, docs, frequencies)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_blocks
-- All blocks of a segment.
DELETE FROM lexicon_blocks WHERE segment = :segment;

-- name: drop_segment
-- A segment's head.
DELETE FROM lexicon_segments WHERE segment = :segment AND ns = :ns;

-- name: bump_epoch
-- Tell readers that the segments or the tail of a namespace are not the ones they know.
UPDATE namespaces SET epoch = epoch + 1 WHERE ns = :ns;
