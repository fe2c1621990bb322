"""The query writer of the `offline` model, which follows rules."""
