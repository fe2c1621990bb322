"""Judging of reports: the choices, the run, its figures as text."""
