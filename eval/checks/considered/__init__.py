"""Amounts and ratings considered once more: whatever speaks for and against each that it is wrong, counted together."""
