"""Files that belong to a question: what they hold, read within bounds of time and memory, whatever they are."""
