"""What speaks for an amount or a rating that it is wrong, and what against it: every reader, every reading and every doubt as a sign of its own.

Nothing here forbids. A reader that abstains for a word beside the figure leaves that word as a sign, and `weighing` says how much it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import BARS
from drr.eval.checks.considered.nearest import NearestThings
from drr.eval.checks.considered.tight import TightReadings
from drr.eval.checks.considered.worded import worded_of
from drr.eval.checks.leftover.said import MONEY, FigureKind, SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.rated_nowhere import UnratedFigure, unrated_figures
from drr.eval.checks.residue import residue_of
from drr.eval.checks.unit_costs import UnreachedCost, unreached_costs
from drr.wording.cues import CUES
from drr.wording.doubts import DOUBTS

KINDS = frozenset[FigureKind](("money", "unit", "rating", "ratings"))
_READ = ("known", "framed", "beside", "near", "around", "far")
_SLIPS = ("slip", "slip_framed", "slip_near")
_WEAK = 1.5
_REASONS = (
    ("misread", "more probably misread"),
    ("another", "another amount of its sentence"),
    ("unpriced", "no known price"),
    ("unworked", "not known"),
    ("recorded", "in the shopper's records"),
    ("over_time", "over a time"),
    ("others_money", "other people's money"),
    ("rounded", "is rounded"),
    ("no_sign", "it has no sign"),
    ("unlinked", "is not linked"),
    ("comes_to", "beside it come to it"),
    ("of_other", "may speak of other things"),
    ("would_be", "may speak of what would be"),
    ("not_so", "may speak of what is not so"),
    ("readers", "may speak of what the reader has"),
    ("choice", "may speak of another choice"),
    ("charge", "may speak of charges"),
    ("pace", "used over a time"),
    ("column", "the sum of the column"),
    ("a_limit", "a limit"),
    ("again", "said elsewhere"),
    ("row", "the sum of products in a row"),
    ("sum", "the sum of"),
    ("swapped", "in its place"),
    ("times_and", "times a price and another"),
    ("times", "times a price"),
    ("gap", "the difference of two amounts"),
    ("rest", " and a cost"),
    ("share", "% of an amount"),
    ("off", "an amount less"),
    ("less", "an amount said less"),
    ("price", "the price of"),
    ("together", "together"),
)
"""Why the ledger finds an amount explained or unclear, by words of its reason."""
_SHARE = re.compile(r"%|percent|per cent")
_MANY = 3
_BESIDE = 40


class FigureSigns:
    """Of the figures of one report, with what its rules raise against it."""

    def __init__(self, mentions: Mentions, raised: Mapping[Accusation, float]) -> None:
        """With the chance of each accusation where its weights give one, else 1."""
        self._mentions = mentions
        self._sight = sight_of(mentions)
        self._held = self._sight.held
        self._raised = dict(raised)
        self.cue = self._sight.cue
        self._tight, self._nearest = TightReadings(self._held), NearestThings(self._held)
        self._worded = worded_of(mentions)

    def every(self) -> Iterator[SaidFigure]:
        return (one for one in self._sight.every() if one.kind in KINDS)

    def of(self, one: SaidFigure) -> dict[str, float]:
        """Each sign between 0 and 1; those that are 0 are left out."""
        traits, cue = self._sight.traits(one), self._sight.cue(one)
        group = one.kind
        found: dict[str, float] = {f"is_{group}": 1.0}
        found |= self._of_traits(one.kind, cue, traits)
        found |= self._of_ledger(one) if one.kind in MONEY else {}
        found |= self._of_readers(one)
        found |= self._of_place(one)
        found |= {f"{name}_{group}": v for name, v in self._nearest.signs(one).items()}
        found |= self._tight.signs(one, cue)
        found |= self._worded.of(one, cue)
        found["cents"] = float(one.kind in MONEY and one.value < 1)
        return {name: value for name, value in found.items() if value}

    def is_charged(self, one: SaidFigure) -> bool:
        """Whether its sentence speaks of a charge or a voucher of which neither that nor what stands around it nor the question says how much: what that makes of an
        amount nobody can reckon."""
        close, stretch = self._held.around(one.start)
        plain = self._mentions.plain
        if "charged" not in DOUBTS.doubts(plain[slice(*close)]) or _SHARE.search(plain, *stretch):
            return False
        told = plain[close[0] : one.start], plain[one.end : close[1]], self._mentions.subject.query or ""
        return not any(map(DOUBTS.says_how_much, told))

    def _of_traits(self, kind: FigureKind, cue: str, traits: Mapping[str, float]) -> dict[str, float]:
        strongest = max(traits[name] for name in _READ)
        nothing, weak = float(strongest == 0), 1 - min(1.0, strongest * _WEAK)
        found = {**traits, f"nothing_{kind}": nothing, f"weak_{kind}": weak}
        for name in _READ:
            found |= {f"any_{name}": float(traits[name] > 0), f"{name}_{kind}": traits[name]}
        for name in _SLIPS:
            found |= {f"{name}_{kind}": traits[name], f"{name}_weak": traits[name] * weak}
        found |= {f"odd_{kind}": traits["odd"], "nothing_dense": nothing * traits["dense"]}
        unframed = float(traits["framed"] == 0)
        bound = float(not traits["loose"] and not traits["known"] and not traits["beside"])
        found |= {f"bound_{kind}": bound, "long_nothing": traits["long"] * nothing}
        found[f"slip_framed_else_{kind}"] = traits["slip_framed"] * unframed
        if kind in MONEY:
            found |= {f"cue_{cue}": 1.0, f"unframed_{cue}": unframed}
        return found

    def _of_ledger(self, one: SaidFigure) -> dict[str, float]:
        entry, figure = self._held.ledger.by_start.get(one.start), self._held.said.money.get(one.start)
        if figure is None or entry is None:
            return {"no_entry": 1.0}
        reason = next((name for name, words in _REASONS if words in entry.why), "other")
        found = {
            f"ledger_{entry.status}": 1.0,
            f"ledger_{entry.status}_{figure.cue.kind}": 1.0,
            "exact": float(figure.exact),
            f"exact_{entry.status}": float(figure.exact),
            "column": float(figure.column is not None),
            "worked_out": float(entry.worked_out),
            "per": float(bool(figure.cue.per)),
            "no_sign": float(one.start in self._held.ledger.bare),
        }
        if entry.status != "wrong":
            found[f"{entry.status}_{reason}"] = 1.0
        else:
            found[f"wrong_{entry.bound.word}"] = 1.0
        return found

    def _of_readers(self, one: SaidFigure) -> dict[str, float]:
        """What the rules raise against it, with their doubts, and what two readers hold back."""
        found: dict[str, float] = {}
        met, others = [], set()
        for each in self._raised:
            if each.kind not in BARS or each.kind == "evidence":
                continue  # that a page does not state it says nothing of its truth
            if each.span[0] < one.end and one.start < each.span[1]:
                met.append(each)
            elif not (each.kind or "").startswith("left_"):
                others.add(each.span[0])
        for each in met:
            found[f"raised_{each.kind}_{'doubted' if each.doubt else 'plain'}"] = 1.0
        plain = [each for each in met if not each.doubt and not (each.kind or "").startswith("left_")]
        found["raised_plain"] = float(bool(plain))
        found["raised_chance"] = max((self._raised[each] for each in plain), default=0.0)
        found["raised_unsure"] = float(bool(plain)) * (1 - found["raised_chance"])
        found["doubted_chance"] = max((self._raised[each] for each in met if each.doubt), default=0.0)
        found["raised_others"] = min(1.0, len(others) / _MANY)
        for name, against in self._held_back(one):
            found[f"{name}"] = 1.0
            found[f"{name}_free"] = float(not against)
            found |= {f"{name}_{word}": 1.0 for word in against}
        return found

    def _held_back(self, one: SaidFigure) -> Iterator[tuple[str, frozenset[str]]]:
        for each in self._unrated:
            if each.accusation.span[0] < one.end and one.start < each.accusation.span[1]:
                yield f"unrated_{each.kind}", each.against
        for cost in self._unreached:
            if cost.accusation.span[0] == one.start:
                yield "unreached", cost.against

    @cached_property
    def _unrated(self) -> Sequence[UnratedFigure]:
        return unrated_figures(self._mentions)

    @cached_property
    def _unreached(self) -> Sequence[UnreachedCost]:
        return unreached_costs(self._mentions)

    def _of_place(self, one: SaidFigure) -> dict[str, float]:
        """The doubts of its sentence, and what kind of line it stands in."""
        close, _ = self._held.around(one.start)
        clause = self._held.prose.clause_at(one.start)
        plain = self._mentions.plain
        line = self._held.prose.line_at(one.start)
        named = {key for each in self._held.cast.within(*close) for key in each.products}
        open_here = [
            entry
            for figure in self._held.ledger.within(*close)
            if figure.start != one.start
            and (entry := self._held.ledger.by_start.get(figure.start)) is not None
            and entry.status != "explained"
        ]
        found = {f"doubt_{kind}": 1.0 for kind in DOUBTS.doubts(plain[slice(*close)])}
        found |= {f"near_doubt_{kind}": 1.0 for kind in DOUBTS.doubts(plain[slice(*clause)])}
        found |= {
            "web": float(residue_of(self._mentions).cites_the_web(close)),
            "stranger": float(self._held.cast.names_a_stranger(close)),
            "named_nobody": float(not named),
            "named_many": float(len(named) > _MANY - 1),
            "open_here": min(1.0, len(open_here) / _MANY),
            "share_beside": float(_SHARE.search(plain, *close) is not None),
            "asked": float("?" in plain[slice(*close)]),
            "units_here": float(line is not None and bool(CUES.units_in(plain[line.start : line.end]))),
            "percent_before": float("%" in plain[max(close[0], one.start - _BESIDE) : one.start]),
        }
        if line is not None:
            found[f"line_{line.kind}"] = 1.0
        return found
