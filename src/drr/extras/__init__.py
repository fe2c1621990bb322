"""Connections to other software, each in a folder of its own and loaded when it is used."""

ORDER = ("ray", "ucp", "inspect", "otel")
"""Extras that register something, in order; an extra whose folder is missing is left out."""
