"""Measurements: ratios within one run. Nothing here is imported by the product."""
