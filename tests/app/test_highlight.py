"""Claims are marked in the rendered report without breaking it, whatever the report holds."""

from __future__ import annotations

import re

from drr.app.pages.markdown import safe_html
from drr.app.viewer.highlight import LinkTag, Stretch, marked_html, marked_text
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import examples

REPORT = """# Plan

- **Feeder** costs $43.99 [1](http://shop.example/B1).
- House

| Item | Price |
|---|---|
| Feeder | $43.99 |

1. First step
"""


def span(text: str, name: str = "c1", report: str = REPORT) -> Stretch:
    start = report.index(text)
    return Stretch(start, start + len(text), name, "full")


def texts(html: str, name: str = "c1") -> str:
    return " ".join(
        " ".join(
            re.findall(rf'<mark class="full" data-claim="{name}"(?: tabindex="0")?>(.*?)</mark>', html)
        ).split()
    )


def test_claims_are_marked_in_items_rows_and_headings() -> None:
    html = marked_html(REPORT, [span("- **Feeder** costs $43.99 [1](http://shop.example/B1).")])
    assert texts(html) == "Feeder costs $43.99 1 ."
    assert html.count("<li>") == 3
    assert 'href="http://shop.example/B1"' in html
    html = marked_html(REPORT, [span("| Feeder | $43.99 |")])
    assert "<table>" in html
    assert texts(html).split() == ["Feeder", "$43.99"]
    html = marked_html(REPORT, [span("# Plan", "c1"), span("1. First step", "c2")])
    assert "<h1><mark" in html
    assert texts(html, "c2") == "First step"
    assert "<ol>" in html
    html = marked_html("One two three four.", [Stretch(0, 7, "c1", "full"), Stretch(4, 13, "c2", "full")])
    assert texts(html, "c1") == "One two"
    assert texts(html, "c2").strip() == "three"
    html = marked_html("Hello there", [Stretch(0, 5, '"><script>', "full")])
    assert "<script" not in html
    assert marked_text("a <b> c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> c"
    assert marked_text("abc", [(2, 9), (1, 2)]) == "a<mark>b</mark>c"


def test_a_citation_marker_leads_to_its_source_inside_and_outside_of_claims() -> None:
    report = "A feeder [1] costs $5 [2]. And [x](http://a.example/)."
    links = [LinkTag(9, 12, "source-1"), LinkTag(22, 25, "source-2"), LinkTag(31, 34, "source-3")]
    html = marked_html(report, [Stretch(0, 15, "c1", "full")], links)
    assert '<a href="#source-1">[1]</a></mark>' in html
    assert ' <a href="#source-2">[2]</a>.' in html
    assert "source-3" not in html
    assert 'href="http://a.example/" target="_blank"' in html


@given(st.text(alphabet=st.sampled_from('ab*_`[]()<>|#-1. \n\U000f0000\U000f0001&"'), max_size=60), st.data())
@examples(300)
def test_marking_never_changes_the_text_nor_lets_markup_through(report: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(report)), min_size=2, max_size=4)))
    html = marked_html(
        report, [Stretch(cuts[0], cuts[1], "a", "full"), Stretch(cuts[-2], cuts[-1], "b", "none")]
    )
    assert "\U000f0000" not in html
    assert "\U000f0001" not in html
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= set(re.findall(r"</?([a-z0-9]+)", safe_html(report))) | {
        "mark", "em", "strong", "code", "p", "a", "li", "ul", "ol", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
        "pre", "br", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip


def test_numbered_sources_stay_lines_and_their_addresses_lead_there() -> None:
    """Also where a claim or a marker begins or ends in them; what is no such list runs on as Markdown has it."""
    report = "[1] Your order: https://shop.example/orders/1\n[2] A <b>page</b>, https://x.example/?a=1&b=2.\n[3] javascript:alert(1)"
    html = marked_html(report, [Stretch(0, 45, "c1", "full")], [LinkTag(0, 3, "source-1")])
    assert html.count("<br>") == 2 and '<a href="#source-1">' in html
    assert 'href="https://shop.example/orders/1"' in html and 'href="https://x.example/?a=1&amp;b=2"' in html
    assert html.count("<a ") == 3 and "<b>" not in html and 'rel="noopener noreferrer nofollow"' in html
    torn = marked_html(report, [Stretch(0, 30, "c1", "full")])
    assert "https://shop" not in "".join(re.findall(r'href="([^"]*)"', torn)) and "https://x.example/" in torn
    prose = marked_html("One line [1]\nand another https://x.example/1", [])
    assert "<br>" not in prose and "<a " not in prose
