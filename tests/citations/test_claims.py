"""Claims: verbatim, with the citations in their scope; and what a model names is taken only as far as the report holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from corpus import CORPUS, Counted
from drr.citations.parse import parse
from drr.eval.asking.conversation import Asking, Form
from drr.eval.evidence.claims import Claim, extract_by_rules
from drr.eval.tasks.claim_extraction import chunks, extract_with_model
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each

REPORT = """## Oklahoma

Oklahoma hosts over 60 species [1]. The most common, e.g. cardinals, come daily [2][3]. Here is my setup:

**ERYTLLY Station - $43.99** [4]

- 91" tall pole with 4 hooks
- No tools required. It has 4.5 stars from 2,067 reviews

| Phase | Items | Cost |
|---|---|---|
| 1 | Feeders | $129 |

Birds need food. They need water too.

Sources: [1], [2]

Per the [Audubon guide](https://aud.org/x), feeders work ([Audubon](https://aud.org/y)). Do they?

## Sources
[1] A: https://a.org
[2] B: https://b.org
[3] C: https://c.org
[4] E: http://ecommerce.example/B1
"""


def by_text(claims: Sequence[Claim]) -> dict[str, Claim]:
    return {claim.text: claim for claim in claims}


def test_each_sentence_item_and_row_has_the_citations_in_its_scope() -> None:
    claims = by_text(extract_by_rules(REPORT, parse(REPORT)))
    assert claims["Oklahoma hosts over 60 species."].urls == ("https://a.org",)
    assert claims["The most common, e.g. cardinals, come daily."].urls == ("https://b.org", "https://c.org")
    assert claims["ERYTLLY Station - $43.99"].urls == ("http://ecommerce.example/B1",)
    assert claims['91" tall pole with 4 hooks'].section_level
    assert claims["It has 4.5 stars from 2,067 reviews"].urls == ("http://ecommerce.example/B1",)
    assert "Phase: 1; Items: Feeders; Cost: $129" in claims
    assert claims["They need water too."].urls == ("https://a.org", "https://b.org")
    assert claims["They need water too."].section_level
    assert claims["Per the Audubon guide, feeders work."].urls == ("https://aud.org/x", "https://aud.org/y")
    assert not any("Do they" in text or "my setup" in text or text == "Oklahoma" for text in claims)


@each("counted", CORPUS)
def test_every_quote_is_verbatim_and_every_source_was_parsed(counted: Counted) -> None:
    citations = parse(counted.report)
    for claim in extract_by_rules(counted.report, citations):
        assert counted.report[claim.start : claim.end] == claim.quote
        assert counted.urls.issuperset(claim.urls)


@given(st.text(alphabet="aB1. \n|-[]()!?#*:。x", max_size=300))
def test_no_text_breaks_the_extraction(report: str) -> None:
    for claim in extract_by_rules(report, parse(report)):
        assert report[claim.start : claim.end] == claim.quote


HANGING = {
    "a long citation behind a stop": "Ten percent off. [Emberyard](http://e.example/"
    + "a" * 3_000
    + ") costs $19.99",
    "citations behind a stop": "Off." + "[1]" * 5_000 + " costs $19.99",
    "stops": "Well" + "." * 20_000 + "x",
    "dashes of a table": "|" + "-" * 20_000 + "x",
    "dashes and bars": "|-" * 10_000 + "x",
    "an open parenthesis": "Five feeders (" + " " * 20_000 + "x [1]",
    "a label": "Sources" + " " * 20_000 + "x [1]",
    "a quotation": ">" + " " * 20_000 + "x",
    "line ends": "One feeder." + "\n" * 20_000 + "x",
}
LIST = "\n\nFive feeders hang here [1].\n\n## Sources\n[1] https://a.org\n[2] https://b.org\n"


@pytest.mark.parametrize("text", HANGING.values(), ids=HANGING)
def test_no_line_without_end_hangs_the_extraction(text: str) -> None:
    claims = extract_by_rules(text + LIST, parse(text + LIST))
    assert claims[-1].text == "Five feeders hang here."
    assert claims[-1].urls == ("https://a.org",)


@given(st.lists(st.integers(1, 60), max_size=20), st.integers(5, 50))
def test_chunks_lose_nothing_and_stay_within_bounds(paragraphs: list[int], words: int) -> None:
    report = "\n\n".join(" ".join(f"w{n}" for n in range(count)) for count in paragraphs)
    spans = chunks(report, words)
    assert "".join(report[start:end] for start, end in spans) == report[: spans[-1][1] if spans else 0]
    assert all(len(report[start:end].split()) <= words for start, end in spans)
    assert not spans or not report[spans[-1][1] :].strip()


class Scripted:
    """A role whose answers are given: stands where a model would."""

    rule_written = False

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers = list(answers)
        self.seen: list[str] = []

    async def answer(self, asking: Asking[Form]) -> Form:
        self.seen.append(str(asking.messages[-1].content))
        return asking.form.model_validate(self.answers.pop(0))


async def test_what_the_report_does_not_hold_is_rejected_and_a_long_one_goes_in_chunks() -> None:
    rows = [
        ("Birds need  food.", "Birds need food.", "https://a.org/"),
        ("Oklahoma hosts over 60 species [1].", "Oklahoma has 60 species.", "https://a.org"),
        ("Pigs can fly.", "Pigs can fly."),
        ("Birds need food.", "Birds eat.", "https://invented.org"),
        ("Birds need food.", "Birds need food.", "https://a.org"),
    ]
    named = [{"quote": quote, "claim": claim, "sources": urls} for quote, claim, *urls in rows]
    model = Scripted({"claims": named})
    extraction = await extract_with_model(REPORT, parse(REPORT), model, "Find the claims.")
    assert [(claim.text, claim.urls, claim.section_level) for claim in extraction.claims] == [
        ("Oklahoma has 60 species.", ("https://a.org",), False),
        ("Birds need food.", ("https://a.org",), True),
        ("Birds eat.", (), False),
    ]
    assert extraction.rejects == {"quote_not_found": 1, "url_not_cited": 1, "duplicate": 1}
    long = REPORT.replace("Birds need food.", "Birds need food every day of the winter.\n\n" * 2000)
    model = Scripted(*({"claims": []} for _ in range(4)))
    await extract_with_model(long, parse(long), model, "Find the claims.")
    assert len(model.seen) == 3
    assert all("https://c.org" in seen and "http://ecommerce.example/B1" in seen for seen in model.seen)


@each(
    ("spelled", "quote"),
    [
        ("Card&#105;nals eat 9 kg. [a](https://x.example/long)", "Cardinals eat 9 kg."),
        ("Card\u200binals eat 9 kg.", "Cardinals eat 9 kg."),
        ("Cardinals\\. eat 9 kg.\n\n[//]: # (x)", "Cardinals. eat 9 kg."),
        ("Note <!-- see below\n\nCardinals eat 9 kg.", "Cardinals eat 9 kg."),
        ("```\nCardinals eat 9 kg.\n```", "Cardinals eat 9 kg."),
        ("- <span style='display:none'>Cardinals eat 9 kg.</span>", "Cardinals eat 9 kg."),
    ],
)
def test_a_claim_counts_however_the_report_spells_what_the_page_shows(spelled: str, quote: str) -> None:
    report = f"# Birds\n\n{spelled}\n"
    model = Scripted({"claims": [{"quote": quote, "claim": quote, "sources": []}]})
    (claim,) = asyncio.run(extract_with_model(report, parse(report), model, "Find the claims.")).claims
    assert quote in model.seen[0] and "eat 9 kg" in claim.quote and "# Birds" not in claim.quote


def test_a_chunk_that_begins_in_code_is_still_code() -> None:
    report = f"```\n{'one ' * 7_000}\n\n[//]: # (SECRET)\n```\n"
    model = Scripted({"claims": []}, {"claims": []})
    asyncio.run(extract_with_model(report, parse(report), model, "Find the claims."))
    assert "SECRET" in model.seen[1]
