"""What an agent takes for known is what its judge finds returned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from drr.agents.evidence import EvidenceLedger
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.source import Source
from drr.eval.evidence.answers import Book, read_answers
from drr.study.study import Study

from tests.agents.garden import ANNA, write_shop
from tests.citations.spelling import Address, near, spelt
from tests.eval.nursery import answer, put


async def test_an_agent_knows_an_address_exactly_where_the_judge_resolves_it(study: Study) -> None:
    """10,000 pairs of what a tool returned and what a report cites, each side spelt as it likes."""
    chance = Random(13)
    some = [
        Address(
            chance.choice(["http", "https"]), f"h{n % 20}.example", f"/A{n}/b_{n % 7}", (f"q={n}",) * (n % 2)
        )
        for n in range(100)
    ]
    ledger, sources = EvidenceLedger(), [Source(url=spelt(one, chance), type="web", seen="x") for one in some]
    ledger.add("", sources)
    cited = [spelt(near(one, chance), chance).strip() for one in some for _ in range(100)]
    await put(study, answer("a", "react", "", sources))
    (kept,) = read_answers(study)
    book = Book(kept, None)
    known = [ledger.knows(url) for url in cited]
    assert known == [book.resolves(url) for url in cited]
    assert 2_000 < sum(known) < 8_000


async def test_the_product_behind_an_order_is_known_to_both(study: Study) -> None:
    order = Source(
        url="user://ANNA/orders/1", type="user", seen="x", record={"product_url": "http://shop.example/B1"}
    )
    ledger = EvidenceLedger()
    ledger.add("", [order])
    await put(study, answer("a", "react", "", [order]))
    (kept,) = read_answers(study)
    for url in (
        "http://shop.example/B1/",
        "user://ANNA/orders/1",
        "user://anna/orders/1",
        "http://shop.example/B2",
    ):
        assert ledger.knows(url) == Book(kept, None).resolves(url)
    assert ledger.knows("HTTP://SHOP.example/B1?utm_source=x")


async def test_records_that_were_withheld_are_no_source_that_the_shop_holds(
    study: Study, tmp_path: Path
) -> None:
    """Under `task` a report that cites them made the address up, however rightly it guessed."""
    write_shop(str(tmp_path / "shop"), Settings())
    cited = f"user://{ANNA}/profile"
    plain = answer("a", "react", "", user_id=ANNA)
    told = replace(
        plain, key_fields={**plain.key_fields, "setting": "task"}, spec={**plain.spec, "setting": "task"}
    )
    shown = answer("b", "react", "", [Source(url=cited, type="user", seen="x")], user_id=ANNA)
    await put(study, plain, told, shown)
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        found = {
            (one.query_id, one.record.spec.get("setting")): Book(one, shop) for one in read_answers(study)
        }
        assert {key: book.resolves(cited) for key, book in found.items()} == {
            ("q-a", None): True,
            ("q-a", "task"): False,
            ("q-b", None): True,
        }
        page = found["q-a", "task"].page(cited)
    assert (page.text, page.status) == (None, "unreachable")
    assert "withheld" in (page.reason or "")
