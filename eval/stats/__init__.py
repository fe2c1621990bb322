"""Sums over verdicts: shares, intervals, agreement, ratings."""
