"""The six figures and their mean."""
