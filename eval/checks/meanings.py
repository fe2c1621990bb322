"""The readers that accuse what no meaning of the words makes true, one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drr.eval.checks.base import Accusation
from drr.eval.checks.details.figures import figures_otherwise
from drr.eval.checks.details.parts import parts_otherwise
from drr.eval.checks.firsts import misread_firsts
from drr.eval.checks.in_text.costs import wrong_told_costs
from drr.eval.checks.in_text.held_sides import wrong_held_sides
from drr.eval.checks.in_text.lowered import wrong_new_prices
from drr.eval.checks.in_text.means import wrong_means
from drr.eval.checks.in_text.multiples import misread_told_multiples
from drr.eval.checks.in_text.odd_ratios import wrong_ratio_cells
from drr.eval.checks.in_text.own_costs import wrong_own_costs
from drr.eval.checks.in_text.ranges import wrong_ranges
from drr.eval.checks.in_text.sides import wrong_told_sides
from drr.eval.checks.in_text.spoken_multiples import misread_spoken_multiples
from drr.eval.checks.in_text.spread_costs import wrong_spread_costs
from drr.eval.checks.listed_means import wrong_listed_means
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.multiples import misread_multiples
from drr.eval.checks.named_multiples import misread_named_multiples
from drr.eval.checks.no_ones_values import values_of_no_one
from drr.eval.checks.not_its_own import not_its_own
from drr.eval.checks.nowhere import found_nowhere
from drr.eval.checks.raters_in_a_row import wrong_raters_in_a_row
from drr.eval.checks.sides import wrong_sides
from drr.eval.checks.superlatives import misread_superlatives
from drr.eval.checks.superlatives_by_figure import wrong_firsts_by_figure
from drr.eval.checks.unit_costs import misread_unit_costs

READERS: tuple[Callable[[Mentions], Iterator[Accusation]], ...] = (
    misread_multiples,
    misread_superlatives,
    misread_unit_costs,
    found_nowhere,
    not_its_own,
    values_of_no_one,
    wrong_sides,
    wrong_means,
    wrong_ranges,
    wrong_spread_costs,
    wrong_new_prices,
    figures_otherwise,
    parts_otherwise,
    wrong_told_sides,
    wrong_told_costs,
    misread_told_multiples,
    misread_firsts,
    misread_named_multiples,
    wrong_raters_in_a_row,
    wrong_listed_means,
    wrong_own_costs,
    wrong_ratio_cells,
    wrong_firsts_by_figure,
    wrong_held_sides,
    misread_spoken_multiples,
)


def true_in_no_meaning(mentions: Mentions) -> Iterator[Accusation]:
    """What each of them finds."""
    for reader in READERS:
        yield from reader(mentions)
