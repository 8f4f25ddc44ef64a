"""THE READ STORY: plan → one snapshot {legs → pool → signals → fuse → order → collapse → cap → present → budget} → audit."""  # noqa: E501  # the story is one line
