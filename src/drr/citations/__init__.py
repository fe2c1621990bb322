"""Parses citations and addresses in a report, and repairs them. Agents and judges use the package, which imports no other package of `drr`."""
