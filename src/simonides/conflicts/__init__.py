"""Do two memories disagree? Texts in, differing slots out; no language model, no store."""
