"""Queries from profiles: written, checked by code, reviewed by people."""

if __name__ != "drr.querygen":
    raise ImportError(
        "this folder is the package drr.querygen; a second copy of it would be another shop: import drr.querygen"
    )
