"""Kinds of judging: what each asks, and how its answer is read."""
