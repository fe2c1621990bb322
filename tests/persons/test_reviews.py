"""Reviews from raw files to persons: kept only where asked, outside the content hash, quoted word by word, measured against the truth."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from drr.data_ingest.review_rows import ReviewTexts
from drr.env.entities import KeptReview
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.papers.pdr.build import own_reviews, stated_traits
from drr.papers.pdr.candidates import Candidate, accept_candidates, review_batches
from drr.papers.pdr.person import Attribute, read_persons

from tests.cases import cases
from tests.commands import Drr, drr
from tests.persons.shopper import ANNA
from tests.wire import Fail, Request, Say, Wire


@pytest.fixture(scope="module")
def persons(kept: Path) -> Path:
    path = kept.parent / "stated.jsonl"
    assert (
        drr("papers", "persons", "build", "--shop", kept, "--out", path, "--users", "24", "--min-orders", "1")
        == 0
    )
    return path


def database(shop: Path) -> bytes:
    return next(shop.glob("data-*/shop.sqlite")).read_bytes()


def test_without_the_option_a_shop_has_neither_reviews_nor_another_hash(
    kept: Path, sample_shop: Path
) -> None:
    plain, full = (json.loads((shop / "manifest.json").read_text()) for shop in (sample_shop, kept))
    assert "reviews" not in plain and "keep_reviews" not in plain["recipe"]
    assert b"create table review" not in database(sample_shop)
    assert full["content_hash"] == plain["content_hash"]
    assert full["reviews"]["count"] == full["counts"]["orders"]
    assert len(full["reviews"]["sha256"]) == 64
    assert drr("shop", "check", kept) == 0


def test_every_order_has_the_review_that_it_came_from(kept: Path, raw: Path) -> None:
    written: dict[tuple[str, str, int], tuple[float, str]] = {}
    for path in (raw / "raw" / "review_categories").glob("*.jsonl.gz"):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            written[row["user_id"], row["parent_asin"], row["timestamp"]] = (row["rating"], row["text"])
    with open_shop(str(kept), Settings()) as shop:
        for review in shop.store.iter_reviews():
            order = shop.store.order(review.order_id)
            assert order is not None
            moment = round(order.placed_at.timestamp() * 1000)
            rating, text = written[review.user_id, review.product_id, moment]
            assert review.rating == rating
            assert "<" in text or "&" in text or review.text == text


def test_the_truth_lies_beside_the_raw_files(raw: Path) -> None:
    rows = [json.loads(line) for line in gzip.decompress((raw / "truth.jsonl.gz").read_bytes()).splitlines()]
    assert {row["user_id"] for row in rows} and all(row["interests"] for row in rows)
    assert sum(map(sum, (row["said"] for row in rows))) > 50


def test_what_is_stated_is_quoted_from_an_own_review(persons: Path, kept: Path) -> None:
    found = [one for person in read_persons(persons).values() for one in person.attributes]
    quoted = [one for one in found if any(ground.quote for ground in one.evidence)]
    assert quoted and {one.basis for one in quoted} <= {"records", "stated"}
    assert drr("papers", "persons", "check", persons, "--shop", kept) == 0


def test_a_quotation_that_nobody_wrote_is_told(persons: Path, kept: Path, tmp_path: Path, drr: Drr) -> None:
    lines = [json.loads(line) for line in persons.read_text().splitlines()]
    line = next(
        line for line in lines if any(g.get("quote") for one in line["attributes"] for g in one["evidence"])
    )
    ground = next(g for one in line["attributes"] for g in one["evidence"] if g.get("quote"))
    ground["quote"] += " And more."
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_text(json.dumps(line))
    assert "no own review holds the words" in drr.out(
        "papers", "persons", "check", spoilt, "--shop", kept, code=1
    )


@pytest.mark.long
def test_persons_are_measured_against_what_was_drawn(tmp_path: Path, drr: Drr) -> None:
    """In a sample of the usual proportions, where .80 and .72 were measured; of the usual size .84 and .74."""
    raw, shop, file = tmp_path / "raw", tmp_path / "shop", tmp_path / "p.jsonl"
    assert (
        drr("data", "sample", raw, "--products", "300", "--users", "80", "--reviews", "4800", "--quiet")[0]
        == 0
    )
    assert drr("data", "ingest", raw, "--shop", shop, "--keep-reviews", "--quiet")[0] == 0
    assert (
        drr(
            "papers", "persons", "build", "--shop", shop, "--out", file, "--users", "80", "--min-orders", "1"
        )[0]
        == 0
    )
    quality = drr.json("papers", "persons", "stats", file, "--truth", raw)["quality"]
    assert quality["any"]["precision"] > 0.76
    assert quality["any"]["recall"] > 0.67


def test_a_file_of_which_no_review_is_kept_leaves_the_others(raw: Path) -> None:
    path = next((raw / "raw" / "review_categories").glob("*.jsonl.gz"))
    with ReviewTexts(None, wanted=True) as texts:
        texts.add(path, np.array([0], np.int64))
        texts.add(path, np.array([], np.int64))
        texts.add(path, np.array([1, 2], np.int64))
        lines = gzip.decompress(path.read_bytes()).splitlines()[:3]
        rows = [row for part in texts._rows(np.array([5, 6, 7]), lambda count: None) for row in part]
    assert [row.rating for row in rows] == [json.loads(line)["rating"] for line in lines]


def test_own_reviews_are_items_of_a_context(persons: Path, kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "contexts"
    words = ("--shop", kept, "--tokens", "8k", "--out", folder, "--workers", "1", "--quiet")
    few = tmp_path / "few.jsonl"
    few.write_text("".join(persons.read_text().splitlines(keepends=True)[:3]))
    assert drr("papers", "context", "build", few, *words) == 0
    kinds = [json.loads(line)["kind"] for path in folder.glob("*/items.jsonl") for line in path.open()]
    assert "review" in kinds
    assert drr("papers", "context", "check", folder, "--shop", kept) == 0


@pytest.mark.parametrize(("text", "themes"), cases("persons", "test_only_what_is_said_of_oneself_is_stated"))
def test_only_what_is_said_of_oneself_is_stated(text: str, themes: list[str]) -> None:
    found = stated_traits(text)
    assert sorted(found) == sorted(themes)
    assert all(quote in text for quote in found.values())


MODEL = "anthropic:claude-sonnet-5-5"


def review(text: str, number: int = 1) -> KeptReview:
    return KeptReview(
        order_id=str(number),
        user_id=ANNA.user_id,
        product_id="B1",
        date="2022-01-01T00:00:00.000",
        rating=5,
        title="Fine",
        text=text,
    )


REVIEWS = [
    review("Well made. We rent a flat\nwithout a lift. I would buy a bike if I had stairs."),
    review("My friend says I never cook at home. I cook for my parents on Sundays, says Ortiz.", 2),
    review("Our old dog sleeps on it. We rent a flat without a lift, so it had to be light.", 3),
]
KNOWN = [
    Attribute(id="pets-dogs", block="pets", statement="shares the household with a dog", basis="records")
]


@pytest.mark.parametrize(
    ("quote", "block", "why"), cases("persons", "test_a_candidate_stays_only_where_the_shopper_says_it")
)
def test_a_candidate_stays_only_where_the_shopper_says_it(quote: str, block: str, why: str | None) -> None:
    one = Candidate.model_validate({"block": block, "statement": "lives so", "quote": quote})
    found = accept_candidates([one], REVIEWS, KNOWN, ANNA)
    assert found.refused == ({why: 1} if why else {})
    assert len(found.attributes) == (0 if why else 1)


def test_the_quotation_is_the_sentence_as_it_stands_and_one_statement_is_one_attribute() -> None:
    rows = [
        {"block": "home", "statement": "rents a flat without a lift.", "quote": quote}
        for quote in ("We rent a flat without a lift.", "We rent a flat without a lift, so it had")
    ]
    found = accept_candidates(
        [Candidate.model_validate(row) for row in rows], REVIEWS, KNOWN, ANNA
    ).attributes
    assert [(one.id, one.basis) for one in found] == [("home-said-rents-a-flat-without-a-lift", "stated")]
    assert [(ground.order_id, ground.quote) for ground in found[0].evidence] == [
        ("1", "We rent a flat\nwithout a lift."),
        ("3", "We rent a flat without a lift, so it had to be light."),
    ]


def test_no_review_is_left_out_of_the_requests() -> None:
    many = [review("word " * 1000, number) for number in range(7)] + [review("word " * 9000, 7)]
    assert [len(batch) for batch in review_batches(many)] == [2, 2, 2, 1, 1]


@pytest.fixture(scope="module")
def talker(kept: Path) -> tuple[str, str]:
    """A shopper, and a sentence of an own review."""
    plain = re.compile(
        r"(?:^|(?<=[.!] ))(?:I|We|My|Our) (?!.*(?:friend|neighbor|would|wish|if |used to|\?))[^.!?\n]{20,}",
        re.M,
    )
    with open_shop(str(kept), Settings()) as shop:
        for user_id in shop.store.sample_users(24, seed=7, min_orders=5):
            for one in own_reviews(shop.store, user_id, shop.manifest.as_of):
                found = plain.search(one.text)
                if found is not None and not stated_traits(one.text):
                    return user_id, found[0]
    raise AssertionError("the sample has no such sentence")


def test_what_a_model_finds_is_paid_for_once_and_checked_against_the_reviews(
    kept: Path, talker: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user_id, sentence = talker
    out = tmp_path / "persons.jsonl"
    rows = [
        {"block": "decision", "statement": "takes time over what is kept", "quote": sentence},
        {"block": "pets", "statement": "keeps an elephant", "quote": "We keep an elephant in the shed"},
    ]

    def scripted(request: Request) -> Say:
        return Say(json.dumps({"candidates": rows}))

    base = (
        "papers",
        "persons",
        "build",
        "--shop",
        kept,
        "--out",
        out,
        "--user",
        user_id,
        "--quiet",
        "--json",
    )
    assert drr(*base, "--model", "offline") == 0
    assert not out.with_name("persons.jsonl.study").exists()
    rules = out.read_bytes()
    capsys.readouterr()
    with Wire(scripted) as wire:
        asked = (*base, "--model", MODEL, "--base-url", wire.url)
        assert drr(*asked) == 0
        document = json.loads(capsys.readouterr().out)
        sent, first = len(wire.requests), out.read_bytes()
        assert drr(*asked) == 0
        assert len(wire.requests) == sent
    assert out.read_bytes() == first != rules
    assert document["candidates"]["kept"] == 1
    assert document["candidates"]["refused"]["quotation"] == sent
    bodies = [json.dumps(request.body, ensure_ascii=False) for request in wire.requests]
    assert any(sentence in body for body in bodies)
    assert not any(user_id in body for body in bodies)
    (person,) = read_persons(out).values()
    found = next(one for one in person.attributes if one.statement == "takes time over what is kept")
    assert found.basis == "stated"
    assert sentence in (found.evidence[0].quote or "")
    assert "elephant" not in out.read_text()
    assert drr("papers", "persons", "check", out, "--shop", kept) == 0


def test_a_shopper_whose_reviews_were_not_read_is_not_written_and_that_is_said(
    kept: Path, talker: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "persons.jsonl"
    with Wire(lambda request: Fail(400, "invalid_request_error", "no")) as wire:
        asked = ("--model", MODEL, "--base-url", wire.url, "--quiet")
        assert (
            drr("papers", "persons", "build", "--shop", kept, "--out", out, "--user", talker[0], *asked) == 1
        )
    assert "1 of 1 users are not in it" in capsys.readouterr().err
    assert not out.exists()


def test_a_shop_without_reviews_asks_nobody(
    sample_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Wire([]) as wire:
        asked = ("--model", MODEL, "--base-url", wire.url)
        out = tmp_path / "persons.jsonl"
        assert (
            drr("papers", "persons", "build", "--shop", sample_shop, "--out", out, "--users", "2", *asked)
            == 0
        )
        assert wire.requests == []
    assert "--keep-reviews" in capsys.readouterr().err
    assert len(read_persons(out)) == 2
