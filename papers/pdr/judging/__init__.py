"""Criteria of a task and a person, made before any answer is scored, and the scores of reports by them."""
