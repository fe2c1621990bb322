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
from drr.eval.stats.intervals import SHARE, VRow, mean
from drr.eval.stats.question import grouped

_Answers = Sequence[tuple[str, bool]]
"""Answers as the id of their question, and whether something holds of them."""


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
        findings=list(_findings(shown)),
        moved=bool(_obeyed(shown["pairs"])) or any(one["settled"] for one in shown["effects"]),
        silent=sorted({one["variant"] for one in shown["pairs"]} - {*_picks(shown["pairs"])}),
        figure=figure,
        size=_size,
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
    }


def sentences(found: StressDocument) -> Iterator[str]:
    """Yield a sentence for each change, then one for each finding."""
    shown = _with_short_names(found)
    yield from (one.title for one in charts(shown))
    yield from (f"{one}." for one in _findings(shown))


def _findings(found: StressDocument) -> Iterator[str]:
    """Yield what was found, worst first: obeyed orders, then effects beyond chance by size; else that there is none."""
    obeyed = sorted(_obeyed(found["pairs"]).items(), key=lambda one: -_share(one[1]))
    for variant, acts in obeyed:
        yield f"{variant} did what a planted text orders in {_of(acts)} answers, 95 % interval {_range(acts) or 'unknown'}"
    settled = [one for one in found["effects"] if one["settled"] and one["outcome"] != OBEYED]
    for effect in sorted(settled, key=lambda one: -abs(one["value"] or 0.0)):
        moved = f"{effect['variant']} is moved by {found['changes'][effect['change']]}"
        yield f"{moved}: “{effect['outcome']}” by {_size(effect)}"
    if not obeyed and not settled:
        yield "No change is shown to move an answer beyond chance"


def charts(found: StressDocument) -> Iterator[Chart]:
    """Yield for each change the share of answers whose picks stayed the same, by system. The title says it in a sentence; a change that moves nothing has no rows."""
    sure = {(one["change"], one["variant"]) for one in found["effects"] if one["settled"]}
    for change, about in found["changes"].items():
        pairs = [one for one in found["pairs"] if one["stress"]["change"] == change]
        picks, orders, failed = _picks(pairs), [*_orders(pairs)], [*_failed(pairs)]
        if pairs:
            sentence = "; ".join([*orders, *failed, _kept(picks)])
            moved = orders or failed or any(_share(own) < 1 for own in picks.values())
            rows = [
                ChartRow(
                    name,
                    _marks(_share(own), "none" if (change, name) in sure else "other"),
                    _of(own) + (f" ({ends})" if (ends := _range(own)) else ""),
                    note="beyond chance" if (change, name) in sure else "",
                )
                for name, own in sorted(picks.items(), key=lambda one: _share(one[1]))
            ]
            yield Chart(f"{about[:1].upper()}{about[1:]}: {sentence}.", "", rows if moved else ())


def _picks(pairs: Sequence[StressPair]) -> Mapping[str, _Answers]:
    """Return whether the picks stayed the same, by system, of answers that name any."""
    known = [one for one in pairs if one["same_picks"] is not None]
    return grouped((one["variant"], (one["query_id"], one["same_picks"] == 1)) for one in known)


def _share(own: _Answers) -> float:
    return sum(holds for _, holds in own) / len(own)


def _of(own: _Answers) -> str:
    return f"{sum(holds for _, holds in own):,} of {len(own):,}"


def _range(own: _Answers) -> str:
    """Return the interval of a share over questions; empty where there is none."""
    v = mean(grouped((asked, float(holds)) for asked, holds in own), ends=SHARE)
    return "" if v.ci_low is None or v.ci_high is None else f"{100 * v.ci_low:.0f} to {100 * v.ci_high:.0f} %"


def _marks(share: float, others: str) -> list[ChartMark]:
    ends = (("full", 0.0, share, "the same picks"), (others, share, 1 - share, "other picks"))
    return [ChartMark(*one) for one in ends if one[2]]


def _obeyed(pairs: Sequence[StressPair]) -> Mapping[str, _Answers]:
    """Return whether an answer did what a planted text orders, by system, of systems that ever did."""
    acts = grouped(
        (pair["variant"], (pair["query_id"], after == 1))
        for pair in pairs
        for _, after in pair["outcomes"].get(OBEYED, [])
    )
    return {variant: own for variant, own in acts.items() if _share(own)}


def _orders(pairs: Sequence[StressPair]) -> Iterator[str]:
    for variant, own in _obeyed(pairs).items():
        yield f"{variant} did what a planted text orders in {_of(own)} answers"


def _failed(pairs: Sequence[StressPair]) -> Iterator[str]:
    lost = grouped((one["variant"], (one["query_id"], not one["has_report"])) for one in pairs)
    for variant, own in lost.items():
        if _share(own):
            yield f"{variant} ends without a report in {_of(own)}"


def _kept(picks: Mapping[str, _Answers]) -> str:
    """Return how many answers of each system keep their picks."""
    moved = [name for name, own in picks.items() if _share(own) < 1] or [*picks][: len(picks) == 1]
    if not moved:
        return "no pick changes" if picks else "no answer names a pick"
    counts = [
        f"{name}{'' if place else ' keeps its picks'} in {_of(picks[name])}"
        for place, name in enumerate(moved)
    ]
    return ", ".join(counts) + (", and no other pick changes" if len(picks) > len(moved) else "")


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
