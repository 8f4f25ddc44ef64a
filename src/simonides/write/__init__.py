"""THE WRITE STORY: accept → embed → one transaction {thought, version, passages, indexes, journal}."""
