"""What two rules ask for is worked out once and entered in the tally of each as if it had been found there."""

from __future__ import annotations

from drr.eval.checks.base import Accusation, CheckTally
from drr.eval.checks.certainty import Certainty


def found(tally: CheckTally) -> CheckTally:
    tally.ok()
    tally.fail((3, 7), "said 4.9 stars, is 4.5", Certainty.CELL, "stars")
    tally.unclear("it is not clear whose rating 4.1 is")
    tally.doubt(Accusation("stars", (9, 12), "said 3.1 stars"), "it may be another's")
    return tally


def test_what_another_has_collected_counts_as_if_it_were_collected_here() -> None:
    here, apart = CheckTally(), CheckTally()
    for tally in (here, apart):
        tally.fail((1, 2), "said $5.00, is $6.00", Certainty.CELL, "price")
        tally.unclear("a price is not known")
    found(here)
    apart.add(found(CheckTally()))
    assert apart.check("nothing") == here.check("nothing")
    assert apart.check("nothing").value == {
        "checked": 3,
        "failed": 2,
        "unverifiable": 3,
        "certainty": ["cell", "cell"],
    }


def test_what_both_have_found_is_told_once() -> None:
    tally = found(CheckTally())
    tally.add(found(CheckTally()))
    assert (tally.passed, tally.failed, len(tally.accused), len(tally.doubted)) == (2, 1, 1, 1)
