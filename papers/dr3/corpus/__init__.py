"""Frozen pages. They are varied pages of a shop's themes, those that a task needs, those that contradict
them, and the corpora made of them."""
