-- name: catalogue_parts
-- Where the packed columns of a namespace are, and the seq that they are of.
SELECT rowid, seq FROM catalogues WHERE ns = ? ORDER BY part;

-- name: catalogue_seq
-- The seq that the packed columns of a namespace are of; 0 without any.
SELECT ifnull(max(seq), 0) FROM catalogues WHERE ns = ?;

-- name: catalogue_drop
-- What was kept of a namespace's columns.
DELETE FROM catalogues WHERE ns = ?;

-- name: catalogue_keep
-- One part of the packed columns of a namespace.
INSERT INTO catalogues (ns, seq, part, columns) VALUES (?, ?, ?, ?);

-- name: tree_parts
-- Where one state of a topic tree is.
SELECT rowid FROM kept_trees WHERE ns = ? AND version = ? AND epoch = ? ORDER BY part;

-- name: has_tree
-- Whether any state of it is kept.
SELECT EXISTS (SELECT 1 FROM kept_trees WHERE ns = ?);

-- name: tree_drop
-- What was kept of a namespace's topic tree.
DELETE FROM kept_trees WHERE ns = ?;

-- name: tree_keep
-- One part of it.
INSERT INTO kept_trees (ns, version, epoch, part, columns) VALUES (?, ?, ?, ?, ?);
