"""Queries from profiles: written, checked by code, reviewed by people."""
