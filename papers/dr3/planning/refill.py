"""Refill.

The answer joins: when the pack in use was opened and how much is used (files) with how much one holds by a test (page) give the day on
which it runs out; the same with how long it keeps once open (page) say whether it is used up in time; the monthly limit (file) with the
price of the large pack (page) gives how many can be bought; the refill code (file) with the pack that codes of its range take (page)
says which one fits.
"""

from __future__ import annotations

from drr.papers.dr3.planning.kinds import ThingKind, single, whole
from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot, capital
from drr.papers.dr3.values import CENTS

_TRIES = 60
_INNER = 0.75
"""Of the range of packs, so that another page can say more as well as less."""
_WEEKS = 30.44 / 7
"""Of a month."""


def _opening(scene: CaseScene) -> FileSlot:
    owned = scene.owned
    return FileSlot(
        attribute="day of opening",
        subject=owned.name,
        value=scene.opened,
        text=f"{owned.name}: opened {{value}}.",
        label="Regular pack opened",
        said=scene.rng.choice(
            (
                f"Opened the regular pack of the {owned.called} on {{value}}.",
                f"{capital(owned.called)}, regular pack, opened {{value}}.",
                f"Broke the seal of the {owned.called} on {{value}}, the regular pack.",
            )
        ),
        carriers=("notes", "photo", "measurements", "photo"),
    )


def _use(scene: CaseScene) -> FileSlot:
    rng, owned, kind = scene.rng, scene.owned, scene.kind
    assert kind.use is not None
    one = single(kind.unit)
    return FileSlot(
        attribute="use",
        subject=owned.name,
        value=f"{max(2, whole(rng, kind.use))} times a {kind.per}",
        text=f"{owned.name}: used {{value}}.",
        label=f"{capital(owned.called)}, one {one}",
        said=rng.choice(
            (
                f"{capital(owned.called)}: used {{value}}, one {one} each time.",
                f"Counted how often we use the {owned.called}: {{value}}, one {one} each.",
                f"We take one {one} of the {owned.called} {{value}}.",
            )
        ),
        carriers=("notes", "measurements"),
    )


def lasting(scene: CaseScene) -> AnswerPart | None:
    """Ask about a pack that is not yet used up on the day of the question."""
    rng, owned, kind = scene.rng, scene.owned, scene.kind
    if kind.use is None or kind.pack is None:
        return None
    elapsed = (scene.today - scene.opened).days
    for _ in range(_TRIES):
        use, pack = (
            _use(scene),
            whole(rng, (kind.pack[0], kind.pack[0] + _INNER * (kind.pack[1] - kind.pack[0]))),
        )
        days = pack * (30.44 if kind.per == "month" else 7) / int(str(use.value).split()[0])
        if elapsed + 5 < days < elapsed + 120:
            break
    else:
        return None
    return AnswerPart(
        key="lasting",
        slots=(_opening(scene), use),
        pages=(
            PageSlot(
                attribute="portions in one pack",
                subject=owned.name,
                value=f"{pack} {kind.unit}",
                text=f"{owned.name}: one pack gave {pack} {kind.unit}.",
            ),
        ),
    )


def keeping(scene: CaseScene) -> AnswerPart | None:
    rng, owned, kind = scene.rng, scene.owned, scene.kind
    if kind.keeps is None:
        return None
    months = whole(rng, kind.keeps)
    return AnswerPart(
        key="keeping",
        slots=(_opening(scene), _use(scene)),
        pages=(
            PageSlot(
                attribute="months it keeps once open",
                subject=owned.name,
                value=f"{months} months",
                text=f"{owned.name}: keeps {months} months once open.",
            ),
        ),
    )


def _packs_a_month(kind: ThingKind) -> float:
    """Estimate the packs a month of somebody who uses as much as most."""
    if kind.use is None or kind.pack is None:
        return 1.0
    return min(2.0, sum(kind.use) / sum(kind.pack) * (1 if kind.per == "month" else _WEEKS))


def affordable(scene: CaseScene) -> AnswerPart | None:
    rng, owned, kind = scene.rng, scene.owned, scene.kind
    if kind.large is None:
        return None
    price = whole(rng, kind.large) + rng.choice(CENTS) / 100
    packs = rng.randint(1, 1 + round(_packs_a_month(kind)))
    limit = price * (packs + rng.uniform(0.06, 0.7))
    return AnswerPart(
        key="affordable",
        slots=(
            FileSlot(
                attribute="monthly limit",
                subject=owned.name,
                value=f"${limit:.2f}",
                text=f"{owned.name}: monthly limit {{value}}.",
                label=f"{capital(owned.called)}, limit a month",
                said=rng.choice(
                    (
                        f"No more than {{value}} a month for the {owned.called}.",
                        f"What I can spend on the {owned.called} each month: {{value}}.",
                    )
                ),
                carriers=("budget", "notes", "budget"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="price of the large pack",
                subject=owned.name,
                value=f"${price:.2f}",
                text=f"{owned.name}: the large pack costs ${price:.2f}.",
            ),
        ),
    )


def code(scene: CaseScene) -> AnswerPart | None:
    rng, owned = scene.rng, scene.owned
    if not scene.kind.coded:
        return None
    letter, series = rng.choice("EGJLPTV"), rng.randrange(2, 9)
    own, pack = (
        f"{letter}{series}{rng.randrange(11, 99)}",
        f"{owned.model[:2]}R-{rng.randrange(21, 98)}{rng.choice('ABDX')}",
    )
    return AnswerPart(
        key="code",
        slots=(
            FileSlot(
                attribute="refill code",
                subject=owned.name,
                value=own,
                text=f"{owned.name}: refill code {{value}}.",
                label=rng.choice(("Refill code", "Refill type", "Refill")),
                said=rng.choice(
                    (
                        f"The refill code printed on my {owned.called} is {{value}}.",
                        f"{capital(owned.called)}, refill code: {{value}}.",
                        f"On the flap of the {owned.called} it says refill code {{value}}.",
                    )
                ),
                carriers=("label", "photo", "mail", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=f"pack for refill codes {letter}{series}00 to {letter}{series}99",
                subject=owned.brand,
                value=pack,
                text=f"{owned.brand} refill codes {letter}{series}00 to {letter}{series}99 take pack {pack}.",
            ),
        ),
    )


CORE, MORE = (lasting,), (keeping, affordable, code)
