"""The words of a link are words of the claim where its sentence needs them; behind what is complete they are a citation mark."""

from __future__ import annotations

import pytest
from drr.citations.parse import parse
from drr.eval.evidence.claims import Claim, extract_by_rules

from tests.cases import cases, each

URL = "https://www.acme.example/hose"


def claims_of(report: str) -> list[Claim]:
    report = report.replace("(U)", f"({URL})")
    found = extract_by_rules(report, parse(report))
    assert all(report[claim.start : claim.end] == claim.quote for claim in found)
    return found


@each("mark", cases("citations", "test_a_link_behind_the_statement_is_a_mark"))
def test_a_link_behind_the_statement_is_a_mark(mark: str) -> None:
    for form in ("{}", "({})", "(see {})", "**{}**", "— see {}"):
        (claim,) = claims_of(f"The Calmgate hose costs $28.99 {form.format(f'[{mark}](U)')}.")
        assert (claim.text, claim.urls) == ("The Calmgate hose costs $28.99.", (URL,))
    (behind,) = claims_of(f"The Calmgate hose costs $28.99. [{mark}](U)")
    assert behind.text == "The Calmgate hose costs $28.99."


@pytest.mark.parametrize(("said", "text"), cases("citations", "test_what_leads_to_the_mark_goes_with_it"))
def test_what_leads_to_the_mark_goes_with_it(said: str, text: str) -> None:
    assert [claim.text for claim in claims_of(said)] == [text]


@each("said", cases("citations", "test_words_that_the_sentence_needs_stay"))
def test_words_that_the_sentence_needs_stay(said: str) -> None:
    (claim,) = claims_of(said)
    assert claim.text == said.removeprefix("- ").replace("(U)", "").replace("[", "").replace("]", "")


def test_a_sentence_that_only_points_is_no_claim_and_one_statement_is_said_once() -> None:
    (first, last) = claims_of("The hose is green. The hose is long. See [Acme Garden Guide](U).")
    assert (first.text, first.urls) == ("The hose is green.", ())
    assert (last.text, last.urls) == ("The hose is long.", (URL,))
    found = claims_of("The hose is green [source](U).\n\nThe hose is green. [here](U)\n")
    assert {claim.text for claim in found} == {"The hose is green."}
