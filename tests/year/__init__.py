"""A year in the life of a store: thousands of seeded events, a simple model beside it, every invariant looked at."""
