"""The answer reckoned from its facts, part by part, and what would make no sense.

One place for the sums: cases are planned by it, quality control reckons again from the facts as they are written, and a distractor
is asked of it whether it turns the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from drr.papers.dr3.truth import TaskFact
from drr.papers.dr3.values import (
    FactValues,
    day_of,
    end_of_cover,
    is_rest,
    long_date,
    months_after,
    number_of,
    sold_from,
)

_WEEK, _MONTH = 7.0, 30.44
_ERROR = 0.04
"""Relative error of a scale or a tape at home; smaller differences do not count."""


@dataclass(frozen=True)
class PartOutcome:
    """The outcome of a part of the answer."""

    text: str
    figure: str
    """The number or date, where the answer is one."""
    verdict: str = ""
    """Empty where only a figure is asked."""
    wrong: str = ""
    """Why it would make no sense to ask."""
    only_verdict: bool = False
    """True where nobody asks for the figure beside it."""

    def overturns(self, other: PartOutcome) -> bool:
        """Tell whether answers resting on the one and on the other have different verdicts. Where there is no
        verdict, compare the figures."""
        return self.verdict != other.verdict if self.verdict else self.figure != other.figure

    def differs(self, other: PartOutcome) -> bool:
        """Tell whether it says something else at all. A date, a sum or a margin that is asked for is another, whatever the verdict."""
        return self.overturns(other) or (not self.only_verdict and self.figure != other.figure)


def _term(values: FactValues) -> PartOutcome:
    name = values.name("warranty term")
    since = name.split()[4].strip(",")
    own, bought, end = values.text("serial number"), values.day("purchase date"), end_of_cover(values)
    start = sold_from(name)
    wrong = ""
    if own[0] != since[0] or int(own[1:5]) < int(since[1:5]):
        wrong = f"serial {own} is not from {since} on"
    if start is not None and bought < start:
        wrong = f"it was bought before {long_date(start)}"
    return PartOutcome(
        f"serial {own} is from {since} on and it was bought on {long_date(bought)}, so {values.text('warranty term')} hold: covered "
        f"until {long_date(end)}, which is {'not yet past' if end >= values.today else 'past'} on {long_date(values.today)}",
        long_date(end),
        "covered" if end >= values.today else "past",
        wrong,
    )


def _claim(values: FactValues) -> PartOutcome:
    last = values.broke + timedelta(days=int(values.number("days to claim")))
    in_time = last >= values.today
    return PartOutcome(
        f"fault of {long_date(values.broke)} plus {values.text('days to claim')}: claim by {long_date(last)}, "
        f"{'still possible' if in_time else 'too late'} on {long_date(values.today)}",
        long_date(last),
        "in time" if in_time else "too late",
        "" if values.covered else "nothing can be claimed, as the cover had ended when the fault showed",
    )


def _part(values: FactValues) -> PartOutcome:
    name = values.name("kit for parts")
    low, high = re.findall(r"(?<!\S)\S+-\d+", name)
    number, kit = values.text("part number"), values.text("kit for parts")
    wrong = "" if low <= number <= high else f"{number} does not lie in {low} to {high}"
    return PartOutcome(
        f"{number} lies in {low} to {high}, so kit {kit} is the one to ask for", kit, "", wrong
    )


def comes_out_even(dollars: float, percent: float) -> bool:
    """Tell whether it comes out even to the cent. Otherwise one who rounds half a cent up and one who rounds
    it down would both be right."""
    return round(100 * dollars) * percent % 100 == 0


def _uneven(values: FactValues, share: str) -> str:
    paid, percent = values.number("price paid"), values.number(share)
    return "" if comes_out_even(paid, percent) else "what it comes to ends in a part of a cent"


def _refund(values: FactValues) -> PartOutcome:
    due = number_of(values.text("price paid")) * values.number("share refunded") / 100
    wrong = _uneven(values, "share refunded")
    wrong = wrong if values.covered else "nothing is refunded, as the cover had ended"
    if values.has("days to claim") and _claim(values).verdict == "too late":
        wrong = "nothing is refunded, as it is too late to claim"
    return PartOutcome(
        f"{values.text('share refunded')} of {values.text('price paid')} before tax: ${due:,.2f}",
        f"${due:,.2f}",
        "",
        wrong,
    )


def _empty_on(values: FactValues) -> date:
    use = values.text("use")
    span = _MONTH if "month" in use else _WEEK
    return values.day("day of opening") + timedelta(
        days=int(values.number("portions in one pack") * span / number_of(use))
    )


def _lasting(values: FactValues) -> PartOutcome:
    opened, out = values.day("day of opening"), _empty_on(values)
    return PartOutcome(
        f"{values.text('portions in one pack')} at {values.text('use')} from the opening on {long_date(opened)}: empty about {long_date(out)}",
        long_date(out),
        "",
        "" if opened < values.today < out else f"it is empty by {long_date(out)}, before it is asked",
    )


def _keeping(values: FactValues) -> PartOutcome:
    gone, out = (
        months_after(values.day("day of opening"), int(values.number("months it keeps"))),
        _empty_on(values),
    )
    in_time = out <= gone
    return PartOutcome(
        f"opened {long_date(values.day('day of opening'))}, keeps {values.text('months it keeps')}: use up by {long_date(gone)}; "
        f"empty about {long_date(out)}, so it is {'used up in time' if in_time else 'not used up in time'}",
        long_date(gone),
        "used up in time" if in_time else "spoils first",
        "" if values.today < gone else "it is spoiled before it is asked",
        only_verdict=True,
    )


def _affordable(values: FactValues) -> PartOutcome:
    limit, price = values.number("monthly limit"), values.number("price of the large pack")
    packs = int((limit + 0.001) / price)
    return PartOutcome(
        f"${limit:.2f} a month at ${price:.2f} each: {packs} large pack{'s' * (packs != 1)} a month",
        str(packs),
        "",
        "" if packs else "not one large pack can be paid",
    )


def _code(values: FactValues) -> PartOutcome:
    low, high = re.findall(r"\b[A-Z]\d+\b", values.name("pack for refill codes"))
    own, pack = values.text("refill code"), values.text("pack for refill codes")
    wrong = "" if low <= own <= high else f"{own} does not lie in {low} to {high}"
    return PartOutcome(f"{own} lies in {low} to {high}, so pack {pack} fits", pack, "", wrong)


def _fit(space: float, need: float, unit: str, lead: str) -> PartOutcome:
    left = round(space - need, 2)
    wrong = "" if abs(left) >= 0.25 else "the difference is within the error of a tape"
    verdict = "fits" if left >= 0 else "does not fit"
    tail = "to spare, it fits" if left >= 0 else "short, it does not fit"
    return PartOutcome(f"{lead}: {abs(left):.1f} {unit} {tail}", f"{left:.1f}", verdict, wrong)


def _width(values: FactValues) -> PartOutcome:
    wide, free, place = (
        values.number("width of the product"),
        values.number("free room"),
        values.number("width of the place"),
    )
    return _fit(place, wide + 2 * free, "in", f"{wide} in and twice {values.text('free room')} in {place} in")


def _height(values: FactValues) -> PartOutcome:
    tall, place = values.number("height once set up"), values.number("height of the place")
    return _fit(place, tall, "in", f"{tall} inches under {place} in")


def _load(values: FactValues) -> PartOutcome:
    heavy, bears = values.number("weight in use"), values.number("load that the place bears")
    return _fit(bears, heavy, "lb", f"{heavy} pounds on a place with {bears} lb left")


def _trunk(values: FactValues) -> PartOutcome:
    carton, gap = values.number("narrowest side"), values.number("gap in the trunk")
    return _fit(gap, carton, "in", f"carton of {carton} inches in a gap of {gap} in")


def _against(
    mine: float, theirs: float, better: Callable[[float, float], bool], text: str, least: float
) -> PartOutcome:
    wrong = "" if abs(mine - theirs) >= least else "the difference is too small to mean anything"
    return PartOutcome(text, f"{abs(mine - theirs):.2f}", "owned" if better(mine, theirs) else "new", wrong)


def _upkeep(values: FactValues) -> PartOutcome:
    mine, theirs = values.number("upkeep of the owned"), values.number("upkeep a year")
    which = "owned" if mine <= theirs else "new"
    text = f"${mine:.2f} against ${theirs:.2f} a year: the {which} one is cheaper to keep by ${abs(mine - theirs):.2f}"
    return _against(mine, theirs, float.__le__, text, 1.0)


def _points(values: FactValues) -> PartOutcome:
    mine, theirs = values.number("points of the owned"), values.number("points in the household test")
    text = f"{mine:.0f} against {theirs:.0f} points of 100: the {'owned' if mine >= theirs else 'new'} one did better by {abs(mine - theirs):.0f}"
    return _against(mine, theirs, float.__ge__, text, 2)


def _trade_in(values: FactValues) -> PartOutcome:
    off = values.number("price paid") * values.number("share credited") / 100
    return PartOutcome(
        f"{values.text('share credited')} of {values.text('price paid')} before tax: ${off:,.2f} off the new one",
        f"${off:,.2f}",
        "",
        _uneven(values, "share credited"),
    )


def _weight(values: FactValues) -> PartOutcome:
    mine, theirs = values.number("weight of the owned"), values.number("weight on the testers")
    which = "owned" if mine < theirs else "new"
    text = f"{mine} lb against {theirs} pounds: the {which} one is lighter by {abs(mine - theirs):.1f}"
    return _against(mine, theirs, float.__lt__, text, max(0.3, _ERROR * mine))


def _outlasting(values: FactValues) -> PartOutcome:
    bought, months = values.day("purchase date"), int(values.number("months it lasted"))
    end = months_after(bought, months)
    past = end <= values.today
    return PartOutcome(
        f"bought on {long_date(bought)}: by {long_date(values.today)} it {'has' if past else 'has not yet'} outlasted the {months} months "
        f"of the new one in the long test, which it reaches on {long_date(end)}",
        long_date(end),
        "outlasted" if past else "not yet",
        "" if abs((end - values.today).days) > 20 else "the difference is too small to mean anything",
    )


def _window(values: FactValues) -> PartOutcome:
    arrived = values.day("day of delivery")
    last = arrived + timedelta(days=int(values.number("days to return")))
    open_ = last >= values.today
    return PartOutcome(
        f"delivered {long_date(arrived)} plus {values.text('days to return')}: back by {long_date(last)}, which is "
        f"{'still possible' if open_ else 'past'} on {long_date(values.today)}",
        long_date(last),
        "still possible" if open_ else "past",
    )


def _fee(values: FactValues) -> PartOutcome:
    back = values.number("price paid") * (100 - values.number("share kept")) / 100
    wrong = _uneven(values, "share kept")
    if _window(values).verdict == "past":
        wrong = "nothing is paid back, as it is too late to return it"
    if values.has("lots that are faulty") and _lot(values).verdict == "faulty":
        wrong = "nobody keeps a share of what is faulty"
    if values.has("least weight of a genuine one") and _genuine(values).verdict != "genuine":
        wrong = "nobody keeps a share of a copy"
    return PartOutcome(
        f"{values.text('price paid')} before tax less {values.text('share kept')}: ${back:,.2f} back",
        f"${back:,.2f}",
        "",
        wrong,
    )


def _lot(values: FactValues) -> PartOutcome:
    own, bound = values.text("lot number"), values.text("lots that are faulty").split()[-1]
    before = own < bound
    return PartOutcome(
        f"lot {own} is {'before' if before else 'not before'} {bound}: {'faulty' if before else 'sound'}",
        bound,
        "faulty" if before else "sound",
        "" if own[0] == bound[0] and len(own) == len(bound) else f"{own} and {bound} are not of one series",
        only_verdict=True,
    )


def _genuine(values: FactValues) -> PartOutcome:
    mine, least = values.number("weight at home"), values.number("least weight")
    return PartOutcome(
        f"{mine} oz against {least} ounces at least: {'genuine by weight' if mine >= least else 'too light to be genuine'}",
        f"{mine - least:.1f}",
        "genuine" if mine >= least else "too light",
        ""
        if abs(mine - least) >= _ERROR * least
        else "the difference is within the error of a kitchen scale",
        only_verdict=True,
    )


@dataclass(frozen=True)
class AnswerRule:
    page: str
    """Beginning of the attribute of its page."""
    files: tuple[str, ...]
    """Beginnings of the attributes of its files."""
    reckon: Callable[[FactValues], PartOutcome]


PARTS: Mapping[str, AnswerRule] = {
    "term": AnswerRule("warranty term from serial", ("purchase date", "serial number"), _term),
    "claim": AnswerRule("days to claim after a fault", ("day the fault was noticed",), _claim),
    "part": AnswerRule("kit for parts", ("part number of the",), _part),
    "refund": AnswerRule("share refunded without a replacement", ("price paid",), _refund),
    "lasting": AnswerRule("portions in one pack", ("day of opening", "use"), _lasting),
    "keeping": AnswerRule("months it keeps once open", ("day of opening", "use"), _keeping),
    "affordable": AnswerRule("price of the large pack", ("monthly limit",), _affordable),
    "code": AnswerRule("pack for refill codes", ("refill code",), _code),
    "width": AnswerRule("free room at each side", ("width of the place", "width of the product"), _width),
    "height": AnswerRule("height once set up", ("height of the place",), _height),
    "load": AnswerRule("weight in use", ("load that the place bears",), _load),
    "trunk": AnswerRule("narrowest side of the carton", ("gap in the trunk",), _trunk),
    "upkeep": AnswerRule("upkeep a year", ("upkeep of the owned one",), _upkeep),
    "points": AnswerRule("points in the household test", ("points of the owned one",), _points),
    "trade_in": AnswerRule("share credited for an old one", ("price paid",), _trade_in),
    "weight": AnswerRule("weight on the testers' scale", ("weight of the owned one",), _weight),
    "outlasting": AnswerRule("months it lasted in the long test", ("purchase date",), _outlasting),
    "window": AnswerRule("days to return", ("day of delivery",), _window),
    "fee": AnswerRule("share kept of opened goods", ("price paid",), _fee),
    "lot": AnswerRule("lots that are faulty", ("lot number",), _lot),
    "genuine": AnswerRule("least weight of a genuine one", ("weight at home",), _genuine),
}


def part_of(attribute: str) -> str | None:
    """The part that a page's fact decides."""
    return next((key for key, part in PARTS.items() if attribute.startswith(part.page)), None)


