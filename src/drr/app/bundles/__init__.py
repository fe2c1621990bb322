"""Bundles: a study packed into one file, whose figures a verifier computes again and searches for contradictions."""
