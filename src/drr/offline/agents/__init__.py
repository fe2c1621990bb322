"""Rules that play the agents and the summariser under the `offline` model."""
