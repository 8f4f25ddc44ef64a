"""Pictures in docs/, drawn from real data."""