def reckoned(key: str, values: FactValues) -> PartOutcome:
    return PARTS[key].reckon(values)


def turns(values: FactValues, attribute: str, value: str) -> bool:
    """Tell whether another value of a page's fact would change the answer of its part. The answer is its
    verdict, or a figure that is asked for."""
    key = part_of(attribute)
    if key is None:
        return True
    return reckoned(key, values).differs(reckoned(key, values.with_value(attribute, value)))


def overturns(values: FactValues, attribute: str, value: str) -> bool:
    """Tell whether it would turn the verdict, where there is one."""
    key = part_of(attribute)
    if key is None:
        return True
    return reckoned(key, values).overturns(reckoned(key, values.with_value(attribute, value)))


def nonsense(facts: Iterable[TaskFact], today: date) -> Iterator[str]:
    """Yield what a sensible person would not ask, or could not answer, of these facts."""
    known = list(facts)
    values = FactValues.of(known, today)
    for fact in known:
        key = part_of(fact.attribute) if fact.source == "page" else None
        if fact.source == "page" and key is None:
            yield f"fact {fact.id}: no part of an answer rests on {fact.attribute!r}"
        elif key is not None and (lost := [name for name in PARTS[key].files if not values.has(name)]):
            yield f"fact {fact.id}: decides nothing without {' and '.join(lost)}"
        elif key is not None and (wrong := reckoned(key, values).wrong):
            yield f"fact {fact.id}: {wrong}"
    yield from _days(known, values)


def _days(facts: Iterable[TaskFact], values: FactValues) -> Iterator[str]:
    """Check that the days are in the order in which things happen, none after the question, each once.
    Nothing is delivered on a day of rest."""
    order = ("purchase date", "day of delivery", "day of opening", "day the fault was noticed")
    found = [(fact, day_of(fact.value)) for name in order for fact in facts if fact.attribute == name]
    if len({fact.attribute for fact, _ in found}) < len(found):
        yield "a day of one name stands there twice"
    for (fact, day), (later, after) in pairwise(found):
        if after < day:
            yield f"fact {later.id}: {later.attribute} lies before the {fact.attribute}"
    for fact, day in found:
        if day > values.today:
            yield f"fact {fact.id}: {fact.attribute} lies after the question"
        if fact.attribute == "day of delivery" and is_rest(day):
            yield f"fact {fact.id}: nobody delivers on {long_date(day)}"
