"""The paper's printed figures, to stand beside ours on request. Another setting: other models, queries, shop and web."""

from __future__ import annotations

from collections.abc import Mapping

NOTE = "the paper's printed figure (arXiv text, Tables 1, 2, 5): another setting, not comparable"
_ORDER = ("plan-to-function", "plan-to-function+ws", "react", "react+ws", "hybrid-react", "hybrid-react+ws")
_COLUMNS: Mapping[str, tuple[float, ...]] = {
    "fp": (0.69, 0.74, 0.68, 0.74, 0.73, 0.69),
    "fp_web": (0.49, 0.58, 0.43, 0.63, 0.60, 0.61),
    "fp_product": (0.84, 0.87, 0.88, 0.84, 0.85, 0.76),
    "fr": (0.98, 0.97, 0.97, 0.97, 0.99, 0.94),
    "n_cited": (15.64, 17.98, 15.22, 17.46, 18.18, 18.92),
    "n_cited_web": (3.76, 6.26, 4.20, 6.20, 5.42, 7.78),
    "n_cited_product": (11.88, 11.72, 11.02, 11.26, 12.76, 11.14),
    "clarity": (5.28, 5.10, 5.26, 5.32, 5.54, 5.48),
    "depth": (6.98, 7.22, 7.18, 7.60, 7.64, 7.72),
    "breadth": (5.62, 6.20, 5.74, 6.30, 6.34, 6.70),
    "insightfulness": (5.76, 5.98, 5.84, 6.30, 6.32, 6.68),
    "constraint_following": (7.40, 7.26, 7.22, 7.60, 7.34, 7.46),
    "personalization": (6.62, 6.58, 7.04, 6.86, 6.46, 6.56),
    "overall": (8.38, 8.42, 8.60, 8.78, 8.78, 8.68),
    "input_tokens": (34_200, 68_100, 198_900, 227_700, 461_900, 591_900),
    "output_tokens": (2_300, 6_600, 2_900, 7_200, 15_800, 24_400),
    "words": (675, 738, 726, 780, 812, 848),
    "tool_calls": (6.0, 6.0, 8.8, 7.9, 15.9, 15.5),
}


def printed(variant: str, metric: str) -> float | None:
    """What the paper prints for this variant, if it does."""
    if variant not in _ORDER or metric not in _COLUMNS:
        return None
    return _COLUMNS[metric][_ORDER.index(variant)]
