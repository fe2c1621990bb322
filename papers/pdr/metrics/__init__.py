"""Metrics of reports for persons, and what settings and memories gain."""
