"""THE WRITE STORY: accept → embed (no transaction open) → one transaction {thought, version, indexes, journal}."""
