"""The ReportEval paper (004): grades and repetition of any report, and the alignment of a judge with experts."""

ALIGNMENTS = "align:"
"""Beginning of the names under which a study's ledger keeps alignments."""
