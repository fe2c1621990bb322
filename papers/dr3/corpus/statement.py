"""The statements of a page, and everything that could be stated of the products of a shop. Each has one value, wherever it stands.

So no two pages of one pool contradict each other but by a change that is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil, floor
from random import Random

from drr.papers.dr3.case import NamedThing
from drr.papers.dr3.corpus.calendar import TERMS, PageCalendar
from drr.papers.dr3.corpus.others import never_round, other_name, other_value
from drr.papers.dr3.corpus.stock import StatementForm, stock
from drr.papers.dr3.planning.kinds import Range, ThingKind, kind_of
from drr.papers.dr3.truth import ChangeKind, StatementChange, TaskFact
from drr.papers.dr3.values import CENTS, lot_before, lot_letter, month_of, number_of

_LETTERS = "BCDFGHJKLMNPQRSTVW"
_OTHER, _ONE_SIDE = 0.2, 0.12
"""Shares of statements about another model or firm, and of those about only one side of the matter."""
_HEARSAY = {True: 0.22, False: 0.05}
"""Share of hearsay on a page about the case, where needed facts may be doubted too, and on others."""
_NO_MONTH = 0.5
"""Share of pages about something else that give no month for their statement."""
_WRONG = 0.5
"""Share of hearsay about irrelevant facts that is wrong."""
_OWN = (0, 1, 1, 2, 2)
"""Possible numbers of further statements about the page's own thing, half of them dated."""
_FORMS_TRIED = 12
"""Sorts of statements tried on a page that is too old for the first: all pages state about as much."""
_ALIKE = 0.9
"""Share of pages on the case's subject that state something else in a measure of the question. So a unit
reveals nothing."""
_SELDOM = 0.7
"""Share of pages about something else that leave rare statements to others."""
_OFTEN = 5
"""Statements of one thing in one task after which others come first: what is needed stands once."""
_WEIGHTS = frozenset(["pounds", "alone", "weigh"])

_SOLD = {
    "a": " (bought in {} or later, until the terms change)",
    "b": " (sold since {}, until the next change of terms)",
    "c": " (for purchases from {} until the next change)",
}
_TALKED = {
    "a": " (those are the {} terms, for what was bought from then on)",
    "b": " (by the {} terms, which go by the day of purchase)",
    "c": " (under the terms of {}, if it was bought since then)",
}
"""Ways to date the terms, each with a word that they go by the purchase."""


@dataclass(frozen=True, kw_only=True)
class PageStatement:
    """A value of something, in the words of nobody yet."""

    form: StatementForm
    subject: str
    value: str
    groups: Mapping[str, str] = field(default_factory=dict)
    hearsay: bool = False
    """True where the speaker does not know."""
    is_wrong: bool = False
    """True for hearsay that is false."""
    one_sided: bool = False
    """Only one side of it is said, and never the value."""
    as_of: str | None = None
    """The month since which it holds, where that is said."""

    @property
    def months(self) -> set[str]:
        """List the months since which it holds, or for which purchases."""
        return {month for month in (self.as_of, self.groups.get("sold")) if month}

    def words(self, is_talk: bool = False) -> dict[str, str]:
        """Return the words of the statement. Whoever writes to others like himself (`is_talk`) says the month
        of terms in two words, and no clause of them."""
        state, sold = self.groups.get("state"), self.groups.get("sold")
        return {
            **self.groups,
            "subject": self.subject,
            "value": self.value,
            "as_of": self.as_of or "",
            "in_state": f" in {state}" if state else "",
            **{
                f"sold_{key}": rows.format(sold) if sold else ""
                for key, rows in (_TALKED if is_talk else _SOLD).items()
            },
        }


def months_taken(form: StatementForm, value: str) -> int:
    """Count the months somebody must have had a thing to say this of it."""
    if form.takes == "value":
        return round(number_of(value))
    return 12 if form.takes == "year" else 0


def of_fact(fact: TaskFact, as_of: str | None = None) -> PageStatement:
    form, groups = stock().statement(fact.attribute)
    as_of = as_of if form.dating else None
    return PageStatement(form=form, subject=fact.subject, value=fact.value, groups=groups, as_of=as_of)


def drawn_value(text: str, rng: Random) -> str | None:
    """A slot that draws: `#3-9`, `$10-40` or `L`."""
    if text == "L":
        return rng.choice(_LETTERS)
    if text[:1] not in "#$":
        return None
    low, _, high = text[1:].partition("-")
    amount = rng.randint(int(low), int(high))
    return str(amount) if text[0] == "#" else f"${amount}.{rng.choice(CENTS)}"


