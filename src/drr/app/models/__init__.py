"""Models by name: their settings, their servers, their preflight."""
