"""Persons of a shop: what is known of them and on what basis, contexts, memories, and tasks without a person."""
