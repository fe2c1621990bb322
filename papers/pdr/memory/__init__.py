"""What an assistant keeps of a person: shown what it could gather, asked what of it a task needs, within a budget."""
