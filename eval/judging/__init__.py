"""A judging of a study: planned, run, read."""
