"""Builds the requests to a judge, and defines the forms of the answers."""
