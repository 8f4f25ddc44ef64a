-- Catalogues that outlive a process.

-- What ranking knows of every passage of a namespace, as it was at a seq: columns of numbers, packed, in parts. Derived:
-- without it, or when it is damaged, the rows are read.
CREATE TABLE catalogues (
  ns INTEGER NOT NULL,
  part INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  columns BLOB NOT NULL,
  PRIMARY KEY (ns, part)
) STRICT, WITHOUT ROWID;
