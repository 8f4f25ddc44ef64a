-- Whether a namespace has edges that say something about a hit is asked with every question.

CREATE INDEX edges_meaning ON edges (ns)
  WHERE edge_type IN ('SUPERSEDES', 'CONTRADICTS', 'CONTESTED_BY', 'SUPPORTS');
