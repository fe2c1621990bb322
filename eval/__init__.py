"""Citations, claims, faithfulness, quality, pairwise, rule checks, agreement, statistics."""
