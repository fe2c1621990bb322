"""Writes the effects of changes as sentences and as an HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

from drr.app.console import write_text
from drr.app.stress.findings import MovedRow, StressDocument
from drr.app.stress.outcomes import OBEYED
from drr.eval.stats.intervals import VRow

_ELASTICITY = 5.0
"""Elasticity that fills a bar to its end."""


def write(found: StressDocument, out: Path) -> None:
    """Write the page `stress.html` and the document `stress.json` into a folder."""
    from drr.app.pages.folders import viewer_of
    from drr.app.pages.frame import Frame, FramePlace, banner_of
    from drr.app.pages.serve import SORTING, STATIC, STYLES

    (out / "static").mkdir(parents=True, exist_ok=True)
    for name in (*STYLES, SORTING):
        copyfile(STATIC / name, out / "static" / name)
    places = [FramePlace("stress", "stress.html", "Changes")]
    if (out / "index.html").is_file():
        places.append(FramePlace("report", "index.html", "Report"))
    if (viewer := viewer_of(out, None)) is not None:
        places.append(FramePlace("viewer", f"{viewer}/index.html", "Answers"))
    frame = Frame(found["study"], False, places, scripts=(SORTING,))
    by_rules = found["rule_written"]
    page = frame.draw(
        "stress.html",
        place="stress",
        banner=banner_of([True] * by_rules + [False] * (found["answers"] - by_rules), False),
        limits_page="stress.html",
        found=found,
        sentences=list(sentences(found)),
        figure=figure,
        interval=interval,
        size=_size,
        bar=_bar,
    )
    write_text(out / "stress.html", page)
    write_text(out / "stress.json", json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def sentences(found: StressDocument) -> Iterator[str]:
    """Yield a sentence for each certain result: planted orders that were obeyed, and effects beyond chance."""
    others = ""
    for variant in dict.fromkeys(row["variant"] for row in found["stayed"]):
        own = [
            row
            for pair in found["pairs"]
            if pair["variant"] == variant
            for row in pair["outcomes"].get(OBEYED, [])
        ]
        if did := sum(after == 1 for _, after in own):
            others = "other "
            yield f"{variant} did what a planted text orders in {did:,} of {len(own):,} answers."
    settled = [one for one in found["effects"] if one["settled"] and one["outcome"] != OBEYED]
    for one in settled:
        yield f"{one['variant']}: {one['change']} moves “{one['outcome']}” by {_size(one)}."
    if not settled:
        yield f"No {others}effect is beyond chance. “Could show” says how large an effect would have had to be."


def _bar(row: MovedRow) -> tuple[float, float, float] | None:
    """Return low end, high end and value of an effect, from -1 to 1. A price shows its elasticity, divided by five."""
    v, scale = (row["relative"], _ELASTICITY) if row["relative"] else (row, 1.0)
    if v["value"] is None or v["ci_low"] is None or v["ci_high"] is None:
        return None
    low, high, value = (min(max(one / scale, -1.0), 1.0) for one in (v["ci_low"], v["ci_high"], v["value"]))
    return low, high, value


def _size(row: MovedRow) -> str:
    """Return the effect with its interval as text; for a price, the elasticity."""
    if row["per_dose"]:
        return "–" if row["relative"] is None else f"elasticity {interval(row['relative'])}"
    return interval(row)


def interval(row: VRow) -> str:
    """Return a value with its interval as text."""
    low, high = row["ci_low"], row["ci_high"]
    ends = "" if low is None or high is None else f" ({figure(low)} to {figure(high)})"
    return figure(row["value"]) + ends


def figure(value: float | None, digits: int = 2) -> str:
    """Return a number as text, with a true minus sign."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
