"""Judging tasks: each asks one kind of question and reads its answers."""
