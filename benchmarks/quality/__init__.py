"""How good is the ranking beside the peer package, and what is each part of it worth? Needs the evaluation sets."""
