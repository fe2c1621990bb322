"""A statement takes the citation of the item, line or heading that it belongs to, and never that of the next."""

from __future__ import annotations

import pytest
from drr.citations.parse import parse
from drr.eval.evidence.claims import extract_by_rules
from drr.eval.tasks.extraction import EXTRACTION

from tests.cases import each

OF_OATIE, OF_PIPKIN = "http://ecommerce.example/B0Q7E0V2BA", "http://ecommerce.example/B08W6K2DK3"
OATIE = f"[Oatie Hardware-Mounted Baby Safety Gate]({OF_OATIE})"
PIPKIN = f"[Pipkin Auto-Close Baby Safety Gate]({OF_PIPKIN})"
LIST = f"\n\n## Sources\n\n[1] Oatie: {OF_OATIE}\n[2] Pipkin: {OF_PIPKIN}\n"


def cited(report: str) -> dict[str, set[str]]:
    """Map what is said of a price or stars to the addresses that it cites."""
    names = {OF_OATIE: "O", OF_PIPKIN: "P"}
    return {
        claim.text: {names[url] for url in claim.urls}
        for claim in extract_by_rules(report, parse(report))
        if "Gate" not in claim.text
    }


TWO = {"Price: $46.99": {"O"}, "Rating: 4.5 of 5": {"O"}, "Price: $61.99": {"P"}, "Rating: 3.5 of 5": {"P"}}
BELOW = ("  - Price: $46.99\n  - Rating: 4.5 of 5\n", "  - Price: $61.99\n  - Rating: 3.5 of 5\n")
FLAT = tuple(one.replace("  - ", "- ") for one in BELOW)
FORMS = {
    "items below an item that is a link": f"- {OATIE}\n{BELOW[0]}- {PIPKIN}\n{BELOW[1]}",
    "the same in bold": f"- **{OATIE}**\n{BELOW[0]}- **{PIPKIN}**\n{BELOW[1]}",
    "the same with numbers": f"1. {OATIE}\n{BELOW[0]}2. {PIPKIN}\n{BELOW[1]}".replace("  - ", "   - "),
    "the same with blank lines": f"- {OATIE}\n\n{BELOW[0]}\n- {PIPKIN}\n\n{BELOW[1]}",
    "the same in a quotation": "".join(f"> {one}\n" for one in f"- {OATIE}\n{BELOW[0]}- {PIPKIN}\n{BELOW[1]}".splitlines()),
    "items below a name with its mark": f"- **Oatie Gate** [1]\n{BELOW[0]}- **Pipkin Gate** [2]\n{BELOW[1]}{LIST}",
    "labels below an item that says more": f"- {OATIE} is a sturdy Gate\n{BELOW[0]}- {PIPKIN} is a white Gate\n{BELOW[1]}",
    "items below an address": f"- {OF_OATIE}\n{BELOW[0]}- {OF_PIPKIN}\n{BELOW[1]}",
    "items below a link on its own line": f"{OATIE}\n\n{FLAT[0]}\n{PIPKIN}\n\n{FLAT[1]}",
    "items below a bold name": f"**Oatie Gate** [1]\n{FLAT[0]}\n**Pipkin Gate** [2]\n{FLAT[1]}{LIST}",
    "items below a heading": f"### {OATIE}\n\n{FLAT[0]}\n### {PIPKIN}\n\n{FLAT[1]}",
    "labels of paragraphs of their own": f"### {OATIE}\n\nPrice: $46.99\n\nRating: 4.5 of 5\n\n### {PIPKIN}\n\nPrice: $61.99\n\nRating: 3.5 of 5\n",
}  # fmt: skip


@each("report", FORMS.values())
def test_a_line_takes_the_citation_of_the_product_that_it_stands_below(report: str) -> None:
    assert cited(report) == TWO


@pytest.mark.parametrize("first", ["{}\n", "Take these:\n\n{}\n", "### {}\n\n", "**{}**\n"])
def test_a_labelled_line_takes_the_link_right_above(first: str) -> None:
    report = f"{first.format(OATIE)}Price: $46.99\n\n{first.format(PIPKIN)}Price: $61.99\n"
    assert cited(report) == {"Price: $46.99": {"O"}, "Price: $61.99": {"P"}}


