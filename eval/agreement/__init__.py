"""Judges held against judges: people's labels, a study's verdicts, or both."""
