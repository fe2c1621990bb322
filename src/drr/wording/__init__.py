"""Reads numbers, units, money and tolerances as people write them. The package imports no other package of `drr`."""