_SUBJECTS_OF: Mapping[str, Callable[[ThingKind], object]] = {
    "^height once": lambda kind: kind.stands,
    "^weight in use": lambda kind: kind.stands,
    "^warranty term": lambda kind: kind.plate,
    "^days to claim": lambda kind: kind.plate,
    "^share refunded": lambda kind: kind.plate,
    "^share credited": lambda kind: kind.is_traded_in,
    "^kit for parts": lambda kind: kind.parts,
    "^pack for refill": lambda kind: kind.coded,
    "^months that parts": lambda kind: kind.parts,
    "^length of the cord": lambda kind: "corded" in kind.fits,
    "^days for a repair": lambda kind: kind.plate,
    "^share off for who registers": lambda kind: kind.plate,
    "^price of a spare part": lambda kind: kind.parts,
    "^months between checks": lambda kind: kind.manual in ("furniture", "outdoor", "powered"),
}
"""Tests of the sorts that an attribute fits, by its beginning. Values with a range need a sort that has it."""


def suits_kind(form: StatementForm, kind: ThingKind) -> bool:
    """Tell whether pages state such a thing of a sort: no upkeep of what has none."""
    pattern = form.attribute.pattern
    if form.range is not None and range_of(form, kind) is None:
        return False
    return all(bool(asked(kind)) for start, asked in _SUBJECTS_OF.items() if pattern.startswith(start))


@cache
def statements_of(noun: str) -> tuple[StatementForm, ...]:
    """All that can be said of a thing of such a name."""
    return tuple(one for one in stock().statements if suits_kind(one, kind_of(noun)))


def range_of(form: StatementForm, kind: ThingKind) -> Range | None:
    """Return the range within which values of a sort lie, where it has such a range."""
    return getattr(kind, form.range) if form.range is not None else None


def drawn_statement(
    thing: NamedThing,
    seller: str | None,
    rng: Random,
    calendar: PageCalendar,
    form: StatementForm | None = None,
    avoid: Iterable[StatementForm] = (),
    like: Collection[str] = (),
    of: str = "",
) -> PageStatement | None:
    """Draw a statement of a thing, its brand or a seller, with the world's value. Which one is up to `rng`
    (where no `form` is asked for, and mostly in a measure of `like`; rather `of` somebody, and of a month,
    where that can be). `None` where all is to be avoided, or nobody can have seen so much since the month of
    which the page speaks."""
    subjects = {"thing": thing.name, "brand": thing.brand, "seller": seller}
    kind, taken = kind_of(thing.noun), list(avoid)
    apt = (
        [form]
        if form
        else [
            one
            for one in statements_of(thing.noun)
            if subjects[one.about] and not any(_is_near(one, had) for had in taken)
        ]
    )
    alike = like and rng.random() < _ALIKE
    tried = rng.sample(apt, len(apt))
    is_plain = calendar.day is None and rng.random() < _SELDOM
    tried.sort(
        key=lambda one: (
            is_plain and one.seldom,
            calendar.stated_of[one.attribute.pattern, str(subjects[one.about])] >= _OFTEN,
            bool(alike) and one.measure not in like,
            bool(of) and (subjects[one.about] != of or not (one.dating or "sold" in one.groups)),
        )
    )
    again: PageStatement | None = None
    for one in tried[:_FORMS_TRIED]:
        statement = _drawn_of(one, str(subjects[one.about]), kind, rng, calendar)
        if statement is not None and (calendar.day is None or not calendar.stated_of[_figure_of(statement)]):
            return _noted(statement, str(subjects[one.about]), calendar)
        again = again or statement
    return again and _noted(again, again.subject, calendar)


def _figure_of(statement: PageStatement) -> tuple[str, str]:
    """Return what other pages of a task should not say again while there is something else to say. What is
    asked stands on one page alone."""
    return f"{statement.form.attribute.pattern}: {statement.value}", statement.subject


def _noted(statement: PageStatement, of: str, calendar: PageCalendar) -> PageStatement:
    if calendar.day is not None:
        calendar.stated_of[statement.form.attribute.pattern, of] += 1
        calendar.stated_of[_figure_of(statement)] += bool(statement.value)
    return statement


def _drawn_of(
    form: StatementForm, subject: str, kind: ThingKind, rng: Random, calendar: PageCalendar
) -> PageStatement | None:
    if rng.random() < _OTHER:
        subject = other_name(form.about, subject, rng)
    groups, value = _values(form, subject, kind, calendar)
    if groups.get("sold") and calendar.is_past(subject, TERMS):
        groups, value = _values(form, subject, kind, calendar, groups["sold"])
    one_sided, hearsay = rng.random() < _ONE_SIDE, rng.random() < _HEARSAY[calendar.day is not None]
    as_of = None
    if form.dating:
        changes = form.dating.changes
        as_of = calendar.since(subject, changes, months_taken(form, value))
        is_of_month = form.measure == "lots" and calendar.day
        if as_of and (calendar.is_past(subject, changes) or is_of_month or calendar.is_of_case(subject)):
            value = _values(form, subject, kind, calendar, as_of)[1]
            as_of = calendar.since(subject, changes, months_taken(form, value))
    if (form.dating and as_of is None) or groups.get("sold") == "":
        return None
    other = None
    if hearsay and value and rng.random() < _WRONG:
        most = months_taken(form, value)
        other = other_value(
            value, (), rng, lambda drawn: months_taken(form, drawn) <= most, range_of(form, kind), form.among
        )
    if calendar.day is None and rng.random() < _NO_MONTH:
        as_of = None
    return PageStatement(
        form=form,
        subject=subject,
        value=other or value,
        groups=groups,
        hearsay=hearsay,
        is_wrong=other is not None,
        one_sided=one_sided,
        as_of=as_of,
    )


