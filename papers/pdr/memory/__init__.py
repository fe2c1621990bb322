"""The things that an assistant keeps of a person. It is shown what it could gather, and asked what of it a task needs, within a budget."""
