"""Generation: from real records, by whatever model, resumable, with failures that have a name."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.env.constraints import parse_constraints
from drr.env.profile import Bought, build_profile
from drr.env.query import Query, read_queries
from drr.env.shop import Shop
from drr.offline.writer.rules import write_offline
from drr.querygen.asking import INTENTS, ShopperBrief
from drr.querygen.files import merged
from drr.querygen.generate import sample_users
from drr.querygen.review import edited
from drr.tools.registry import TOOLS

from tests.commands import drr
from tests.wire import Request, Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"


def generate(shop: Path, out: Path, *more: str) -> int:
    return drr("queries", "generate", "--shop", shop, "--out", out, "--quiet", *more)


def by_model(
    shop: Path, out: Path, user: str, script: Callable[[Request], Say], *more: str
) -> tuple[int, list[Request]]:
    """The exit code, and what a model was asked that answers so."""
    with Wire(script) as wire:
        words = ("--user", user, "--model", MODEL, "--base-url", wire.url)
        return generate(shop, out, *words, *more), wire.requests


def asker(shop: Shop) -> tuple[str, str]:
    """A user of many orders, and the last of these."""
    user = shop.store.sample_users(1, seed=4, min_orders=10)[0]
    return user, shop.store.orders(user).items[0].order_id


def drafts(*rows: dict[str, Any]) -> Say:
    return Say(json.dumps({"queries": rows}))


def accepted(query: Query) -> Query:
    review = query.review.model_copy(update={"status": "accepted", "reviewer": "Ada"})
    return query.model_copy(update={"review": review})


def test_offline_questions_lean_on_true_facts_and_say_who_wrote_them(
    queries: list[Query], shop: Shop
) -> None:
    assert len(queries) == 36
    for query in queries:
        assert query.rule_written is True
        assert (query.model, query.mode, query.review.reviewer) == ("offline", "profile", "none")
        assert query.shop_hash == shop.manifest.content_hash
        assert query.constraints == parse_constraints(query.query)
        assert set(query.tools) <= set(TOOLS)
        assert query.facts_used
        for fact in query.facts_used:
            if fact.kind == "order":
                order = shop.store.order(fact.id)
                assert order is not None
                assert order.user_id == query.user_id
    assert {query.intent for query in queries} == set(INTENTS)
    owned = sum(any(fact.kind == "order" for fact in query.facts_used) for query in queries)
    assert owned > 0.5 * len(queries), "a purchase is named where it is of the kind that is asked for"
    assert sum(parse_constraints(query.query).total_max is not None for query in queries) >= 5
    assert sum(parse_constraints(query.query).region is not None for query in queries) >= 3
    changed = edited(queries[0], "Which feeder under $30 in total is easy to wash?", "Ada", "2023-09-15")
    assert merged([changed], queries[:2]) == [changed, queries[1]]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_file_and_the_sample_is_on_record(
    written: Path, shop_folder: Path, tmp_path: Path
) -> None:
    assert generate(shop_folder, tmp_path / "q.jsonl", "--users", "12") == 0
    assert (tmp_path / "q.jsonl").read_bytes() == written.read_bytes()
    config = tomllib.loads((tmp_path / "q.jsonl.study" / "study.toml").read_text())
    assert config["run"]["seed"] == 7
    assert len(config["run"]["sample"]) == 12


def test_the_sample_is_spread_over_categories_and_activity(shop: Shop) -> None:
    users = sample_users(shop, 20, seed=1, min_orders=5)
    assert len({user.user_id for user in users}) == 20
    assert len({user.category for user in users}) >= 6
    assert {user.activity for user in users} == {"few", "some", "many"}
    assert users != sample_users(shop, 20, seed=2, min_orders=5)
    assert all(shop.store.orders(user.user_id, limit=1).total >= 5 for user in users)


def test_generation_goes_on_where_it_stopped(shop_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    assert generate(shop_folder, out, "--users", "6", "--limit", "2") == 0
    first = read_queries(out)
    assert len({query.user_id for query in first}) == 2
    assert generate(shop_folder, out, "--users", "6") == 0
    assert len({query.user_id for query in read_queries(out)}) == 6
    assert {query.id for query in first} <= {query.id for query in read_queries(out)}


def test_generic_questions_know_nothing_of_the_user(shop_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.jsonl"
    assert generate(shop_folder, out, "--users", "12", "--mode", "generic") in (0, 1)
    for query in read_queries(out):
        assert query.mode == "generic"
        assert query.facts_used == []
        assert query.profile_hash is None
        assert not {"get_user_orders", "get_user_profile"} & set(query.tools)


def draft(text: str, order: str) -> dict[str, Any]:
    fixed = {"intent": "compare", "rationale": "Because.", "web_need": "What birds eat."}
    fixed |= {"tools": ["product_catalog_search", "web_search"], "needs": ["bird feeder"]}
    return {**fixed, "query": text, "facts_used": [{"kind": "order", "id": order}]}


TEXTS = (
    "I would like to know which bird feeder you would take for under $60, and why, given what I bought before.",
    "Can you work out what I have spent on my hobbies in this shop and where a larger pack would have been the better choice?",
    "My garden gets a lot of wind. Which of the feeders that you sell will stand it, and how do I fix one to a pole?",
)


def scripted(request: Request) -> Say:
    """Answers with drafts about the first order that the prompt shows; the first try of each user is one too few."""
    task = json.dumps(request.body["messages"])
    order = task.split("order ", 2)[1].split(" ")[0]
    told = len(request.body["messages"]) > 1
    return drafts(*(draft(text, order) for text in TEXTS[: 3 if told else 2]))


def test_a_model_is_asked_once_more_and_its_drafts_are_checked(
    shop: Shop, shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user, _ = asker(shop)
    code, requests = by_model(shop_folder, tmp_path / "q.jsonl", user, scripted, "--json")
    assert (code, len(requests)) == (0, 2)
    assert "product_catalog_search" in json.dumps(requests[0].body["system"])
    assert "output_config" in requests[0].body
    person = shop.store.user(user)
    assert person is not None
    sent = json.dumps(requests[0].body)
    assert not any(secret in sent for secret in (person.email, person.phone_number, person.address.address1))
    queries = read_queries(tmp_path / "q.jsonl")
    assert [query.query for query in queries] == list(TEXTS)
    assert all(query.rule_written is False and query.model == MODEL for query in queries)
    assert json.loads(capsys.readouterr().out)["kept"] == 3


def test_a_model_that_gives_no_usable_answer_fails_its_user_by_name(
    shop: Shop, shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (user, _), out = asker(shop), tmp_path / "q.jsonl"
    code, _ = by_model(shop_folder, out, user, lambda request: Say("I would rather not."), "--json")
    assert code == 1 and json.loads(capsys.readouterr().out)["failures"] == {"malformed": 1}
    assert not out.exists()
    assert by_model(shop_folder, out, user, scripted, "--retry-failed")[0] == 0
    assert len(read_queries(out)) == 3


@pytest.mark.long
def test_drafts_that_fail_a_check_are_kept_aside_with_the_reason(
    shop: Shop, shop_folder: Path, tmp_path: Path
) -> None:
    user, other = shop.store.sample_users(2, seed=4, min_orders=10)
    theirs = shop.store.orders(other).items[0]

    def lying(request: Request) -> Say:
        rows = [draft(text, theirs.order_id) for text in TEXTS]
        rows[1]["tools"] = ["crystal_ball"]
        return drafts(*rows)

    assert by_model(shop_folder, tmp_path / "q.jsonl", user, lying)[0] == 1
    rows = [json.loads(line) for line in (tmp_path / "q.jsonl.rejected.jsonl").read_text().splitlines()]
    assert all("not in this user's records" in row["failed"]["facts"] for row in rows)
    assert "crystal_ball" in rows[1]["failed"]["tools"]


def test_what_the_checks_reject_is_written_again_until_the_number_is_there(
    shop: Shop, shop_folder: Path, tmp_path: Path
) -> None:
    user, order = asker(shop)
    extra = "Which of your feeders can be taken apart and washed, and how often do independent sources say that one should?"

    def writes(request: Request) -> Say:
        told = json.dumps(request.body["messages"])
        texts = (extra,) if "Questions: 1" in told else TEXTS
        rows = [draft(text, order) for text in texts]
        if len(rows) > 1:
            rows[1]["tools"] = ["crystal_ball"]
        return drafts(*rows)

    out = tmp_path / "q.jsonl"
    (code, requests), again = (by_model(shop_folder, out, user, writes) for _ in range(2))
    assert (code, len(requests)) == (0, 2) and again == (0, [])
    told = json.dumps(requests[1].body["messages"])
    assert all(text in told for text in TEXTS)
    assert "rejected: tools: no such tool: crystal_ball" in told
    assert [query.query for query in read_queries(out)] == [TEXTS[0], TEXTS[2], extra]
    (aside,) = (tmp_path / "q.jsonl.rejected.jsonl").read_text().splitlines()
    assert json.loads(aside)["query"]["query"] == TEXTS[1]


def test_a_question_given_twice_in_one_answer_is_written_again(
    shop: Shop, shop_folder: Path, tmp_path: Path
) -> None:
    user, order = asker(shop)

    def repeats(request: Request) -> Say:
        again = "Questions: 1" in json.dumps(request.body["messages"])
        texts = TEXTS[2:] if again else (TEXTS[0], TEXTS[0], TEXTS[1])
        return drafts(*(draft(text, order) for text in texts))

    code, requests = by_model(shop_folder, tmp_path / "q.jsonl", user, repeats)
    assert (code, len(requests)) == (0, 2)
    assert [query.query for query in read_queries(tmp_path / "q.jsonl")] == list(TEXTS)
    (aside,) = (tmp_path / "q.jsonl.rejected.jsonl").read_text().splitlines()
    assert json.loads(aside)["failed"]["near_duplicate"].startswith("100% the same")


def test_a_number_that_does_not_come_is_said(
    shop: Shop, shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user, order = asker(shop)

    def same(request: Request) -> Say:
        count = 2 if "Questions: 2" in json.dumps(request.body["messages"]) else 3
        return drafts(*(draft(TEXTS[0] + " Yes." * n, order) for n in range(count)))

    out = tmp_path / "q.jsonl"
    code, requests = by_model(shop_folder, out, user, same)
    assert (code, len(requests), len(read_queries(out))) == (1, 6, 1)
    assert "holds 1 of the 3 questions asked for; 12 drafts" in capsys.readouterr().err


def test_a_budget_stops_before_it_is_passed(shop_folder: Path, tmp_path: Path) -> None:
    assert generate(shop_folder, tmp_path / "q.jsonl", "--users", "3", "--budget-tokens", "2000") == 1


def test_users_that_cannot_be_written_for_are_named(
    shop: Shop, shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "q.jsonl"
    assert generate(shop_folder, out, "--user", "NOBODY") == 2
    assert "NOBODY" in capsys.readouterr().err
    users = (user.user_id for user in shop.store.iter_users())
    few = next(user for user in users if shop.store.orders(user, limit=1).total < 5)
    assert generate(shop_folder, out, "--user", few) == 1
    assert "too few" in capsys.readouterr().err
    assert generate(shop_folder, out, "--min-orders", "100000") == 1
    assert "--min-orders" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.long
def test_reviewed_questions_survive_another_generation(shop_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    assert generate(shop_folder, out, "--users", "3") == 0
    first, second, *_ = read_queries(out)
    lines = [query.model_dump_json() for query in (first, accepted(second))]
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert generate(shop_folder, out, "--users", "3", "--seed", "99") == 0
    after = read_queries(out)
    assert accepted(second) in after and first.id not in {query.id for query in after}


def test_a_review_made_while_questions_are_written_is_kept(
    shop: Shop, shop_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "q.jsonl"
    assert generate(shop_folder, out, "--users", "2") == 0
    reviewed = accepted(read_queries(out)[0])

    def meanwhile(request: Request) -> Say:
        out.write_text(reviewed.model_dump_json() + "\n", encoding="utf-8")
        return Say("I would rather not.")

    by_model(shop_folder, out, asker(shop)[0], meanwhile)
    assert reviewed in read_queries(out)


def test_how_to_go_on_is_said_in_words_that_work(
    shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "q.jsonl"
    generate(shop_folder, out, "--users", "3", "--per-user", "1", "--budget-tokens", "2000")
    told = capsys.readouterr().err.split("`drr ")[1].split("`")[0]
    assert drr(*shlex.split(told), "--budget-tokens", "1000000", "--quiet") == 0
    assert "nothing left" in capsys.readouterr().err
    assert len(read_queries(out)) > 1


def test_control_characters_of_a_model_reach_no_file(shop: Shop, shop_folder: Path, tmp_path: Path) -> None:
    (user, order), out = asker(shop), tmp_path / "q.jsonl"
    text = "I would like\nto know which bird \x1b[31mfeeder you would take for under $60, and why."
    by_model(shop_folder, out, user, lambda request: drafts(draft(text, order)), "--per-user", "1")
    (query,) = read_queries(out)
    assert query.query.isprintable() and "like to know" in query.query


def test_untitled_purchases_are_not_asked_about(shop: Shop) -> None:
    (user_id,) = shop.store.sample_users(1, seed=1)
    profile = build_profile(shop.store, user_id, shop.manifest.as_of)

    once = {"category": "Pet_Supplies", "price": None, "times": 1, "last": "2020-01-01"}

    def asked(count: int, *titles: str) -> list[dict[str, Any]]:
        ids = [(f"B0{place}", str(place), title) for place, title in enumerate(titles, 1)]
        bought = [Bought(product_id=one, order_id=order, title=title, **once) for one, order, title in ids]
        known = profile.model_copy(update={"repeated": [], "notable": bought})
        return list(json.loads(write_offline([], {"brief": ShopperBrief(known, count)}).text)["queries"])

    assert all("untitled" not in one["query"] for one in asked(3, "(untitled)", "Acme Dog Ramp, Wide"))
    assert len(asked(1, "(untitled)")) == 1


def small_shop(folder: Path, kinds: int, each: int) -> Path:
    """Make a shop of things that no phrase of the offline writer speaks of, each kind on a shelf of its own."""
    names = [
        "Tunnel tent",
        "Dome tent",
        "Family tent",
        "Bivy bag",
        "Camp stove",
        "Storm lantern",
        "Rope ladder",
    ]
    ids = [(kind, k) for kind in names[:kinds] for k in range(each)]
    rows = [
        f"{n},Fjord {kind} {k},Camping > {kind}s,{20 + 9 * n}.50 USD\n" for n, (kind, k) in enumerate(ids)
    ]
    orders = [f"{n % len(ids)},c{n % 6},2024-{1 + n % 12:02d}-11\n" for n in range(180)]
    (folder / "p.csv").write_text("id,title,category,price\n" + "".join(rows))
    (folder / "o.csv").write_text("product_id,user_id,date\n" + "".join(orders))
    files = (folder / "p.csv", folder / "o.csv")
    assert drr("data", "ingest", *files, "--shop", folder / "shop", "--quiet") == 0
    return folder / "shop"


def test_a_small_shop_is_asked_for_kinds_that_its_shoppers_own(tmp_path: Path) -> None:
    out, folder = tmp_path / "q.jsonl", small_shop(tmp_path, 7, 6)
    assert drr("queries", "generate", "--shop", folder, "--out", out, "--users", "5", "--quiet") == 0
    found = read_queries(out)
    kinds = {"Tunnel tents", "Dome tents", "Family tents", "Bivy bags", "Camp stoves", "Storm lanterns", "Rope ladders"}  # fmt: skip
    assert len(found) >= 8 and {need for one in found for need in one.needs} <= kinds
    assert len({one.query for one in found}) == len(found) and len({one.intent for one in found}) > 2
    assert drr("queries", "check", out, "--shop", folder) == 0


def test_what_no_question_is_made_of_is_told_with_checks_and_remedies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_shop(tmp_path, 7, 1)
    assert drr("queries", "generate", "--shop", folder, "--out", tmp_path / "q.jsonl", "--users", "5") == 1
    told = capsys.readouterr().err
    assert "answerable 90" in told and "--min-products" in told and "--checkable" in told
