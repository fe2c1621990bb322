"""Accusations of a report weighed together: how likely each is right, by what stands beside it."""
