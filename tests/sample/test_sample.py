"""The sample shop's raw files: the official form, the real files' oddities at their rates, the same bytes for the same seed."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.data_ingest.sample_products import load_vocabulary, make_products, popularity_spread, type_demand
from drr.env.errors import Misuse
from drr.env.progress import Quiet

from tests.cases import cases
from tests.commands import Drr

REVIEW_KEYS = cases("sample", "REVIEW_KEYS")
META_KEYS = cases("sample", "META_KEYS")
SINCE = 1_546_300_800_000


@pytest.fixture(scope="module")
def raw(sample_home: Path) -> Path:
    return sample_home / "raw"


def lines(folder: Path, kind: str) -> Iterator[tuple[str, list[str]]]:
    for path in sorted((folder / "raw" / f"{kind}_categories").iterdir()):
        yield path.name, gzip.decompress(path.read_bytes()).decode("ascii").splitlines()


@pytest.fixture(scope="module")
def reviews(raw: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: [json.loads(line) for line in part] for name, part in lines(raw, "review")}


@pytest.fixture(scope="module")
def meta(raw: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: [json.loads(line) for line in part] for name, part in lines(raw, "meta")}


def content_of(folder: Path) -> str:
    """Hash what the files hold, whichever library packed them."""
    digest = sha256()
    for path in sorted(folder.rglob("*.gz")):
        digest.update(path.name.encode() + gzip.decompress(path.read_bytes()))
    return digest.hexdigest()


def test_a_seed_gives_the_bytes_that_it_always_gave(raw: Path, tmp_path: Path) -> None:
    """Shops, questions and studies of others rest on these files."""
    write_sample(tmp_path / "raw", SamplePlan(seed=11), Quiet())
    assert content_of(raw) == "9822eea82ad984381af7b8d4300edd8dbf223ce9a9c838de6602e3e91209712b"
    assert content_of(tmp_path / "raw") == "3c3a1d1296c0f6b3b675aa1871b1aaa4826d3256835abe7fa31bb20265b4806d"


def test_lines_are_what_json_dumps_writes_and_one_in_ninety_is_a_copy_of_its_neighbour(raw: Path) -> None:
    for kind in ("review", "meta"):
        for name, part in lines(raw, kind):
            for line in part:
                assert json.dumps(json.loads(line)) == line, name
    total = copies = 0
    for _, part in lines(raw, "review"):
        total += len(part)
        copies += len(part) - len(set(part))
        assert len(part) - len(set(part)) == sum(a == b for a, b in pairwise(part))
    assert copies == round(0.011 * total)


def test_rows_are_as_many_as_asked_for_with_the_official_keys_in_the_official_order(
    reviews: dict[str, list[dict[str, Any]]], meta: dict[str, list[dict[str, Any]]]
) -> None:
    assert len(reviews) == len(meta) == 10
    for rows in reviews.values():
        assert all(list(row) == REVIEW_KEYS for row in rows)
        assert all(re.fullmatch(r"A[A-Z0-9]{27}", row["user_id"]) for row in rows)
        assert all(re.fullmatch(r"B0[A-Z0-9]{8}", row["parent_asin"]) for row in rows)
    optional = Counter(key for rows in meta.values() for row in rows for key in row if key not in META_KEYS)
    assert set(optional) == {"subtitle", "author"}
    for rows in meta.values():
        assert all([key for key in row if key in META_KEYS] == META_KEYS for row in rows)
        assert all(row["bought_together"] is None for row in rows)
    plan = SamplePlan()
    assert sum(map(len, reviews.values())) == plan.reviews
    assert sum(map(len, meta.values())) == plan.products
    assert len({row["user_id"] for rows in reviews.values() for row in rows}) == plan.users
    asins = [row["parent_asin"] for rows in meta.values() for row in rows]
    assert len(set(asins)) == len(asins)


def test_titles_and_weights_are_those_of_such_things(meta: dict[str, list[dict[str, Any]]]) -> None:
    """A nine-foot umbrella does not weigh what a lip balm does."""
    weights: dict[str, list[float]] = {}
    for row in (row for rows in meta.values() for row in rows):
        if stated := row["details"].get("Item Weight"):
            for kind in ("Patio Umbrella", "Cat Tree", "Lip Balm"):
                if kind in row["title"] and stated.endswith(" pounds"):
                    weights.setdefault(kind, []).append(float(stated.split()[0]))
    assert min(weights["Patio Umbrella"]) > 5
    assert min(weights["Cat Tree"]) > 9
    assert max(weights["Lip Balm"]) < 1
    titles = [row["title"] for rows in meta.values() for row in rows]
    assert not re.search(r"(?im), (all|curly|frizzy|dry|oily)(,| -| \(|$)", "\n".join(titles))
    assert any(re.search(r"for (Curly|Fine|Wavy|Frizzy|Thick|Color-Treated) Hair", title) for title in titles)
    checked = 0
    kinds = {kind.name: next(iter(kind.attributes)) for kind in load_vocabulary().types}
    for part in meta.values():
        for row in part:
            name = max((name for name in kinds if name in row["title"]), key=len, default=None)
            size = name and row["details"].get(kinds[name])
            if size:
                checked += 1
                assert size in row["title"].replace("\u2013", "-"), row["title"]
    assert checked > 1200


def test_files_are_grouped_by_user_newest_first_in_one_shared_order_with_the_busy_first(
    reviews: dict[str, list[dict[str, Any]]],
) -> None:
    before: dict[str, set[str]] = {}
    orders: list[list[str]] = []
    for name, rows in reviews.items():
        runs = [(user, list(part)) for user, part in groupby(rows, key=lambda row: row["user_id"])]
        assert len(runs) == len({user for user, _ in runs}), name
        for _, part in runs:
            times = [row["timestamp"] for row in part]
            assert times == sorted(times, reverse=True)
        orders.append([user for user, _ in runs])
    for order in orders:
        for place, user in enumerate(order):
            before.setdefault(user, set()).update(order[:place])
    assert not [(user, other) for user, others in before.items() for other in others if user in before[other]]
    counts = Counter(row["user_id"] for rows in reviews.values() for row in rows)
    first = [user for user, _ in groupby(next(iter(reviews.values())), key=lambda row: row["user_id"])]
    early, late = first[: len(first) // 4], first[-len(first) // 4 :]
    busy, idle = (sum(counts[user] for user in part) / len(part) for part in (early, late))
    assert busy > 1.5 * idle


def test_prices_are_unknown_as_often_as_in_the_real_files_and_of_every_kind(
    meta: dict[str, list[dict[str, Any]]],
) -> None:
    rows = [row for part in meta.values() for row in part]
    unknown = sum(row["price"] is None for row in rows) / len(rows)
    assert 0.5 < unknown < 0.68
    beauty = meta["meta_All_Beauty.jsonl.gz"]
    assert sum(row["price"] is None for row in beauty) / len(beauty) > 0.7
    texts = {row["price"] for row in rows if isinstance(row["price"], str)}
    assert "—" in texts
    assert any(re.fullmatch(r"from \d+\.\d\d", text) for text in texts)
    assert any(row["price"] == 0 and row["price"] is not None for row in rows)
    numbers = sorted(row["price"] for row in rows if isinstance(row["price"], (int, float)))
    assert 15 < numbers[len(numbers) // 2] < 40


def test_meta_rows_show_the_known_oddities(meta: dict[str, list[dict[str, Any]]]) -> None:
    rows = [row for part in meta.values() for row in part]
    assert all(row["categories"] == [] for row in meta["meta_All_Beauty.jsonl.gz"])
    assert any(isinstance(row["details"].get("Best Sellers Rank"), dict) for row in rows)
    assert any("." in key for row in rows for key in row["details"])
    assert any(row["title"] == "" for row in rows)
    assert any(row["details"] == {} for row in rows)
    assert any(row["store"] is None for row in rows)
    assert any(row["main_category"] is None for row in rows)
    patio = [row["main_category"] for row in meta["meta_Patio_Lawn_and_Garden.jsonl.gz"]]
    assert Counter(patio).most_common(1)[0][0] == "Amazon Home"
    assert any("author" in row for row in rows)
    assert any("subtitle" in row for row in rows)
    details = [value for row in rows for value in row["details"].values() if isinstance(value, str)]
    assert max(map(len, details)) > 2000


def test_reviews_show_the_known_oddities(
    reviews: dict[str, list[dict[str, Any]]], meta: dict[str, list[dict[str, Any]]]
) -> None:
    rows = [row for part in reviews.values() for row in part]
    known = {row["parent_asin"] for part in meta.values() for row in part}
    assert any(row["rating"] == 0.0 for row in rows)
    assert any(row["helpful_vote"] < 0 for row in rows)
    assert max(len(row["text"]) for row in rows) >= 30_000
    assert any(row["text"] == "" for row in rows)
    for mark in ("<br />", "&#34;", "[[VIDEOID:", "[[ASIN:", "\u200b", "\U0001f44d"):
        assert any(mark in row["text"] for row in rows), mark
    strangers = sum(row["parent_asin"] not in known for row in rows)
    assert 0 < strangers < 0.001 * len(rows)
    assert 0.3 < sum(row["asin"] != row["parent_asin"] for row in rows) / len(rows) < 0.6
    assert 0.58 < sum(row["rating"] == 5.0 for row in rows) / len(rows) < 0.73
    assert 0.68 < sum(row["helpful_vote"] == 0 for row in rows) / len(rows) < 0.8
    assert 0.03 < sum(bool(row["images"]) for row in rows) / len(rows) < 0.08
    assert 0.88 < sum(row["verified_purchase"] for row in rows) / len(rows) < 0.97
    assert 0.5 < sum(row["timestamp"] >= SINCE for row in rows) / len(rows) < 0.57
    assert all(row["timestamp"] % 1000 == 0 for row in rows if row["timestamp"] < 1_483_228_800_000)
    assert 90 < sorted(len(row["text"]) for row in rows)[len(rows) // 2] < 190
    counted = Counter(row["parent_asin"] for row in rows)
    products = [row for part in meta.values() for row in part]
    assert all(row["rating_number"] >= counted[row["parent_asin"]] - 1 for row in products)


def test_most_products_have_five_reviews_since_2019(
    reviews: dict[str, list[dict[str, Any]]], meta: dict[str, list[dict[str, Any]]]
) -> None:
    recent: Counter[str] = Counter()
    for rows in reviews.values():
        distinct = {json.dumps(row): row for row in rows}.values()
        recent.update(row["parent_asin"] for row in distinct if row["timestamp"] >= SINCE)
    products = [row["parent_asin"] for rows in meta.values() for row in rows]
    assert sum(recent[asin] >= 5 for asin in products) > 0.6 * len(products)


@pytest.mark.long
def test_shoppers_are_coherent_and_buy_the_same_thing_again(
    reviews: dict[str, list[dict[str, Any]]], meta: dict[str, list[dict[str, Any]]]
) -> None:
    titles = {row["parent_asin"]: row["title"] for part in meta.values() for row in part}
    interests = {kind.name: kind.interests for kind in load_vocabulary().types}
    names = sorted(interests, key=len, reverse=True)
    kind_of = {asin: next((name for name in names if name in title), None) for asin, title in titles.items()}
    bought: dict[str, list[str]] = {}
    for rows in reviews.values():
        for row in rows:
            kind = kind_of.get(row["parent_asin"])
            if kind:
                bought.setdefault(row["user_id"], []).append(kind)
    shares = []
    for kinds in bought.values():
        if len(kinds) >= 20:
            themes = Counter(theme for kind in kinds for theme in interests[kind])
            shares.append(sum(count for _, count in themes.most_common(1)) / len(kinds))
    # half of the shoppers have a theme that holds 40% of what they bought
    assert sorted(shares)[len(shares) // 2] > 0.4
    again = Counter((row["user_id"], row["parent_asin"]) for rows in reviews.values() for row in rows)
    assert sum(count > 2 for count in again.values()) > 50


def test_a_folder_of_someone_else_is_left_alone_and_an_own_one_replaced(tmp_path: Path, drr: Drr) -> None:
    folder = tmp_path / "raw"
    words = [
        "data",
        "sample",
        str(folder),
        "--products",
        "60",
        "--users",
        "10",
        "--reviews",
        "200",
        "--quiet",
    ]
    drr.out(*words)
    drr.out(*words, "--seed", "9")
    assert json.loads((folder / "sample.json").read_text())["plan"]["seed"] == 9
    (folder / "thesis.txt").write_text("mine")
    assert "thesis.txt" in drr.err(*words)
    assert (folder / "thesis.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["raw"]


@pytest.mark.long
def test_a_killed_run_leaves_nothing_for_ever(tmp_path: Path, drr: Drr) -> None:
    """Killed in the middle of writing: no folder appears, and the next run clears what lay about."""
    folder = tmp_path / "raw"
    words = [sys.executable, "-m", "drr.app.cli", "data", "sample", str(folder), "--quiet"]
    big = subprocess.Popen([*words, "--products", "5000", "--users", "200000", "--reviews", "2000000"])
    while not list(tmp_path.glob(".raw.part-*/raw/review_categories/*")):
        assert big.poll() is None
        time.sleep(0.02)
    big.kill()
    big.wait()
    assert not folder.exists()
    assert list(tmp_path.iterdir())
    drr.out("data", "sample", folder, "--products", "60", "--users", "10", "--reviews", "200", "--quiet")
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


@pytest.mark.parametrize(
    "words",
    [["--products", "0"], ["--users", "100", "--reviews", "100"], ["--seed", "-1"]],
    ids=["no products", "too few reviews", "negative seed"],
)
def test_numbers_that_make_no_sense_are_refused(tmp_path: Path, words: list[str], drr: Drr) -> None:
    drr.err("data", "sample", tmp_path / "raw", *words)
    assert not (tmp_path / "raw").exists()


def test_json_is_one_document(tmp_path: Path, drr: Drr) -> None:
    told = drr.json("data", "sample", tmp_path / "raw", "--products", 30, "--users", 5, "--reviews", 60)
    assert told["written_by"] == "drr data sample"
    assert told["rows"] == {"reviews": 60, "products": 30, "users": 5}


def test_the_vocabulary_is_as_rich_as_promised_and_products_are_as_many_as_asked_for() -> None:
    vocabulary = load_vocabulary()
    assert len(vocabulary.categories) == 10
    assert len(vocabulary.types) >= 120
    names = {kind.name for kind in vocabulary.types}
    assert {"Bird Feeder", "Essential Oil", "Dog Ramp", "Suet Cakes", "Standing Desk Mat"} <= names
    assert len(names) == len(vocabulary.types)
    products = make_products(vocabulary, 7, 100, seed=1)
    assert len(products) == 7
    assert abs(type_demand(vocabulary).sum() - 1) < 1e-9
    assert popularity_spread(7) < popularity_spread(24) < popularity_spread(200)
    with pytest.raises(Misuse, match="too few for --users"):
        SamplePlan(products=10, users=1000, reviews=500)
