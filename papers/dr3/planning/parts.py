"""The parts of answers, by intent: what of a shopper's files and of a page decides each of them.

Replace under warranty: the day of purchase and the serial number with the term that serials of that run have when they were sold from a
month on give the last day of cover; the day the fault was noticed with the days that a claim may take gives the last day to claim; the
number of the broken part with the kit that its series is ordered as says what to order; the price paid with the share that is refunded
when no replacement is left gives the refund.

Refill: when the pack in use was opened and how much is used with how much one holds by a test give the day on which it runs out; the
same with how long it keeps once open say whether it is used up in time; the monthly limit with the price of the large pack gives how
many can be bought; the refill code with the pack that codes of its range take says which one fits.

Return or keep: the day of delivery with the days that the seller takes things back in the shopper's state give the last day to send it
back; the price paid with the share that the seller keeps of opened goods gives the refund; the lot with the lots that the maker calls
faulty says whether this one is; what it weighs at home with what a genuine one weighs at least says whether it is one.

Fit into a space, for the candidate that the shopper has in mind: the width of the place and of the candidate with the free room that it
needs at each side say whether it fits; the height of the place with the height that testers measured once it was set up; what the place
can still bear with what it weighs in use; the gap left in the trunk of the car with how wide the carton is.

Compare with what I own: what the owned one costs a year with what testers spent on the candidate give the difference a year; the points
of the owned one in a test with those of the candidate in the same test; the price once paid with the share that a trade-in gives back
gives what the change saves; what the owned one weighs with the candidate's weight on the testers' scale; the day of purchase with how
long the candidate lasted in a test says whether the owned one has outlasted it already.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.planning.kinds import Range, ThingKind, single, whole
from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, capital, dollars
from drr.papers.dr3.truth import Intent
from drr.papers.dr3.values import CENTS, is_rest, lot_before, lot_letter, month_from

PartMaker = Callable[[CaseScene], AnswerPart | None]

# Replace under warranty ----------------------------------------------------------------------------------------------


def _term(scene: CaseScene) -> AnswerPart | None:
    rng = scene.rng
    if not scene.kind.plate:
        return None
    letter, run = rng.choice("BCDFHKMR"), rng.randrange(20, 80)
    since, own = f"{letter}{run}00", f"{letter}{run}{rng.randrange(11, 99)}-{rng.randrange(10000, 99999)}"
    age = (scene.today - scene.bought).days / 30.44
    among = stock().statement(scene.attribute("term", since=since))[0].among
    near = [months for months in among if abs(months - age) > 1]
    months = rng.choice([one for one in near if (one > age) == (rng.random() < 0.7)] or near)
    return scene.part(
        "term", scene.day_of_purchase, scene.file("serial number", own), since=since, months=months
    )


def _claim(scene: CaseScene) -> AnswerPart:
    noticed = scene.today - timedelta(days=scene.rng.randrange(6, 58))
    days = scene.term("claim")
    return scene.part("claim", scene.file("day the fault was noticed", noticed), days=days)


def _part(scene: CaseScene) -> AnswerPart | None:
    rng = scene.rng
    if not scene.kind.parts:
        return None
    head = scene.owned.model[:2]
    series, kit = rng.randrange(2, 9), f"{head}K-{rng.randrange(301, 989)}"
    number, piece = f"{head}-{series}{rng.randrange(11, 99)}", rng.choice(scene.kind.parts)
    broken = scene.file("part number of the {piece}", number, piece=piece, Piece=piece.capitalize())
    return scene.part("part", broken, low=f"{head}-{series}00", high=f"{head}-{series}99", kit=kit)


def _of_price(key: str) -> PartMaker:
    """Make a part of the price paid and a share of it."""

    def part(scene: CaseScene) -> AnswerPart | None:
        share = scene.share(key)
        return None if share is None else scene.part(key, scene.price_paid, share=share)

    return part


# Refill --------------------------------------------------------------------------------------------------------------

_TRIES = 60
_INNER = 0.75
"""Part of the range of packs, so that another page can state more as well as less."""
_WEEKS = 30.44 / 7
"""Weeks of a month."""


def _opening(scene: CaseScene) -> FileSlot:
    return scene.file("day of opening", scene.opened)


def _use(scene: CaseScene) -> FileSlot:
    kind = scene.kind
    assert kind.use is not None
    times = max(2, whole(scene.rng, kind.use))
    return scene.file("use", f"{times} times a {kind.per}", one=single(kind.unit))


def _lasting(scene: CaseScene) -> AnswerPart | None:
    """Ask about a pack that is not yet used up on the day of the question."""
    kind, elapsed = scene.kind, (scene.today - scene.opened).days
    if kind.use is None or kind.pack is None:
        return None
    within = (kind.pack[0], kind.pack[0] + _INNER * (kind.pack[1] - kind.pack[0]))
    for _ in range(_TRIES):
        use, pack = _use(scene), whole(scene.rng, within)
        days = pack * (30.44 if kind.per == "month" else 7) / int(str(use.value).split()[0])
        if elapsed + 5 < days < elapsed + 120:
            return scene.part("lasting", _opening(scene), use, pack=pack, unit=kind.unit)
    return None


def _keeping(scene: CaseScene) -> AnswerPart | None:
    if scene.kind.keeps is None:
        return None
    months = whole(scene.rng, scene.kind.keeps)
    return scene.part("keeping", _opening(scene), _use(scene), months=months)


def _packs_a_month(kind: ThingKind) -> float:
    """Estimate the packs a month of somebody who uses as much as most."""
    if kind.use is None or kind.pack is None:
        return 1.0
    return min(2.0, sum(kind.use) / sum(kind.pack) * (1 if kind.per == "month" else _WEEKS))


def _affordable(scene: CaseScene) -> AnswerPart | None:
    rng, kind = scene.rng, scene.kind
    if kind.large is None:
        return None
    price = whole(rng, kind.large) + rng.choice(CENTS) / 100
    packs = rng.randint(1, 1 + round(_packs_a_month(kind)))
    limit = price * (packs + rng.uniform(0.06, 0.7))
    return scene.part("affordable", scene.file("monthly limit", f"${limit:.2f}"), price=f"${price:.2f}")


def _code(scene: CaseScene) -> AnswerPart | None:
    rng = scene.rng
    if not scene.kind.coded:
        return None
    letter, series = rng.choice("EGJLPTV"), rng.randrange(2, 9)
    own = f"{letter}{series}{rng.randrange(11, 99)}"
    pack = f"{scene.owned.model[:2]}R-{rng.randrange(21, 98)}{rng.choice('ABDX')}"
    low, high = f"{letter}{series}00", f"{letter}{series}99"
    return scene.part("code", scene.file("refill code", own), low=low, high=high, pack=pack)


# Return or keep ------------------------------------------------------------------------------------------------------

_NOTICE = (6, 10)
"""Months from the recall of some lots to the purchase: what was made just before it is still on a shelf, and so is what was made since."""


def _window(scene: CaseScene) -> AnswerPart:
    arrived = scene.bought + timedelta(days=scene.rng.randrange(2, 9))
    while is_rest(arrived):
        arrived += timedelta(days=1)
    state = scene.state
    in_state, where = (f" in {state}", f"{scene.seller}, {state}") if state else ("", scene.seller)
    days = scene.term("window", in_state=in_state)
    delivered = scene.file("day of delivery", arrived)
    return scene.part("window", delivered, in_state=in_state, where=where, days=days)


def _lot(scene: CaseScene) -> AnswerPart:
    rng = scene.rng
    notice = month_from(scene.bought, -rng.randint(*_NOTICE))
    letter, first = lot_letter(scene.owned.name), lot_before(notice)
    own = f"{letter}{first + rng.choice((-43, -27, -8, 6, 19, 38))}"
    return scene.part("lot", scene.file("lot number", own), bound=f"{letter}{first}")


def _genuine(scene: CaseScene) -> AnswerPart | None:
    if scene.kind.weigh is None:
        return None
    least = scene.amount(scene.kind.weigh)
    mine = scene.beside(least, (-0.24 * least, -0.07 * least - 0.1), (0.05 * least + 0.1, 0.1 * least + 0.1))
    return scene.part("genuine", scene.file("weight at home", f"{mine} oz"), least=least)


# Fit into a space ----------------------------------------------------------------------------------------------------


def _width(scene: CaseScene) -> AnswerPart | None:
    kind = scene.rival_kind
    if kind.wide is None or kind.clear is None:
        return None
    wide, free = scene.amount(kind.wide), scene.amount(kind.clear)
    slack = max(0.5, 0.5 * free)
    place = scene.beside(wide + 2 * free, (-2 * slack, -0.3), (0.3, 2 * slack + 1))
    widths = scene.file("width of the place", f"{place} in"), scene.file("width of the product", f"{wide} in")
    return scene.part("width", *widths, free=free)


def _height(scene: CaseScene) -> AnswerPart | None:
    kind = scene.rival_kind
    if kind.high is None or "planted" in kind.fits:
        return None
    tall = scene.amount(kind.high)
    place = scene.beside(tall, (-2.4, -0.4), (0.4, 3.4))
    return scene.part("height", scene.file("height of the place", f"{place} in"), tall=tall)


def _load(scene: CaseScene) -> AnswerPart | None:
    """Only of what stands on a shelf: floors bear it. What stands there already is taken off: else nobody could tell."""
    kind = scene.rival_kind
    if kind.pounds is None or kind.stands != "shelf":
        return None
    heavy = scene.amount(kind.pounds)
    bears = scene.beside(heavy, (-0.3 * heavy, -0.06 * heavy - 0.2), (0.06 * heavy + 0.2, 0.6 * heavy))
    return scene.part("load", scene.file("load that the place bears", f"{bears} lb"), heavy=heavy)


def _trunk(scene: CaseScene) -> AnswerPart | None:
    """Only of what comes in a long box that has to lie beside other things in a car."""
    if scene.rival_kind.carton is None:
        return None
    carton = scene.amount(scene.rival_kind.carton)
    gap = scene.beside(carton, (-2.2, -0.4), (0.4, 2.9))
    return scene.part("trunk", scene.file("gap in the trunk", f"{gap} in"), carton=carton)


# Compare with what I own ---------------------------------------------------------------------------------------------

_TRADED = 35.0
"""Dollars; nobody takes back what was cheaper."""


def _upkeep(scene: CaseScene) -> AnswerPart | None:
    """Only where both are of sorts that cost something to keep."""
    kind, other = scene.kind, scene.rival_kind
    if kind.upkeep is None or other.upkeep is None:
        return None
    mine, theirs = _dollars(scene, kind.upkeep), _dollars(scene, other.upkeep)
    words = {"upkeep_of": kind.upkeep_of, "Upkeep_of": capital(kind.upkeep_of)}
    return scene.part("upkeep", scene.file("upkeep of the owned one", mine, **words), theirs=theirs)


def _dollars(scene: CaseScene, within: Range) -> str:
    return f"${whole(scene.rng, within) + scene.rng.choice(CENTS) / 100:.2f}"


def _points(scene: CaseScene) -> AnswerPart:
    mine, theirs = scene.rng.sample(range(48, 97), 2)
    return scene.part("points", scene.file("points of the owned one", f"{mine} points"), theirs=theirs)


def _trade_in(scene: CaseScene) -> AnswerPart | None:
    is_taken = scene.kind.is_traded_in and dollars(scene.paid) >= _TRADED
    return _of_price("trade_in")(scene) if is_taken else None


def _weight(scene: CaseScene) -> AnswerPart | None:
    kind = scene.kind
    if kind.alone is None or kind != scene.rival_kind or kind.alone[1] < 2:
        return None
    mine, theirs = scene.amount(kind.alone), scene.amount(kind.alone)
    return scene.part("weight", scene.file("weight of the owned one", f"{mine} lb"), theirs=theirs)


def _outlasting(scene: CaseScene) -> AnswerPart | None:
    lasts = scene.rival_kind.lasts
    if lasts is None:
        return None
    return scene.part("outlasting", scene.day_of_purchase, months=whole(scene.rng, lasts))


PARTS: dict[Intent, tuple[tuple[PartMaker, ...], tuple[PartMaker, ...]]] = {
    "replace_under_warranty": ((_term,), (_claim, _part, _of_price("refund"))),
    "refill": ((_lasting,), (_keeping, _affordable, _code)),
    "fit_into_space": ((_width,), (_height, _load, _trunk)),
    "compare_with_owned": (
        (_upkeep, _points, _weight, _outlasting),
        (_upkeep, _points, _trade_in, _weight, _outlasting),
    ),
    "return_or_keep": ((_window,), (_of_price("fee"), _lot, _genuine)),
}
"""Makers by intent: one of the first tuple is in every answer, more come from the second. Those that a sort
lacks are left out."""
