"""Reads reports and scores from other benchmarks' files, stores them beside the study's own, and writes them again."""
