"""Words for numbers, units, money and tolerance, as people write them. Imports nothing of ours."""

if __name__ != "drr.wording":
    raise ImportError(
        "this folder is the package drr.wording; a second copy of it would be another shop: import drr.wording"
    )
