"""Where do candidates come from? One file per leg; a leg ranks passages of one namespace."""
