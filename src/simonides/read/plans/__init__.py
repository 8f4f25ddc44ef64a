"""How does each ranked verb fill in its plan? One file per verb, what they share in `settle`."""
