"""Memories: what an assistant remembers of a person. A memory observes a context, then recalls what a task needs within a budget."""
