"""How does a whole store travel? As lines of JSON that another store takes in, or as tables for analysts."""
