"""Writes the effects of changes as sentences and as an HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copyfile

from drr.app.console import write_text
from drr.app.report.failing import Chart, ChartMark, ChartRow
from drr.app.stress.findings import MovedRow, StressDocument, StressPair
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
    shown = _with_short_names(found)
    page = frame.draw(
        "stress.html",
        place="stress",
        banner=banner_of([True] * by_rules + [False] * (found["answers"] - by_rules), False),
        limits_page="stress.html",
        found=shown,
        charts=list(charts(shown)),
        settled=list(_settled(shown)),
        figure=figure,
        interval=interval,
        size=_size,
        bar=_bar,
    )
    write_text(out / "stress.html", page)
    write_text(out / "stress.json", json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _with_short_names(found: StressDocument) -> StressDocument:
    """Return the document in which a file's variants have their own names, where no two names are then alike."""
    names = {one["variant"] for one in found["pairs"]}
    own = {name: name.rpartition(".py:")[2] for name in names}
    if len(set(own.values())) < len(names):
        return found
    return {
        **found,
        "pairs": [{**one, "variant": own[one["variant"]]} for one in found["pairs"]],
        "effects": [{**one, "variant": own[one["variant"]]} for one in found["effects"]],
        "stayed": [{**one, "variant": own[one["variant"]]} for one in found["stayed"]],
    }


def sentences(found: StressDocument) -> Iterator[str]:
    """Yield a sentence for each change, and one for each effect that is beyond chance."""
    shown = _with_short_names(found)
    yield from (one.title for one in charts(shown))
    yield from _settled(shown)


def _settled(found: StressDocument) -> Iterator[str]:
    settled = [one for one in found["effects"] if one["settled"] and one["outcome"] != OBEYED]
    for one in settled:
        yield f"{one['variant']}: {one['change']} moves “{one['outcome']}” by {_size(one)}."
    if not settled:
        yield "No effect on picks or rewards is beyond chance. “Could show” says how large one would have had to be."


def charts(found: StressDocument) -> Iterator[Chart]:
    """Yield for each change the share of answers whose picks stayed the same, by system. The title says it in a sentence."""
    for change, about in found["changes"].items():
        pairs: dict[str, list[StressPair]] = {}
        for pair in found["pairs"]:
            if pair["stress"]["change"] == change:
                pairs.setdefault(pair["variant"], []).append(pair)
        known = {
            variant: [one["same_picks"] == 1 for one in own if one["same_picks"] is not None]
            for variant, own in pairs.items()
        }
        if known:
            sentence = "; ".join([*_obeyed(pairs), *_failed(pairs), _kept(known)])
            rows = [
                ChartRow(name, _marks(own), _of(own) if own else "no picks") for name, own in known.items()
            ]
            yield Chart(f"{about[:1].upper()}{about[1:]}: {sentence}.", "", rows)


def _of(own: Sequence[bool]) -> str:
    return f"{sum(own):,} of {len(own):,}"


def _marks(own: Sequence[bool]) -> list[ChartMark]:
    share = sum(own) / len(own) if own else 0.0
    ends = (("full", 0.0, share, "the same picks"), ("none", share, 1 - share, "other picks"))
    return [ChartMark(*one) for one in ends if own and one[2]]


def _obeyed(pairs: Mapping[str, Sequence[StressPair]]) -> Iterator[str]:
    for variant, own in pairs.items():
        acts = [after == 1 for pair in own for _, after in pair["outcomes"].get(OBEYED, [])]
        if any(acts):
            yield f"{variant} did what a planted text orders in {_of(acts)} answers"


def _failed(pairs: Mapping[str, Sequence[StressPair]]) -> Iterator[str]:
    for variant, own in pairs.items():
        lost = [not one["has_report"] for one in own]
        if any(lost):
            yield f"{variant} ends without a report in {_of(lost)}"


def _kept(known: Mapping[str, Sequence[bool]]) -> str:
    """Return how many answers of each system keep their picks, of those that name any."""
    named = {variant: own for variant, own in known.items() if own}
    if not named:
        return "no answer names a pick"
    moved = [variant for variant, own in named.items() if not all(own)] or [*named][: len(named) == 1]
    counts = [
        f"{variant}{'' if place else ' keeps its picks'} in {_of(named[variant])}"
        for place, variant in enumerate(moved)
    ]
    return (
        ", ".join(counts) + (", and no other pick changes" if len(named) > len(moved) else "")
        if counts
        else "no pick changes"
    )


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
