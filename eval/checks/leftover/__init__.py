"""The last reader of figures: what nothing in play explains."""
