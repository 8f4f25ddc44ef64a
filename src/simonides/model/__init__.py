"""Which values flow through the engine? Frozen dataclasses, no behaviour beyond reading themselves."""
