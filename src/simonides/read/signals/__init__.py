"""What else is measured of a candidate? One file per signal; a signal never adds candidates."""
