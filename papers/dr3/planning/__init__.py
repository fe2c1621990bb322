"""Cases drawn from a shop's records: who asks, about what, and everything that must be known."""
