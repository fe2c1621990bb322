"""Bundles: a study as one file, its figures made again from the raw answers, and what in it contradicts itself."""
