"""Stress tests: answers repeated under one change each, the effects of the changes, and a page that shows them."""
