"""Readings that are given every chance: whoever says a verdict, a sum or a gap is accused only where nothing that it could be about bears it out."""
