"""Citations, claims, faithfulness, quality, pairwise, rule checks, agreement, statistics."""

if __name__ != "drr.eval":
    raise ImportError(
        "this folder is the package drr.eval; a second copy of it would be another shop: import drr.eval"
    )
