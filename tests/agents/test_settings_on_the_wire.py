"""What of the person reaches a model under each setting: every request of every variant is read, on the wire."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from drr.agents.registry import PAPER
from drr.app.cli import main
from drr.env.settings import Settings
from drr.papers.pdr.person import Person

from tests.agents.garden import ANNA, write_shop
from tests.cases import cases
from tests.persons.remembering import CLUES, FIRST, STATEMENTS, built, write_contexts
from tests.wire import Request, Say, Wire

pytestmark = pytest.mark.long

OWN = (ANNA, "Anna", "Ortiz", "anna@post.example", "657-735-4762", "Daniel Plains", "Norman", "73019",
       "1000000000000003", "1000000000000002")  # fmt: skip
"""Of her record and her orders."""
USER_TOOLS = cases("agents", "USER_TOOLS")
PERSON = Person(person_id="p-1", user_id=ANNA, attributes=FIRST.attributes)
QUERY = {"query": "Which bird house suits bluebirds in a small garden?", "user_id": ANNA, "person_id": "p-1"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("settings")
    write_shop(str(home / "shop"), Settings())
    (home / "queries.jsonl").write_text(json.dumps(QUERY))
    (home / "persons.jsonl").write_text(json.dumps(PERSON.line()))
    write_contexts(home / "contexts", [built(PERSON)], sizes={"2k": 2000})
    return home


def snoop(request: Request) -> Say:
    """Asks for whatever it can get of the shopper, by every tool, offered or not, for an id that it can only guess."""
    body = json.dumps(request.body)
    offered = [tool["name"] for tool in request.body.get("tools", ())]
    turns = sum(message["role"] == "assistant" for message in request.body["messages"])
    user = ANNA if ANNA in body else "AEGUESSGUESS1"
    asked = [
        (name, {"order_id": "1"} if name == "get_order_details" else {"user_id": user})
        for name in USER_TOOLS
        if name != "update_user_profile"
    ]
    search = [("product_catalog_search", {"query": "bird house"})]
    if not offered and "output_config" in request.body:
        calls = [
            {"id": f"c{n}", "tool": name, "arguments": given}
            for n, (name, given) in enumerate([*asked, *search])
        ]
        return Say(json.dumps({"calls": calls, "sections": []}))
    if "launch_researcher" in offered and not turns:
        return Say(calls=[("launch_researcher", {"sub_problem": "who asks, and which house?"})])
    if "launch_researcher" in offered or (offered and turns):
        return Say(calls=[("finalize", {})]) if "finalize" in offered else Say("2 were looked at.")
    return Say(calls=[*asked, *search]) if offered else Say("A cedar house of 9 inches will do.")


def requests_under(home: Path, setting: str, at: Path, variants: Sequence[str] = PAPER) -> Sequence[str]:
    words = ["run", str(at), "--queries", str(home / "queries.jsonl"), "--shop", str(home / "shop"), "--settings", setting,
             "--persons", str(home / "persons.jsonl"), "--contexts", str(home / "contexts"), "--quiet",
             "--variants", ",".join(variants), "--model", "anthropic:claude-sonnet-5-5"]  # fmt: skip
    with Wire(snoop) as wire:
        main([*words, "--base-url", wire.url])
        return [json.dumps(request.body, ensure_ascii=False) for request in wire.requests]


GIVEN = cases("agents", "GIVEN")


@pytest.mark.parametrize("setting", GIVEN)
def test_no_byte_holds_more_than_the_setting_allows(home: Path, tmp_path: Path, setting: str) -> None:
    sent = requests_under(home, setting, tmp_path / "study")
    assert len(sent) >= 3 * len(PAPER)
    found = {
        "own": [word for word in OWN if any(word in body for body in sent)],
        "said": [said for _, said in STATEMENTS if any(said in body for body in sent)],
        "shown": [clue for clue in CLUES if any(clue in body for body in sent)],
    }
    for kind, words in found.items():
        assert bool(words) == (kind in GIVEN[setting]), (kind, words)
    offered = {tool["name"] for body in sent for tool in json.loads(body).get("tools", ())}
    assert (not offered.isdisjoint(USER_TOOLS)) == ("own" in GIVEN[setting])


def test_every_variant_is_told_what_the_setting_gives(home: Path, tmp_path: Path) -> None:
    """Each in at least one request of its own: a variant that drops the person would be compared under a wrong name."""
    for variant in ("plan-to-function", "react", "hybrid-react"):
        words = ["run", str(tmp_path / variant), "--queries", str(home / "queries.jsonl"), "--shop", str(home / "shop"),
                 "--settings", "persona", "--persons", str(home / "persons.jsonl"), "--quiet",
                 "--variants", variant, "--model", "anthropic:claude-sonnet-5-5"]  # fmt: skip
        with Wire(snoop) as wire:
            main([*words, "--base-url", wire.url])
            bodies = [json.dumps(request.body, ensure_ascii=False) for request in wire.requests]
        assert any(STATEMENTS[0][1] in body for body in bodies), variant


def test_judges_are_asked_the_same_whatever_the_agent_was_given(home: Path, tmp_path: Path) -> None:
    """The same report under two settings: their requests are equal byte by byte."""
    asked = []
    for setting in ("task", "persona"):
        at = tmp_path / setting
        requests_under(home, setting, at, ("react",))
        with Wire([Say("{}")] * 99) as wire:
            main(["judge", str(at), "--what", "quality", "--judge", "anthropic:claude-sonnet-5-5",
                  "--base-url", wire.url, "--quiet"])  # fmt: skip
            asked.append(sorted(json.dumps(request.body, sort_keys=True) for request in wire.requests))
    assert asked[0] == asked[1] != []
    assert not any("@persona" in body for body in asked[1])
