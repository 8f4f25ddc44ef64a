"""THE READ STORY: plan → one snapshot {legs → pool → signals → fuse → collapse → augment → scope check → budget}."""
