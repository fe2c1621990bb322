"""The commands `drr papers persons`, `context` and `criteria`."""