OPEN = {
    "a flat list": f"- {OATIE}\n- The Lumo costs $46.99\n- {PIPKIN}\n- The Zazu costs $61.99\n",
    "a link below lines of nobody": f"- Price: $46.99\n- {PIPKIN}\n  - Screws into the wall\n",
    "prose behind a list": f"- {OATIE}\n  - Screws into the wall\n\nEverybody can mount it.\n\n- {PIPKIN}\n",
    "a name without a citation": f"- **Lumo**\n  - Price: $46.99\n- {PIPKIN}\n  - Screws into the wall\n",
    "prose below what says more": f"- {OATIE} costs $46.99\n  - The Lumo Door is cheaper\n- {PIPKIN}\n",
    "an item with two links": f"- {OATIE} or {PIPKIN}\n  - Price: $46.99\n",
    "another name below": f"- {OATIE}\n  - Screws into the wall\n  - Or the Lumo:\n    - Price: $9.99\n- {PIPKIN}\n",
    "another name below a heading": f"### {OATIE}\n- Cheaper: the Lumo\n  - Price: $9.99\n",
    "a sum below links on their own lines": f"{OATIE}\nScrews: four of them\n\n{PIPKIN}\nScrews: four of them\n\nTogether: $108.98\n",
    "prose below a link on its own line": f"{OATIE}\n\nEverybody can mount it.\n\n{PIPKIN}\n",
    "a heading without a link": f"### {OATIE}\n\n### Lumo\n\nPrice: $46.99\n\n### {PIPKIN}\n",
    "an alternative": f"### {OATIE}\n- Alternative: the Lumo costs $9.99\n- Price: $9.99\n",
    "an alternative by its name": f"### {OATIE}\n- Runner-up: Lumo Door, $9.99\n- Price: $9.99\n",
    "another thing below a heading": f"### {OATIE}\n- Lumo Door costs $9.99\n- Price: $9.99\n",
    "another link behind a label": f"### {OATIE}\n- Alternative: {PIPKIN}\n- Price: $9.99\n",
    "a denied thing": f"### {OATIE}\n- Not Lumo Door: it costs $9.99\n- Price: $9.99\n",
    "a new order": f"### {OATIE}\n- Order 5260 of 3 May took two days\n- Order 5261: two pieces\n- Price: $9.99\n",
    "a list of nobody, then a product": f"Price: $46.99\n\n{PIPKIN}\nScrews: four\n",
}  # fmt: skip


@each("report", OPEN.values())
def test_where_the_structure_is_unclear_nothing_is_cited(report: str) -> None:
    found = cited(report)
    own = {
        "Screws into the wall": "O" if "wall\n" in report.partition(PIPKIN)[0] else "P",
        "Screws: four": "P",
        "Screws: four of them": "P",
    }
    assert found and found == {text: {own[text]} if text in own else set() for text in found}


def test_a_citation_behind_an_item_cites_it_and_one_in_its_last_sentence_that_sentence() -> None:
    report = f"- It costs $46.99. It has 4.5 stars. [1]\n- It costs $61.99. It has 3.5 stars [2].\n{LIST}"
    assert list(cited(report).values()) == [{"O"}, {"O"}, set(), {"P"}]
    assert cited(f"- It costs $46.99. It beats the {PIPKIN}\n")["It costs $46.99."] == set()


def test_a_source_below_statements_still_cites_them() -> None:
    listed = f"- It costs $46.99\n  - [source]({OF_OATIE})\n- It has 3.5 stars\n  - Source: {PIPKIN}\n"
    assert cited(listed) == {"It costs $46.99": {"O"}, "It has 3.5 stars": {"P"}}
    below = f"It costs $46.99 here.\n[The shop's page]({OF_OATIE})\n\nIt has 3.5 stars here.\n\n[The shop's page]({OF_PIPKIN})\n"
    assert list(cited(below).values()) == [{"O"}, {"P"}]


@pytest.mark.parametrize(
    ("judge", "version"), [("code", 14), ("rules-2", 14), ("anthropic:claude-sonnet-5-5", 11)]
)
def test_what_a_model_found_before_stays_valid(judge: str, version: int) -> None:
    assert EXTRACTION.version_by(judge) == version
