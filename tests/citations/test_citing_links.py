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


@each(
    "mark",
    [
        *(
            "source",
            "Source",
            "link",
            "here",
            "ref",
            "c",
            "View product",
            "1",
            "[1]",
            "[1, 2]",
            "↗",
            "📎",
            "Source 2",
        ),
        *("acme.example", "www.acme.example", "Acme, 2024", "Smith et al., 2023", "Source: Acme Guide"),
        *("Acme", "Calmgate", "Calmgate hose page", "on the page"),
    ],
)
def test_a_link_behind_the_statement_is_a_mark(mark: str) -> None:
    for form in (
        f"[{mark}](U)",
        f"([{mark}](U))",
        f"(see [{mark}](U))",
        f"**[{mark}](U)**",
        f"— see [{mark}](U)",
    ):
        (claim,) = claims_of(f"The Calmgate hose costs $28.99 {form}.")
        assert (claim.text, claim.urls) == ("The Calmgate hose costs $28.99.", (URL,))
    (behind,) = claims_of(f"The Calmgate hose costs $28.99. [{mark}](U)")
    assert behind.text == "The Calmgate hose costs $28.99."


@pytest.mark.parametrize(
    ("said", "text"),
    cases("citations", "test_what_leads_to_the_mark_goes_with_it"),
)
def test_what_leads_to_the_mark_goes_with_it(said: str, text: str) -> None:
    assert [claim.text for claim in claims_of(said)] == [text]


@each(
    "said",
    [
        *(
            "The [Calmgate hose](U) costs $18.99.",
            "I recommend [Calmgate](U).",
            "I recommend the [Calmgate hose](U).",
        ),
        *(
            "The cheapest hose is [Calmgate](U).",
            "My choice is clearly [Calmgate](U).",
            "Best buy: [Calmgate hose](U).",
        ),
        *(
            "Price: [$18.99](U)",
            "It costs [$18.99](U).",
            "It costs $0.44 per [foot](U).",
            "Rich in vitamin [C](U).",
        ),
        *(
            "Buy 2 [Calmgate hoses](U).",
            "Buy the cheap $18.99 [Calmgate](U).",
            "It holds two [Acme](U) jugs.",
        ),
        *(
            "The price is $18.99 at [Acme](U).",
            "It always outlasts [Tallgrass](U).",
            "A [source](U) says it is long.",
        ),
        *(
            "The page [says](U) that it is long.",
            "The app supports [Node.js](U).",
            "Calmgate vs. [Tallgrass](U)",
        ),
        *(
            "They sell jugs at $17.99, [Bolt Cups](U) at $18.99.",
            "The Calmgate is cheaper than the other [Calmgate](U).",
            "According to [Acme](U), it is long.",
            "Top pick. [Calmgate hose](U)",
            "It holds 3 litres, [Bolt](U) says.",
        ),
        *(
            "- [Calmgate hose](U) - $18.99",
            "- $18.99 - [Calmgate hose](U)",
            "See [Calmgate hose](U) for beds.",
        ),
    ],
)
def test_words_that_the_sentence_needs_stay(said: str) -> None:
    (claim,) = claims_of(said)
    assert claim.text == said.removeprefix("- ").replace("(U)", "").replace("[", "").replace("]", "")


def test_a_sentence_that_only_points_is_no_claim_and_cites_the_one_before() -> None:
    (first, last) = claims_of("The hose is green. The hose is long. See [Acme Garden Guide](U).")
    assert (first.text, first.urls) == ("The hose is green.", ())
    assert (last.text, last.urls) == ("The hose is long.", (URL,))


def test_one_statement_with_two_marks_is_said_once() -> None:
    found = claims_of("The hose is green [source](U).\n\nThe hose is green. [here](U)\n")
    assert {claim.text for claim in found} == {"The hose is green."}
