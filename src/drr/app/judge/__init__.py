"""Judging of reports: choices, run, and figures as text."""
