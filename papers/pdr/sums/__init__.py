"""Sums over scores of criteria, reliability and swaps."""
