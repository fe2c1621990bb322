"""Citations and addresses: what a report points to, and how it is set right. Used by agents and judges alike; imports nothing of ours."""

if __name__ != "drr.citations":
    raise ImportError(
        "this folder is the package drr.citations; a second copy of it would be another shop: import drr.citations"
    )
