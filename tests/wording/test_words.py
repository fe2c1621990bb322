"""Each word of ours earns its place: the case that its file names is read otherwise without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drr.eval.checks.mentions import PageWords
from drr.papers.dr3.judging.subjects import FactWords
from drr.papers.dr3.value_forms import RateWords
from drr.papers.pdr.context_check import DenialReader
from drr.papers.pdr.judging.violations import WordReader
from drr.papers.pdr.person_truth import AddressReader
from drr.papers.reporteval.judging.passages import SummaryReader
from drr.wording.dates import PeriodReader
from drr.wording.figures import HEDGES, Hedges, UnitReader
from drr.wording.limits import CountReader, ExclusionReader, LimitReader
from drr.wording.money import MoneyReader
from drr.wording.personal import CircumstanceReader
from drr.wording.states import PLACES, PlaceReader
from drr.wording.vocabulary import Wordbook, vocabularies, vocabulary

from tests.cases import each

Reading = Callable[[Wordbook, str], Any]


def hedged(words: Wordbook, text: str) -> Any:
    """By each of the ways in which a figure may be hedged, at the text's first figure."""
    hedges = Hedges(words)
    at = next(index for index, letter in enumerate(text) if letter.isdigit())
    amounts = MoneyReader(vocabulary("money"), hedges).amounts(text)
    return [amount.approx for amount in amounts], hedges.before.search(text[:at]) is None


def of_facts(words: FactWords, text: str) -> Any:
    """The words of each kind that stand there; a denial stands before the value at the end."""
    kinds = {"places": words.places, "doors": words.doors, "sellers": words.sellers, "makers": words.makers}
    kinds |= {"disowned": words.disowned, "amiss": words.amiss, "others": words.others, **words.cues}
    kinds |= {"aside": words.aside, "untrusted": words.untrusted}
    found = {name: kind.findall(text) for name, kind in kinds.items()}
    at = text.find("36")
    return found, words.is_denied(text, at), words.is_worked_out(text, at), words.turns(text)


def told_rates(words: RateWords, text: str) -> Any:
    often = words.often.search(text)
    negated = words.negated.search(text[: text.find("more than") + 1])
    return (
        words.each(text, text.find("8") + 1),
        often and often[0],
        words.before.findall(text),
        negated is None,
    )


READINGS: dict[str, Reading] = {
    "addressing": lambda words, text: AddressReader(words).tells_reader(text),
    "again": lambda words, text: WordReader(words).speaks(text),
    "circumstances": lambda words, text: CircumstanceReader(words).found_in(text),
    "counts": lambda words, text: CountReader(words).count(text),
    "denials": lambda words, text: DenialReader(words).read(text),
    "exclusions": lambda words, text: ExclusionReader(words).exclusions(text),
    "facts": lambda words, text: of_facts(FactWords(words), text),
    "hedges": hedged,
    "limits": lambda words, text: LimitReader(words).limits(text),
    "money": lambda words, text: list(MoneyReader(words, HEDGES).amounts(text)),
    "pages": lambda words, text: PageWords(words).is_of_a_page(text.casefold().split()),
    "periods": lambda words, text: (PeriodReader(words).months(text), PeriodReader(words).deadline(text)),
    "places": lambda words, text: PlaceReader(words, PLACES).region(text),
    "purchases": lambda words, text: WordReader(words, "verbs", "nouns").speaks(text),
    "states": lambda words, text: PlaceReader(vocabulary("places"), words).region(text),
    "summaries": lambda words, text: SummaryReader(words).is_summary(text),
    "told_values": lambda words, text: told_rates(RateWords(words), text),
    "units": lambda words, text: [UnitReader(words).named(word) for word in text.split()],
}
"""File of words -> what is read with it."""
OURS = [
    (name, group, word)
    for name in vocabularies()
    for group, rows in vocabulary(name).groups.items()
    for word in rows.words
    if rows.source is None
]


@each("name", vocabularies())
def test_every_group_has_a_source_or_a_case_for_each_word(name: str) -> None:
    without = [
        f"{group}: {word}"
        for group, rows in vocabulary(name).groups.items()
        for word in rows.words
        if rows.source is None and word not in rows.cases
    ]
    assert without == []


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({name for name, _, _ in OURS}))
def test_without_a_word_of_ours_its_case_is_read_otherwise(name: str) -> None:
    words, read = vocabulary(name), READINGS[name]
    idle = []
    for _, group, word in (row for row in OURS if row[0] == name):
        case = words.groups[group].cases[word]
        if read(words, case) == read(words.without(group, word), case):
            idle.append(f"{group}: {word!r} decides nothing in {case!r}")
    assert idle == []


def test_a_file_names_no_word_twice_in_a_group() -> None:
    twice = [
        f"{name}, {group}"
        for name in vocabularies()
        for group, rows in vocabulary(name).groups.items()
        if len(set(rows.words)) < len(rows.words)
    ]
    assert twice == []
