"""Bundles: a study as one file that anybody can check, with the code that reads a stranger's bundle."""
