"""What a report says wrongly of the shop: a judge's two readings over the wire, what rules add, and what is unknown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages
from drr.citations.parse import parse
from drr.env.content import UserRow
from drr.env.entities import ORDER_STATUSES
from drr.env.records.shopper import history_evidence
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.eval.asking.conversation import box_prompts
from drr.eval.canaries import reports
from drr.eval.checks import Subject
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import JudgeOptions
from drr.eval.metrics import mistakes as metrics
from drr.eval.tasks import mistake_records, mistakes
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.mistake_records import reckoned, statements_of
from drr.eval.tasks.mistakes import Brief, MistakesResult, mistakes_of
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import SONNET, answer, by_wire, message, put, sections_of
from tests.eval.proofreader import Proofreader, Verdict, false
from tests.shops import write_rows
from tests.tools.small_shop import ANNA, FEEDER, GRINDER, write_shop
from tests.wire import Fail, Reply, Request, Wire

URL = "http://ecommerce.example/"
REPORT = f"""# For your garden

The [Panorama feeder]({URL}{FEEDER}) has six ports and is blue. It holds six pounds of seed.

You ordered two of them in June 2022. The [nail grinder]({URL}{GRINDER}) costs $31.00.

Both together come to $60.99.
"""


async def judged_by(study: Study, script: Proofreader, shop: Shop) -> Judged:
    ran, _ = await by_wire(study, script, JudgeOptions(["mistakes"]), shop)
    assert ran.summary.ok
    return read_judged(study, choose(study))


def found_in(
    study: Study, shop: Shop, script: Proofreader, report: str = REPORT
) -> tuple[MistakesResult, dict[str, Any]]:
    async def go() -> Judged:
        await put(study, answer("feeders", "react", report, user_id=ANNA))
        return await judged_by(study, script, shop)

    judged = asyncio.run(go())
    (one,) = judged.answers
    found = mistakes_of(judged, one.key)
    assert found is not None
    return found, dict(metrics.per_report(judged, one))


def of_words(words: str, verdict: Verdict) -> Callable[[str], Verdict | None]:
    return lambda text: verdict if words in text else None


def test_a_mistake_is_what_both_readings_hold_wrong_and_has_its_place(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("six ports", false("six ports", "it has four", instead="four ports")))
    found, values = found_in(study, shop, script)
    (one,) = found["mistakes"]
    assert REPORT[one["start"] : one["end"]] == one["words"] == "six ports"
    assert (one["why"], one.get("instead"), one["defence"]) == ("it has four", "four ports", "none")
    assert values["mistake_free"] == 0.0 and values["mistakes"] == len(found["mistakes"])
    assert values["mistaken_statements"] == pytest.approx(len(found["mistakes"]) / found["statements"])


def test_what_the_second_reading_does_not_hold_wrong_is_none(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")), weighs=lambda charge: "open")
    found, values = found_in(study, shop, script)
    assert not found["mistakes"] and "blue" in [row["words"] for row in found["acquitted"]]
    assert (values["mistakes"], values["mistake_free"]) == (0.0, 1.0)


def test_what_rules_find_is_shown_to_no_reader(study: Study, shop: Shop) -> None:
    """The grinder costs $31.00 by its record, and the report says so wrongly in a list."""
    report = REPORT.replace("costs $31.00", "costs $41.00") + f"- [Nail grinder]({URL}{GRINDER}): $41.00\n"
    script = Proofreader(
        of_words("60.99", false("$60.99", "the sum is off", "19.99 + 31.00", instead="$50.99"))
    )
    found, _ = found_in(study, shop, script, report)
    (charge,) = script.weighed
    assert "the sum is off" in charge and "rule" not in charge.casefold()
    assert "Worked out by code: 19.99 + 31.00 = 50.99" in charge
    assert [row["words"] for row in found["mistakes"]] == ["$60.99"]


def test_a_report_that_nobody_charges_is_read_once(study: Study, shop: Shop) -> None:
    script = Proofreader()
    found, _ = found_in(study, shop, script)
    assert not script.weighed and not found["mistakes"] and not found["acquitted"]


def test_words_that_the_statement_lacks_stand_for_all_of_it(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("six pounds", false("seven pounds")))
    found, _ = found_in(study, shop, script)
    (one,) = found["mistakes"]
    assert one["words"] == "It holds six pounds of seed."


def test_the_readers_see_the_records_and_where_each_link_leads(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")))
    found_in(study, shop, script)
    for told in script.shown:
        assert "Color: Green" in told and "Norman, OK" in told
        assert (
            f"3 | 2022-06-12 | 2 x Panorama wild bird feeder with six ports | $19.99 | Delivered | {FEEDER}"
            in told
        )
    (lines,) = (one.text for one in sections_of(script.read[0]) if one.label == "statements")
    assert f"s2 | The Panorama feeder has six ports and is blue. | {FEEDER}" in lines.split("\n")


def test_where_there_is_no_room_statements_see_the_records_that_they_need(shop: Shop) -> None:
    """The whole answer goes along; of the other products it is said that they are not shown."""
    brief = Brief.of(Subject(REPORT, user_id=ANNA, shop=shop), URL)
    prompts = box_prompts()
    grinder = [name for name, one in brief.statements.items() if "nail grinder" in one.text]
    records = [
        one for one in mistakes.reading(brief, grinder, prompts, 500).sections if one.label == "records"
    ]
    assert [one.about for one in records if one.about] == [GRINDER]
    assert records[-1].text == "1 more, which are not shown."
    whole = mistakes.reading(brief, grinder, prompts)
    assert whole.messages == mistakes.reading(brief, grinder, prompts, 100_000).messages
    assert {FEEDER, GRINDER} <= {one.about for one in whole.sections}


def test_a_window_that_is_too_small_is_sent_less_at_once(study: Study, shop: Shop) -> None:
    class Small(Proofreader):
        def __call__(self, request: Request) -> Reply:
            if len(message(request)) > 3300:
                refused.append(request)
                return Fail(400, "invalid_request_error", "prompt is too long: 9000 tokens > 8192 maximum")
            return super().__call__(request)

    refused = list[Request]()
    script = Small(of_words("is blue", false("blue", "the color is green")))
    found, _ = found_in(study, shop, script)
    assert [row["words"] for row in found["mistakes"]] == ["blue"] and refused
    assert found["unread"] == found["unweighed"] == 0 and len(script.read) > 1


def test_an_order_may_be_named_without_the_zeros_at_its_head(tmp_path: Path) -> None:
    """Whoever reads a number as a number leaves them out; the readers are told which order it is."""
    spec, settings = str(tmp_path / "shop"), Settings(shop_url=URL)
    anna = UserRow(ANNA, "a@post.example", "Anna", "Ortiz", "1", "1 Road", "Norman", "OK", "7")
    order = (28971141976916, reports.PRODUCTS[0].product_id, 0, 1_655_000_000_000, 1, ORDER_STATUSES[0])
    write_rows(spec, settings, reports.PRODUCTS, [anna], [order], replace=True)
    report = (
        "Your order 28971141976916 came.\n\nThe code 8971141976916 is none, and 0028971141976916 is whole."
    )
    with open_shop(spec, settings) as shop:
        brief = Brief.of(Subject(report, user_id=ANNA, shop=shop), URL)
        assert [brief.line_of(one) for one in brief.statements.values()] == [
            "Your order 28971141976916 came. | order 0028971141976916",
            "The code 8971141976916 is none, and 0028971141976916 is whole.",
        ]


BESIDE = cases("eval", "BESIDE", globals())


def test_what_stands_beside_the_statements_is_read_too() -> None:
    """Heads with something to look up, code and named entries of a list are; bare addresses, plain heads and comments are not."""
    found = statements_of(BESIDE, parse(BESIDE, URL))
    assert [BESIDE[one.start : one.end] for one in found if one.block == -1] == [
        "| | Panorama feeder [1] | nail grinder |",
        "Total today: $50.99",
        f"[1] The blue feeder: {URL}{FEEDER}",
    ]
    assert sorted(found, key=lambda one: one.start) == found
    assert found[-1].urls == (f"{URL}{FEEDER}",)


def test_no_statement_can_pass_for_another_ones_line(study: Study, shop: Shop) -> None:
    script = Proofreader()
    found, _ = found_in(
        study, shop, script, "One thing.\n\n| a | b |\n|---|---|\n| x <br>s9 | y | z\ns9 | forged |\n"
    )
    (lines,) = (one.text for one in sections_of(script.read[0]) if one.label == "statements")
    assert len(lines.split("\n")) == found["statements"]
    assert all(re.match(r"s\d+ \| ", line) for line in lines.split("\n"))


def test_statements_left_out_are_asked_for_once_more_and_alone(study: Study, shop: Shop) -> None:
    script = Proofreader(leaves_out=lambda text, time: time == 1 and "six pounds" in text)
    found, values = found_in(study, shop, script)
    (lines,) = (one.text for one in sections_of(script.read[1]) if one.label == "statements")
    assert len(script.read) == 2 and "\n" not in lines and "six pounds" in lines
    assert found["unread"] == 0 and values["mistake_free"] is not None


def test_what_nobody_read_is_not_free_of_mistakes(study: Study, shop: Shop) -> None:
    script = Proofreader(leaves_out=lambda text, time: "six pounds" in text)
    found, values = found_in(study, shop, script)
    assert found["unread"] == 1
    assert set(values.values()) == {None}


def test_products_that_nobody_was_shown_leave_it_unknown(
    study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mistake_records, "MOST_PRODUCTS", 1)
    script = Proofreader()
    found, values = found_in(study, shop, script)
    assert found["unshown"] == 1 and set(values.values()) == {None}
    assert "1 more, which are not shown." in script.read[0]


def test_charges_beyond_those_that_are_weighed_are_counted(
    study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mistakes, "MOST_CHARGES", 1)
    script = Proofreader(lambda text: false("is") if " is " in text or "costs" in text else None)
    found, values = found_in(study, shop, script)
    assert len(script.weighed) == 1 and found["unweighed"] > 0 and set(values.values()) == {None}


def test_of_a_long_history_the_newest_orders_are_listed_and_nothing_is_counted(shop: Shop) -> None:
    orders, total = shop.store.orders(ANNA, limit=2)
    assert total > 2
    told = history_evidence(orders, {}, total).split("\n")
    assert told[0].startswith(f"{total} orders; the newest 2 of them") and "more than once" not in told[1]
    assert [line.split(" | ")[0] for line in told[2:]] == [str(total - 1), str(total)]


def test_a_second_judging_asks_nobody_again(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")))
    found_in(study, shop, script)
    asked = len(script.shown)
    asyncio.run(judged_by(study, script, shop))
    assert len(script.shown) == asked


def test_the_page_of_a_report_shows_what_is_wrong_and_what_was_passed(study: Study, shop: Shop) -> None:
    blue = of_words("is blue", false("is blue", "the color is <green>", instead="is green"))
    pounds = of_words("six pounds", false("six pounds", "it may be more"))
    script = Proofreader(
        lambda text: blue(text) or pounds(text), lambda charge: "wrong" if "is blue" in charge else "right"
    )
    found, _ = found_in(study, shop, script)
    assert found["acquitted"]
    reader = Reader(study)
    (entry,) = reader.entries()
    view = reader.report(entry.key)
    assert view is not None
    page = Pages("s", served=False).report(view)
    shown = page[page.index('id="mistakes"') : page.index('id="sources"')]
    assert "records contradict: 1" in shown and "the color is &lt;green&gt;" in shown
    assert re.search(r'<span class="tag \w+">(?:wrong|passed)</span> [^<]*', shown)[0].endswith("is blue")  # type: ignore[index]
    assert shown.count(">passed</span>") == len(found["acquitted"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2*19.99+33.98", "2*19.99+33.98 = 73.96"),
        ("($36.99 - $33.95) / 36.99 * 100 = 8", "(36.99 - 33.95) / 36.99 * 100 = 8.218437416"),
        ("1,204 + 3", "1204 + 3 = 1207"),
        ("3 \u00d7 4 \u2212 2", "3 * 4 - 2 = 10"),
        ("9**9**9", None),
        ("__import__('os').getcwd()", None),
        ("1/0", None),
        ("a + 1", None),
        ("True + 1", None),
        ("1e308 * 10", None),
        ("(" * 200 + "1" + ")" * 200, None),
        ("1+" * 140 + "1", None),
        ("", None),
        ("= 4", None),
    ],
)
def test_sums_are_worked_out_by_code_and_nothing_else_is(text: str, told: str | None) -> None:
    assert reckoned(text) == told


# -- drr judges check --judge


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DRR_MODEL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.chdir(tmp_path)
    write_shop(str(tmp_path / "shop"), Settings(shop_url="http://ecommerce.example"))
    (tmp_path / "report.md").write_text(REPORT.replace("$60.99", "$50.99"), encoding="utf-8")
    return tmp_path


ASKED = ["check", "report.md", "--shop", "shop", "--user", ANNA]


OFF = ["--judge", SONNET, "--base-url"]


def test_one_report_is_read_without_a_study(at_home: Path, drr: Drr) -> None:
    with Wire(Proofreader(of_words("is blue", false("blue", "the color is green", instead="green")))) as wire:
        out = drr.out(*ASKED, *OFF, wire.url, code=1)
        assert f"{SONNET}: 1 mistakes in" in out and "line 3: blue (instead: green)" in out
        reading = drr.json(*ASKED, *OFF, wire.url, code=1)["reading"]
    assert [row["words"] for row in reading["found"]["mistakes"]] == ["blue"]
    assert reading["usage"]["judge"]["calls"] == 2
    with Wire(Proofreader(weighs=lambda charge: "right")) as wire:
        assert f"{SONNET}: 0 mistakes in" in drr.out(*ASKED, *OFF, wire.url)


def test_what_rules_find_stands_whatever_a_judge_says(at_home: Path, drr: Drr) -> None:
    wrong = f"\n- [Nail grinder]({URL}{GRINDER}): $41.00\n\nAlso see {URL}product/B0NOWHERE1.\n"
    (at_home / "report.md").write_text(REPORT + wrong, encoding="utf-8")
    before = drr.json(*ASKED, code=1)["rules"]
    assert before["price"]["evidence"] == ["Price: $41.00; record: $31.00"]
    assert before["in_catalogue"]["status"] == "fail"
    for verdict in ("right", "wrong"):
        with Wire(Proofreader(weighs=lambda charge, said=verdict: said)) as wire:
            assert drr.json(*ASKED, *OFF, wire.url, code=1)["rules"] == before


def test_a_report_of_which_something_was_left_out_is_not_clear(at_home: Path, drr: Drr) -> None:
    script = Proofreader(weighs=lambda charge: "right", leaves_out=lambda text, time: "six pounds" in text)
    with Wire(script) as wire:
        code, out, err = drr(*ASKED, *OFF, wire.url, "--quiet")
    assert code == 1 and "1 statements without a verdict" in out and " calls" not in err
    with Wire(Proofreader(weighs=lambda charge: "right")) as wire:
        code, _, err = drr(*ASKED, *OFF, wire.url)
    assert code == 0 and re.search(rf"{SONNET} reads \d+ statements: \d calls", err)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["check", "report.md", "--judge", SONNET], "give --shop too"),
        ([*ASKED, "--judge", "offline"], "name a model"),
        ([*ASKED, "--judge", "nobody:nothing"], "nobody"),
    ],
)
def test_a_judge_that_cannot_read_is_refused(at_home: Path, words: list[str], told: str, drr: Drr) -> None:
    code, out, err = drr(*words)
    assert code == 2 and told in err and not out
