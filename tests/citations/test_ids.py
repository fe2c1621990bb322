"""Lists of references that name products of a shop by their ids."""

from __future__ import annotations

import pytest
from drr.citations.parse import parse

HOME = "http://shop.example"
BODY = "The tube [1] is fine, the jar [2] too, and so is [3].\n\n"
PAGES = {str(n): f"{HOME}/B0{n}AAAAAAA" for n in (1, 2, 3)}
IDS = [url.rsplit("/", 1)[1] for url in PAGES.values()]


@pytest.mark.parametrize(
    "form",
    [
        "[1] {} \u00b7 [2] {} \u00b7 [3] {}",
        "[1] {} [2] {} [3] {}",
        "Sources: [1] {}, [2] {}, [3] {}",
        "[1] {}\n[2] {}\n[3] {}",
        "## Sources\n- [1] Northglow tube ({})\n- [2] Derma jar: {}\n- [3] {}.",
        "[1]: {}\n[2]: {}\n[3]: {}",
    ],
)
def test_an_id_alone_in_an_entry_is_the_page_of_the_shop(form: str) -> None:
    cited = parse(BODY + form.format(*IDS), HOME)
    assert {marker.id: marker.url for marker in cited.markers if marker.end < len(BODY)} == PAGES
    assert [source.url for source in cited.sources] == [*PAGES.values()]
    assert not cited.defects
    assert IDS[0] not in cited.body


def test_without_a_shop_an_id_leads_nowhere() -> None:
    cited = parse(BODY + "\n".join(f"[{n}] {one}" for n, one in enumerate(IDS, 1)))
    assert {marker.reason for marker in cited.markers} == {"entry_without_url"} and not cited.sources


@pytest.mark.parametrize(
    "text",
    [
        f"- the tube ({IDS[0]}) at $9.99\n- the jar ({IDS[1]}) at $8.00",
        f"[1] the tube ({IDS[0]}) costs $9.99\n[2] the jar ({IDS[1]}) costs $8.00",
        f"See [1] {IDS[0]} and what [2] says of {IDS[1]}, which is more.",
        "[1] B0SHORT [2] B0MUCHTOOLONGFORANID",
    ],
)
def test_an_id_in_what_is_said_is_no_link(text: str) -> None:
    assert not parse(text, HOME).sources


def test_an_address_in_its_line_is_what_the_entry_gives() -> None:
    text = f"{BODY}[1] {IDS[0]} https://other.example/a\n[2] https://other.example/b\n[3] https://other.example/c"
    assert {source.url.partition("//")[2][:13] for source in parse(text, HOME).sources} == {"other.example"}
