"""Rewards of answers to questions that code can check."""
