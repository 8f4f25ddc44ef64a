-- Topic trees that outlive a process; kept columns are read straight into memory, which needs rows with a number.

DROP TABLE catalogues;

-- What ranking knows of every passage of a namespace, as it was at a seq: columns of numbers, packed, in parts. Derived:
-- without it, or when it is damaged, the rows are read.
CREATE TABLE catalogues (
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  columns BLOB NOT NULL,
  UNIQUE (ns, part)
) STRICT;

-- The topics of a tree and who is in which leaf, at one epoch, packed in the same way. A tree that changes loses it.
CREATE TABLE kept_trees (
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  columns BLOB NOT NULL,
  UNIQUE (ns, part)
) STRICT;
