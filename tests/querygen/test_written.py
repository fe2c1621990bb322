"""A writer words checkable questions; a second reader, who sees the texts alone, proves the words, and nothing is paid twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.querygen.composing import QuestionMaker, drawn_records
from drr.querygen.slots import ShopLists

from tests.commands import Drr
from tests.wire import Fail, Reply, Request, Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"
_SLOT = re.compile(r"^  (\d+)\. ([a-z ,]+): (.*)$")


def prompt(request: Request) -> str:
    content = request.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def hidden(value: str) -> str:
    """The value in lower case with its words turned around, as no text may have a kind's own name."""
    return " ".join(reversed(value.lower().split()))


def write(text: str, spoil: Callable[[str], str] = lambda text: text) -> Say:
    """A writer whose words are odd and exact."""
    texts = []
    for part in text.partition("# The records")[2].split("## Record ")[1:]:
        heads = [line for line in part.partition("The shopper's orders:")[0].splitlines() if line]
        words, spans, number = ["Please look in the shop for what I need and have it for me"], [], 0
        for line in heads:
            if found := _SLOT.match(line):
                name, value = found[2], found[3]
                name = "budget" if name.startswith("budget") else name
                spans.append(f"<{name} = {hidden(value)}>")
                words.append(spans[-1])
            elif line.startswith(("product ", "figure ")):
                number += 1
                words.append(f"and so i want [{line[0]}]")
        texts.append({"text": spoil(" ".join(words)), "spans": spans})
    return Say(json.dumps({"answers": texts}))


def read(text: str, spoil: Callable[[dict[str, Any]], None] = lambda reading: None) -> Say:
    """A reader of those words."""
    readings = []
    for part in text.partition("# The texts")[2].split("## Text ")[1:]:
        points: dict[str, list[list[str]]] = {"p": [], "f": []}
        budget, own = "", part.partition("The shopper's orders:")[0]
        for chunk in own.split("and so i want [")[1:]:
            points[chunk[0]].append([])
            for name, value in re.findall(r"<([a-z ]+) = (.*?)>", chunk):
                if name == "budget":
                    budget = value
                else:
                    points[chunk[0]][-1].append(f"{name}: {hidden(value)}")
        readings.append({"products": points["p"], "figures": points["f"], "budget": budget})
        spoil(readings[-1])
    return Say(json.dumps({"answers": readings}))


def answered(request: Request) -> Say:
    text = prompt(request)
    return write(text) if text.startswith("You write") else read(text)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.commands import drr

    home = tmp_path_factory.mktemp("written")
    (home / "axes.toml").write_text(
        "products = 260\nusers = 300\nreviews = 2600\nkinds = 12\npages = 6\nquestions = 0\n"
    )
    assert (
        drr("shop", "make", "--seed", 5, "--axes", home / "axes.toml", "--out", home / "made", "--quiet") == 0
    )
    return home / "made"


def words(made: Path, out: Path, url: str, count: int, *more: object) -> Sequence[object]:
    own = ("--shop", made / "shop", "--sandbox", made / "web", "--out", out, "--base-url", url, "--quiet")
    return ("queries", "generate", "--checkable", "--writer", MODEL, "--count", count, *own, *more)


@pytest.mark.slow
def test_texts_that_a_reader_understands_are_kept_and_hold_every_check(
    drr: Drr, made: Path, tmp_path: Path
) -> None:
    out = tmp_path / "q.jsonl"
    with Wire(answered) as wire:
        drr.out(*words(made, out, wire.url, 7))
        asked = [prompt(one) for one in wire.requests]
        drr.out(*words(made, out, wire.url, 7))
        assert len(wire.requests) == len(asked), "a paid answer was asked for again"
    queries = read_queries(out)
    assert len(queries) == 7
    assert all(query.model == MODEL and query.rule_written is None for query in queries)
    assert all(query.checkable and query.checkable.stated for query in queries)
    assert max(sum(one.startswith("You write") for one in asked), 1) < 7, "several questions share a request"
    readers = [one for one in asked if one.startswith("You read")]
    assert readers
    assert not any("## Record" in one or "Manner:" in one for one in readers), "the reader sees no record"
    drr.out("queries", "check", out, "--shop", made / "shop", "--sandbox", made / "web")


def test_a_reader_has_the_details_of_a_kind_that_only_an_order_names(made: Path) -> None:
    settings = resolve({"sandbox": made / "web"}, environ={}).settings
    with open_shop(str(made / "shop"), settings) as shop:
        maker = QuestionMaker(shop, open_web(settings, shop=shop), plain=True)
        lists, alluding = ShopLists(maker), 0
        for query in islice(drawn_records(maker, 3, 12), 12):
            stated = "\n".join(lists.lists([query])).partition("Details by kind:")[2]
            wanted = [need for need in query.checkable.needs if need.anchor] if query.checkable else []
            for need in wanted:
                own = next(
                    line for line in stated.splitlines() if line.startswith(f"- {need.category[-1]}: ")
                )
                asked = [one for one in need.constraints if one.kind == "attribute"]
                assert all(f"{one.name}: {one.value}" in own for one in asked)
                alluding += len(asked)
    assert alluding


