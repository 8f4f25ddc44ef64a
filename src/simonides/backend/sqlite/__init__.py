"""The SQLite backend: one file, many readers, one writer."""
