"""How firmly a value is bound to a thing and a kind, and from where on each rule accuses: one table for all rules.

An accusation below its bar is no accusation: the figure is `unverifiable`, with the doubt as the reason. Two marks stand for every kind of
statement. From `parsed` on it is accused where its sentence is understood to the end: no words that a rule leaves unread, no second
figure that nothing explains. From `outright` on, whatever else its sentence says.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Certainty(IntEnum):
    """From the loosest binding to the firmest."""

    INFERRED = 1
    """Nothing in play explains it; what it is of was not said."""
    SCOPE = 2
    """By a heading, a pronoun or the sentence before."""
    SENTENCE = 3
    """The one product that its sentence names."""
    CLAUSE = 4
    """The one product that its clause names."""
    ADJOINED = 5
    """Nothing stands between the value and the name, the link or the label."""
    CELL = 6
    """By the row and the column of a table, or by a label and its value."""
    LITERAL = 7
    """The string itself: an id, an address, a written sum."""

    @property
    def word(self) -> str:
        return self.name.casefold()


NEVER = 99
"""No certainty is enough."""


class AccusationBar(NamedTuple):
    """From which certainty on a kind of statement is accused."""

    parsed: int
    outright: int
    why: str


BARS: dict[str, AccusationBar] = {
    "address": AccusationBar(
        Certainty.LITERAL, Certainty.LITERAL, "an id or address is in the shop or is not"
    ),
    "order_id": AccusationBar(
        Certainty.LITERAL, Certainty.LITERAL, "a number of an order is the reader's or is not"
    ),
    "privacy": AccusationBar(
        Certainty.LITERAL, Certainty.LITERAL, "another user's data stand there word for word"
    ),
    "text": AccusationBar(Certainty.LITERAL, Certainty.LITERAL, "the words stand there"),
    "price": AccusationBar(
        Certainty.INFERRED,
        Certainty.ADJOINED,
        "a link, a name or a cell says whose it is; else only a whole sentence does",
    ),
    "unit_cost": AccusationBar(
        Certainty.INFERRED,
        Certainty.CELL,
        "by how much it is divided is often not said: 12 of 20 were right at first contact",
    ),
    "sum": AccusationBar(
        Certainty.INFERRED, Certainty.CELL, "its parts may be other things than those in play"
    ),
    "rest": AccusationBar(Certainty.INFERRED, Certainty.CELL, "it may be left of another plan"),
    "difference": AccusationBar(
        Certainty.INFERRED,
        Certainty.CELL,
        "it may be one to a thing that is not in play: 16 of 22 were right",
    ),
    "limit_verdict": AccusationBar(
        Certainty.CLAUSE, Certainty.CELL, "a limit may be on each, and the cost another one"
    ),
    "limit_side": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "the amount, or the one cost, shows on which side of the limit"
    ),
    "verdict_told": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "every cost and every limit in sight speaks against it"
    ),
    "rest_told": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "no limit leaves it over any cost in sight"
    ),
    "gap_told": AccusationBar(Certainty.SENTENCE, Certainty.SENTENCE, "no two costs in sight differ by it"),
    "limit_broken": AccusationBar(
        Certainty.ADJOINED,
        Certainty.LITERAL,
        "what is named, owned or set aside is not what is advised: 2 of 6 were right, and 0 of 8 held back",
    ),
    "stars": AccusationBar(
        Certainty.INFERRED, Certainty.CELL, "what is called stars is a rating of something in play"
    ),
    "measure": AccusationBar(
        Certainty.SCOPE, Certainty.CELL, "it may be a need, a use or another dimension: 18 of 26 were right"
    ),
    "anchored": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "the same words stand beside another figure in the record"
    ),
    "stated": AccusationBar(
        Certainty.SCOPE, Certainty.CELL, "a figure of the only unit of its kind in the record"
    ),
    **{
        kind: AccusationBar(
            Certainty.SCOPE, Certainty.CELL, "a colour, a material or a grade may be another thing's"
        )
        for kind in ("attribute", "grade")
    },
    "comparison": AccusationBar(Certainty.SENTENCE, Certainty.CELL, "one side of a comparison must be named"),
    "ratio": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "so many times what: one of two must be named"
    ),
    "told_side": AccusationBar(Certainty.SENTENCE, Certainty.SENTENCE, "both figures stand right behind it"),
    "told_cost": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "the text says what each costs by the piece"
    ),
    "multiple": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "no two values in sight come to it, whichever are meant"
    ),
    "own_cost": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "the price stands right beside it and is of one thing"
    ),
    "odd_ratio": AccusationBar(
        Certainty.CELL, Certainty.CELL, "the others of its column show what is divided by what"
    ),
    "cost_per_unit": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "no price in sight comes to it, by whatever it is divided"
    ),
    **{
        kind: AccusationBar(
            Certainty.SENTENCE,
            Certainty.SENTENCE,
            "the figures in sight do not come to it, whichever are meant",
        )
        for kind in ("mean_told", "range_told", "spread_cost", "lowered_to")
    },
    "rated_nowhere": AccusationBar(
        Certainty.SENTENCE,
        Certainty.SENTENCE,
        "no product in sight has it, alone or with the figure beside it",
    ),
    **{
        kind: AccusationBar(
            Certainty.SENTENCE,
            Certainty.SENTENCE,
            "no record in sight has it, nor do figures in sight come to it",
        )
        for kind in ("nowhere", "nowhere_amount")
    },
    **{
        kind: AccusationBar(
            Certainty.ADJOINED,
            Certainty.ADJOINED,
            "one product is certain, and its record states that very property once",
        )
        for kind in ("detailed", "part_value")
    },
    "side": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "it is the other way round beside all that may be meant"
    ),
    **{
        kind: AccusationBar(
            Certainty.SENTENCE, Certainty.SENTENCE, "it is weighed with all that speaks for another meaning"
        )
        for kind in ("weighed_figure", "weighed_value")
    },
    "superlative": AccusationBar(
        Certainty.SENTENCE, Certainty.SENTENCE, "it is first in no group in sight, whichever is meant"
    ),
    "name": AccusationBar(Certainty.ADJOINED, Certainty.LITERAL, "a label is no name: 4 of 7 were right"),
    "phrase": AccusationBar(
        Certainty.ADJOINED, Certainty.LITERAL, "names in a sentence may be of bodies, places and tests"
    ),
    "offer": AccusationBar(
        Certainty.ADJOINED,
        Certainty.LITERAL,
        "a capitalised line with an amount may be an ingredient, a category or a sum: 0 of 5 were right",
    ),
    "order_date": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "a date beside a word of buying: 15 of 15"
    ),
    "order_item": AccusationBar(
        Certainty.ADJOINED, Certainty.LITERAL, "what was bought must be what is linked: 0 of 1"
    ),
    "order_state": AccusationBar(Certainty.CLAUSE, Certainty.CELL, "the state of the order that is named"),
    "order_count": AccusationBar(
        Certainty.CLAUSE, Certainty.CELL, "how many must be of the thing that is linked: 0 of 1"
    ),
    "order_times": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "how often must be of what the sentence names: 0 of 1"
    ),
    "order_age": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "since when must be of what the sentence names: 1 of 2"
    ),
    "statistic": AccusationBar(
        Certainty.SENTENCE, Certainty.CELL, "a count beside the name of its part: 8 of 8"
    ),
    "reckoned": AccusationBar(
        Certainty.CLAUSE,
        Certainty.CLAUSE,
        "the count and what it is of stand together: the orders leave nothing open",
    ),
    **{
        kind: AccusationBar(
            Certainty.CLAUSE,
            Certainty.CLAUSE,
            "nothing that is named near it comes to it, however its words are understood",
        )
        for kind in ("own_count", "own_times", "own_times_short", "own_state", "own_day", "own_gap")
    },
    **{
        kind: AccusationBar(
            Certainty.CLAUSE,
            Certainty.CLAUSE,
            "what it is of stands right beside it, and there is one reading",
        )
        for kind in ("own_part", "own_between", "own_kind")
    },
    "spending": AccusationBar(Certainty.SENTENCE, Certainty.CELL, "an amount beside the name of the figure"),
    "place": AccusationBar(Certainty.CLAUSE, Certainty.LITERAL, "a place with its state, said of the reader"),
    **{
        kind: AccusationBar(Certainty.ADJOINED, Certainty.LITERAL, "a greeting of its own")
        for kind in ("person", "greeting")
    },
    **{
        kind: AccusationBar(
            Certainty.INFERRED, NEVER, "that nothing explains a figure is no proof: it is weighed"
        )
        for kind in (
            "left_amount",
            "left_unit_cost",
            "left_stars",
            "left_raters",
            "left_orders",
            "left_share",
            "left_multiple",
            "left_count",
            "left_measure",
            "own_together",
        )
    },
    "evidence": AccusationBar(
        Certainty.LITERAL, Certainty.LITERAL, "the figure stands nowhere in what is cited"
    ),
}
"""Kind of statement -> its bar. Shares are of accusations on texts of rounds 4 to 7 (of limits and offers 8 to 14) by rules that had not seen them."""


def held_back(kind: str, bound: Certainty, doubt: str | None = None) -> str | None:
    """Why an accusation is not made, by the table; `None` where it is."""
    bar = BARS[kind]
    if bound < bar.parsed:
        return f"bound by {bound.word} only, and {bar.why}"
    if bound < bar.outright and doubt is not None:
        return doubt
    return None
