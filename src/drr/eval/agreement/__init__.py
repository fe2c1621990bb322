"""Measures the agreement of judges: people's labels, a study's verdicts, or both."""