def _values(
    form: StatementForm, subject: str, kind: ThingKind, calendar: PageCalendar, as_of: str = ""
) -> tuple[dict[str, str], str]:
    """Return the world's values, of the latest make, list or price or of that of a month. They are the same wherever they stand."""
    key = f"{calendar.seed}/{form.attribute.pattern}/{subject}"
    world, priced = Random(f"{key}{as_of and '/'}{as_of}"), Random(f"{key}/price")

    def fill(slot: str) -> str:
        if form.measure == "lots" and slot == "L":
            return lot_letter(subject)
        if form.measure == "lots" and as_of and calendar.day is not None:
            return str(lot_before(month_of(as_of), is_recall=not form.is_beside))
        if slot.endswith("amount"):
            return _amount(
                slot[0], range_of(form, kind) or (1, 9), world if slot[0] != "$" else priced, as_of
            )
        if slot == "unit":
            return kind.unit
        if slot == "part":
            return world.choice(kind.parts)
        if slot == "#among":
            return str(world.choice(form.among))
        if slot == "sold":
            return calendar.sold(subject) or ""
        return drawn_value(slot, world) or world.choice(
            stock().names["months" if slot == "month" else "states"]
        )

    groups = {key: text.words(world, fill) for key, text in form.groups.items()}
    if "low" in groups:
        groups["high"] = groups["low"].removesuffix("00") + "99"
    return groups, form.value.words(world, fill) if form.value else ""


def _is_near(form: StatementForm, had: StatementForm) -> bool:
    """The same, or another figure of the same measure: two weights of one thing would have to agree."""
    if form is had or form.attribute.pattern == had.attribute.pattern:
        return True
    return form.range in _WEIGHTS and had.range in _WEIGHTS


def measures_of(forms: Iterable[StatementForm]) -> set[str]:
    """Codes have none."""
    return {form.measure for form in forms} - {""}


def own_statements(
    thing: NamedThing,
    seller: str | None,
    rng: Random,
    calendar: PageCalendar,
    avoid: Iterable[StatementForm],
    more: int = 0,
    like: Collection[str] = (),
) -> list[PageStatement]:
    """List what a page states of its own thing, brand and seller beside what it is there for. The forms are
    the same, and it is as often of a month."""
    found: list[PageStatement] = []
    taken = list(avoid)
    for _ in range(rng.choice(_OWN) + more):
        statement = drawn_statement(thing, seller, rng, calendar, avoid=taken, like=like)
        if statement is not None:
            found.append(statement)
            taken.append(statement.form)
    return found


_DEARER = 0.12
"""Greatest relative difference of a price between two months, either way."""


def _amount(written: str, within: Range, rng: Random, as_of: str) -> str:
    """Draw a figure of a range. It is whole (`#`), in dollars (`$`; of one month a little more or less than
    of another) or with one decimal (`.`)."""
    low, high = within
    if written == "#":
        return str(rng.randint(round(low), round(high)))
    if written == "$":
        price = rng.randint(ceil(low), max(ceil(low), floor(high) - 1))
        cents = rng.choice(CENTS)
        if as_of:
            step = Random(f"{rng.random()}/{as_of}")
            price, cents = round(price * (1 + step.uniform(-_DEARER, _DEARER))), step.choice(CENTS)
        return f"{price}.{cents}"
    return never_round(rng.uniform(low, high))


@dataclass(frozen=True, kw_only=True)
class WantedChange:
    """The change that is wanted of a statement."""

    kind: ChangeKind
    sold: str | None = None
    """The month of purchase from which on it holds, where that is another; empty where none is said."""
    as_of: str | None = None
    """The month since which it holds, where pages say that."""
    value: str | None = None
    """Another one; what another page has said of the same time."""
    subject: str | None = None
    """Subject of the statement, where it is another one."""


def changed(fact: TaskFact, wanted: WantedChange) -> tuple[PageStatement, StatementChange]:
    """The statement as a distractor says it, and the record of it; without a value one side is said."""
    kind, value = wanted.kind, wanted.value
    true = of_fact(fact, wanted.as_of)
    groups = true.groups if wanted.sold is None else {**true.groups, "sold": wanted.sold}
    if kind == "one_sided" or value is None:
        statement = replace(true, value="", groups=groups, one_sided=True)
        return statement, StatementChange(kind="one_sided", fact=fact.id, before=fact.value)
    subject = wanted.subject or fact.subject
    rumor = kind == "wrong_figure"
    statement = replace(true, value=value, subject=subject, groups=groups, hearsay=rumor, is_wrong=rumor)
    after = f"{subject}: {value}" if kind == "other_model" else value
    after += f", sold from {wanted.sold}" if wanted.sold else ""
    return statement, StatementChange(kind=kind, fact=fact.id, before=fact.value, after=after)