@pytest.mark.slow
def test_what_is_drawn_for_a_writer_can_be_taken_in_one_way_only(made: Path) -> None:
    settings = resolve({"sandbox": made / "web"}, environ={}).settings
    with open_shop(str(made / "shop"), settings) as shop:
        maker = QuestionMaker(shop, open_web(settings, shop=shop), plain=True)
        truths = [query.checkable for query in drawn_records(maker, 4, 12) if query.checkable]
        kinds = {
            o.order_id: maker.checker.shelves.products.get(o.product_id)
            for u in maker.users
            for o in maker.checker.orders(u)
        }
    for truth in truths:
        pieces = sum(need.picks * (need.quantity or 1) for need in truth.needs)
        limits = {one.kind for need in truth.needs for one in need.constraints}
        assert truth.budget is None or (pieces > 1 and "price_max" not in limits)
        assert all(need.picks == 1 or need.quantity is None for need in truth.needs)
        assert not limits & {"price_min", "not_id"}
        wanted = {need.category[-1] for need in truth.needs}
        for fact in truth.facts if wanted else ():
            assert fact.kind not in ("spend_year", "orders_sum")
            bought = kinds.get(fact.subjects[0]) or maker.checker.shelves.products.get(fact.subjects[0])
            about = (
                " ".join([*fact.subjects, *(bought.categories if bought else ())]).lower().replace("-", " ")
            )
            assert any(kind.lower() in about for kind in wanted), "a figure is of a kind that is wanted"
    assert {truth.budget is None for truth in truths} == {True, False}
    assert any(need.quantity for truth in truths for need in truth.needs)


def test_a_text_understood_otherwise_is_written_again_with_the_reason_and_then_another_record(
    drr: Drr, made: Path, tmp_path: Path
) -> None:
    spoiled: Counter[str] = Counter()

    def script(request: Request) -> Say:
        text = prompt(request)
        if text.startswith("You write"):
            return write(text)

        def misread(reading: dict[str, Any]) -> None:
            if not spoiled or spoiled["done"] < 3:
                spoiled["done"] += 1
                reading["budget"] = "123456"

        return read(text, misread)

    with Wire(script) as wire:
        document = drr.json(*words(made, tmp_path / "q.jsonl", wire.url, 1, "--json"))
        asked = [prompt(one) for one in wire.requests]
    assert (document["questions"], document["drawn"]) == (1, 2)
    again = [one for one in asked if "Your refused text:" in one]
    assert len(again) == 2
    assert all("understood budget: 123456" in one for one in again)


def test_code_refuses_a_span_that_the_text_lacks_and_asks_no_reader(
    drr: Drr, made: Path, tmp_path: Path
) -> None:
    with Wire(lambda request: write(prompt(request), lambda text: text.replace("<", "("))) as wire:
        text = drr.err(*words(made, tmp_path / "q.jsonl", wire.url, 1, "--limit", 1), code=1)
        asked = [prompt(one) for one in wire.requests]
    assert "q.jsonl" in text
    assert len(asked) == 3
    assert "does not stand in the text" in asked[-1]


def test_a_stopped_run_goes_on_and_pays_no_answer_twice(drr: Drr, made: Path, tmp_path: Path) -> None:
    out, paid = tmp_path / "q.jsonl", Counter[str]()
    broken = True

    def script(request: Request) -> Reply:
        text = prompt(request)
        if broken and text.startswith("You read"):
            return Fail(401, "authentication_error", "no such key")
        paid[text] += 1
        return answered(request)

    with Wire(script) as wire:
        drr.err(*words(made, out, wire.url, 3), code=1)
        broken = False
        drr.out(*words(made, out, wire.url, 3))
    assert len(read_queries(out)) == 3
    assert set(paid.values()) == {1}


@pytest.mark.slow
def test_a_sealed_part_of_worded_questions_lies_encrypted_in_the_set(
    drr: Drr, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Fernet.generate_key
    keys = iter([b"-" + real()[1:], *(real().replace(b"-", b"x") for _ in range(3))])
    monkeypatch.setattr(Fernet, "generate_key", lambda: next(keys))
    hidden, folder, opened = tmp_path / "hidden", tmp_path / "two-v2", tmp_path / "opened"
    axes = tmp_path / "axes.toml"
    axes.write_text("products = 260\nusers = 300\nreviews = 2600\nkinds = 12\npages = 6\nquestions = 0\n")
    drr.out("shop", "make", "--seed", 10**14 + 5, "--axes", axes, "--out", hidden, "--quiet")
    with Wire(answered) as wire:
        drr.out(*words(hidden, hidden / "queries.jsonl", wire.url, 3))
    text = (hidden / "queries.jsonl").read_text()
    asked = read_queries(hidden / "queries.jsonl")
    frozen = drr.json("queries", "freeze", "two-v2", "--sealed", hidden, "--out", folder)
    key = frozen.pop("key")
    assert frozen["parts"][0]["count"] == 3
    every = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(one.query.encode() in every or one.user_id.encode() in every for one in asked)
    assert key.encode() not in every + (tmp_path / "two-v2.seal.json").read_bytes()
    reveal = ("queries", "reveal", folder)
    assert drr.json(*reveal, "--key", key, "--out", opened)["problems"] == []
    assert (opened / "hidden" / "queries.jsonl").read_text() == text
    assert drr.json(*reveal, "--seal", tmp_path / "two-v2.seal.json")["problems"] == []
    assert "does not open it" in drr.err(*reveal, "--key", key[:-3] + "aa=")
    assert "give --seal" in drr.err(*reveal)
    (hidden / "queries.jsonl").write_text(text.replace("i want", "i wish"))
    other = drr.json("queries", "freeze", "two-v3", "--sealed", hidden, "--out", tmp_path / "two-v3")
    assert other["parts"][0]["commitment"] != frozen["parts"][0]["commitment"]
    manifest = json.loads((folder / "set.json").read_text())
    sealed = folder / "hidden" / "queries.sealed"
    sealed.write_bytes((tmp_path / "two-v3" / "hidden" / "queries.sealed").read_bytes())
    problems = drr.json(*reveal, "--key", other["key"], code=1)["problems"]
    assert problems and manifest["parts"][0]["name"] in problems[0]
