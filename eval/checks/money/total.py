"""Rule: every stated total is the sum of what it stands over."""

from __future__ import annotations

from itertools import chain

from drr.eval.checks.base import Check, CheckTally, Subject
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.grid import column_at
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.equations import PRICE_HEAD, hold_equations
from drr.eval.checks.money.generous.gaps import generous_gaps
from drr.eval.checks.money.generous.rests import generous_rests
from drr.eval.checks.money.generous.telling import add_told
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.money.parts import CENT, Stated
from drr.eval.checks.money.readings import ADDED_ABOVE
from drr.eval.checks.money.sums import Sums, sums_of
from drr.eval.checks.money.tables import LISTED, TableRow
from drr.eval.checks.residue import residue_of
from drr.wording.money import MoneyAmount, amounts


def total(subject: Subject, mentions: Mentions) -> Check:
    """Every stated total is the sum of what it stands over; a rest, a saving, a difference is worked out right."""
    sums, ledger = sums_of(mentions), ledger_of(mentions)
    tally = CheckTally()
    for one in sums.stated:
        _hold(tally, one, ledger)
    hold_equations(tally, mentions)
    stated = {one.amount.start for one in sums.stated}
    for entry in ledger.entries:
        if not entry.about_price and entry.figure.start not in stated:
            entry.enter(tally)
    _compare_phases(tally, sums)
    add_told(tally, chain(generous_rests(subject, mentions), generous_gaps(subject, mentions)))
    return tally.check("no total is stated")


def _hold(tally: CheckTally, one: Stated, ledger: MoneyLedger) -> None:
    """A total against what it stands over, unless it is that of other things."""
    entry = ledger.by_start.get(one.amount.start)
    if one.taken is not None:
        why = f"stated ${one.amount.value:,.2f}, which adds what the bill takes off: it comes to ${one.taken:,.2f}"
        tally.fail(one.span, why, Certainty.LITERAL)
        return
    if one.agrees is False and entry is not None and entry.why == ADDED_ABOVE and _is_extended(one, ledger):
        tally.ok()  # what its column has is added up already, whatever the quantities beside it
        return
    if one.agrees is None and one.open:
        tally.unclear(
            f"what a bill adds or takes above the total ${one.amount.value:,.2f} is not said in dollars"
        )
    elif one.agrees is None and entry is not None:
        entry.enter(tally)
    elif one.agrees is None:
        tally.unclear(f"the parts of the total ${one.amount.value:,.2f} are not all given")
    elif one.agrees or (one.where == "section" and entry is not None and entry.status == "explained"):
        tally.ok()  # a section may state the amount of one thing in it
    else:
        told = f"{one.where}: stated ${one.amount.value:,.2f}, {one.held_against} ${one.computed or 0:,.2f}"
        whole = one.where == "table" and one.held_against != LISTED
        if not whole and entry is not None and entry.status == "explained":
            tally.unclear(f"{told}: {entry.why} explains it")  # of some of what is listed
            return
        bound = Certainty.CELL if whole else Certainty.SCOPE
        line = ledger.mentions.layout.lines[one.line]
        around = (line.start, line.end) if entry is None else entry.figure.sentence
        tally.accuse("sum", one.span, told, bound, residue_of(ledger.mentions).doubt(around))


def _is_extended(one: Stated, ledger: MoneyLedger) -> bool:
    """Whether the head of a total's column does not say that prices of single things stand in it."""
    line = ledger.mentions.layout.lines[one.line]
    column = column_at(line, one.amount.start)
    head = "" if column is None or column >= len(line.header) else line.header[column]
    return bool(head.strip()) and PRICE_HEAD.search(head) is None


def _compare_phases(tally: CheckTally, sums: Sums) -> None:
    """The row of a phase in a summary table against the total of the phase's own section."""
    own: dict[str | None, Stated] = {one.label: one for one in sums.sections if one.label}
    for row in sums.rows:
        label = row.numbered_phase or row.named_phase
        if row.is_total or label not in own or row.cost is None:
            continue
        _, amount = row.cost
        section = own[label].amount
        if _differ(amount, section) and _is_the_only_one(sums, row):
            why = f"table: {label} is ${amount.value:,.2f}, its section says ${section.value:,.2f}"
            tally.accuse("sum", (amount.start, amount.end), why, Certainty.CELL)


def _differ(one: MoneyAmount, other: MoneyAmount) -> bool:
    return abs(one.value - other.value) > (1.0 if one.whole or other.whole else CENT)


def _is_the_only_one(sums: Sums, row: TableRow) -> bool:
    return len(amounts(sums.text.body, row.line.start, row.line.end)) == 1
