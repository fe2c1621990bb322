"""Metrics of reports on tasks with files."""
