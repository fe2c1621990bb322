"""Runs units on the machines of a Ray cluster."""
