"""What a report says wrongly of the shop: a judge's two readings over the wire, what rules add, and what is unknown."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.citations.parse import parse
from drr.env.content import UserRow
from drr.env.entities import ORDER_STATUSES
from drr.env.records.shopper import history_evidence
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.eval.asking.conversation import Asking, box_prompts
from drr.eval.canaries import reports
from drr.eval.checks.base import Subject
from drr.eval.judging.run import JudgeOptions
from drr.eval.metrics import mistakes as metrics
from drr.eval.tasks import mistake_records
from drr.eval.tasks.judgements import Judged, MistakesResult, mistakes_of
from drr.eval.tasks.mistake_records import (
    compute_sum,
    is_unmet,
    look_up_product,
    span_of_words,
    statements_of,
)
from drr.eval.tasks.mistakes import Brief, mistakes_in
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import SONNET, answer, judged_by_wire, message, put, sections_of
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
    return await judged_by_wire(study, script, JudgeOptions(["mistakes"]), shop)


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


def test_the_words_of_a_charge_carry_no_markup(study: Study, shop: Shop) -> None:
    report = REPORT.replace("six ports", "**six** `ports`")
    script = Proofreader(of_words("ports", false("", "it has four")))
    found, _ = found_in(study, shop, script, report)
    assert found["mistakes"] and all(set("*`#|").isdisjoint(row["words"]) for row in found["mistakes"])


def test_what_the_second_reading_does_not_hold_wrong_is_none(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")), weighs=lambda charge: "right")
    found, values = found_in(study, shop, script)
    assert not found["mistakes"] and [row["words"] for row in found["acquitted"]] == ["blue"]
    assert (values["mistakes"], values["mistake_free"]) == (0.0, 1.0)


def test_what_the_second_reading_cannot_tell_stays_unknown(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")), weighs=lambda charge: "open")
    found, values = found_in(study, shop, script)
    assert not found["mistakes"] and not found["acquitted"]
    assert [row["words"] for row in found["open"]] == ["blue"] and set(values.values()) == {None}


def test_a_name_that_was_only_looked_up_is_no_open_charge(study: Study, shop: Shop) -> None:
    named = of_words("six pounds", passed("unknown", "Skyline ceramic feeder"))
    found, values = found_in(study, shop, Proofreader(named, weighs=lambda charge: "open"))
    assert not found["open"] and not found["acquitted"] and values["mistake_free"] == 1.0


def test_what_rules_find_is_shown_to_no_reader(study: Study, shop: Shop) -> None:
    """The grinder costs $31.00 by its record, and the report says so wrongly in a list."""
    report = REPORT.replace("costs $31.00", "costs $41.00") + f"- [Nail grinder]({URL}{GRINDER}): $41.00\n"
    script = Proofreader(
        of_words("60.99", false("$60.99", "the sum is off", "19.99 + 31.00", instead="$50.99"))
    )
    found, _ = found_in(study, shop, script, report)
    (charge,) = script.weighed
    assert "the sum is off" in charge and "rule" not in charge.casefold()
    assert "By code: 19.99 + 31.00 = 50.99" in charge
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
    for told in script.messages:
        assert "Color: Green" in told and "Norman, OK" in told
        assert f"3 | 2022-06-12 | 2 x {FEEDER} | " in told
        assert " | Panorama wild bird feeder with six ports, $19.99\n" in told
    (lines,) = (one.text for one in sections_of(script.read[0]) if one.label == "statements")
    assert f"s2 | The Panorama feeder has six ports and is blue. | {FEEDER}" in lines.split("\n")


def test_where_there_is_no_room_statements_see_the_records_that_they_need(shop: Shop) -> None:
    """Of the other products it is said that they are not shown."""
    brief = Brief.of(Subject(REPORT, user_id=ANNA, shop=shop), URL)
    grinder = [name for name, one in brief.statements.items() if "nail grinder" in one.text]
    records = brief.records_for(grinder, 500)
    assert [one.about for one in records if one.about] == [GRINDER]
    assert records[-1].text == "1 more, which are not shown."
    whole = brief.records_for(grinder)
    assert whole == brief.records_for(grinder, 100_000)
    assert {FEEDER, GRINDER} <= {one.about for one in whole}


ROW = re.compile(r"^\d+ \| (\S+) \| \d+ x (\w+) \|", re.MULTILINE)
"""A row of the order list, with its day and product."""


def test_a_charge_is_weighed_beside_its_own_records(study: Study, shop: Shop) -> None:
    """The order list stands once, in the first request: a charge has the orders of the products that it speaks of."""
    script = Proofreader(of_words("costs $31", false("$31.00")))
    found_in(study, shop, script)
    read, weighed = script.messages
    opening = read.partition("The shopper:")[0]
    assert weighed.startswith(opening) and "Both together" in opening
    assert f"Product id: {FEEDER}" in read and f"Product id: {FEEDER}" not in weighed
    assert f"Product id: {GRINDER}" in weighed
    assert {product for _, product in ROW.findall(weighed)} <= {GRINDER}
    assert {product for _, product in ROW.findall(read)} > {GRINDER}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("costs $31", {"lookups": ["orders"]}),
        ("costs $31", {"working": f"Product {FEEDER} costs less"}),
        ("two of them", {}),
    ],
)
def test_a_charge_that_needs_the_orders_or_another_product_is_shown_them(
    words: str, said: Verdict, study: Study, shop: Shop
) -> None:
    script = Proofreader(of_words(words, {**false(words), **said}))
    found_in(study, shop, script)
    assert f"2022-06-12 | 2 x {FEEDER}" in script.messages[1]
    assert (f"Product id: {FEEDER}" in script.messages[1]) == (said.get("lookups") is None)


def test_a_total_is_weighed_beside_all_that_stands_above_it(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("60.99", false("$60.99", "the sum is off")))
    found_in(study, shop, script)
    assert f"Product id: {FEEDER}" in script.messages[1] and f"Product id: {GRINDER}" in script.messages[1]


def test_of_a_very_long_report_the_order_list_is_sent_once(study: Study, shop: Shop) -> None:
    steps = "\n".join(f"- Step {n}: hang up the feeder and fill it." for n in range(210))
    script = Proofreader()
    found, _ = found_in(study, shop, script, f"{REPORT}\n{steps}\n")
    assert len(script.read) == 3 and found["unread"] == 0
    other = [{one for _, one in ROW.findall(told)} - {FEEDER, GRINDER} for told in script.read]
    assert [bool(products) for products in other] == [True, False, False]


def test_both_readings_see_no_more_than_there_is_room_for(shop: Shop) -> None:
    brief, asked = Brief.of(Subject(REPORT, user_id=ANNA, shop=shop), URL), list[int]()

    class Reader(Proofread):
        async def answer(self, asking: Asking[Any]) -> Any:
            records = [one.text for one in asking.sections if one.label == "records"]
            asked.append(sum(map(len, records)))
            return await super().answer(asking)

    found = asyncio.run(mistakes_in(brief, Reader(), box_prompts(), 900))
    assert len(asked) > 2 and len(found["mistakes"]) == len(brief.statements)


class Proofread:
    """Holds every statement wrong, and weighs each the same."""

    rule_written = False

    async def answer(self, asking: Asking[Any]) -> Any:
        lines = [
            line for one in asking.sections if one.label == "statements" for line in one.text.split("\n")
        ]
        ids = [line.partition(" | ")[0] for line in lines]
        ids += [one.about for one in asking.sections if one.label == "charge"]
        said = {"working": "", "lookups": [], "verdict": "false", "words": "", "instead": ""}
        return asking.form.model_validate({"verdicts": [{"id": one, **said} for one in ids]})


def passed(text: str, *lookups: str) -> Verdict:
    return {"verdict": text, "words": "", "working": "as said", "lookups": list(lookups), "instead": ""}


def test_a_product_named_without_a_link_is_looked_up_by_code(study: Study, shop: Shop) -> None:
    report = REPORT + "\nThe Skyline ceramic feeder is dearer. The Panorama wild bird feeder is not.\n"
    named = {"Skyline": "Skyline ceramic feeder", "bird feeder is not": "Panorama wild bird feeder"}
    script = Proofreader(
        lambda text: next((passed("unknown", name) for word, name in named.items() if word in text), None),
        lambda charge: "wrong" if "no product of this name" in charge else "right",
    )
    found, _ = found_in(study, shop, script, report)
    assert [row["words"] for row in found["mistakes"]] == ["The Skyline ceramic feeder is dearer."]
    assert (
        f"By code: Product: Panorama wild bird feeder with six ports Product id: {FEEDER}"
        in script.weighed[1]
    )


FEEDERS = [
    reports.PRODUCTS[0].model_copy(update={"product_id": f"B0YFEED{n:02}", "title": title})
    for n, title in enumerate(
        ("Skyline Ceramic Feeder", "Skyline Ceramic Feeder, Large", "Skyline Ceramic Bird Feeder")
    )
]


@pytest.fixture
def alike(tmp_path: Path) -> Iterator[Shop]:
    """A shop with three products of nearly one name."""
    spec, settings = str(tmp_path / "alike"), Settings(shop_url=URL)
    anna = UserRow(ANNA, "a@post.example", "Anna", "Ortiz", "1", "1 Road", "Norman", "OK", "7")
    write_rows(spec, settings, [*reports.PRODUCTS, *FEEDERS], [anna], [], replace=True)
    with open_shop(spec, settings) as shop:
        yield shop


def test_a_name_that_several_products_have_brings_all_of_them(alike: Shop) -> None:
    subject = Subject("", shop=alike)
    told = look_up_product(subject, "Skyline Feeder")
    assert told.startswith("one of 3 products of this name: ")
    assert all(f"/{one.product_id}" in told for one in FEEDERS)
    assert "Product id: B0YFEED01" in look_up_product(subject, "Skyline Ceramic Feeder, Large")
    assert look_up_product(subject, "Skyline Bath") == "no product of this name: Skyline Bath"


def test_a_product_named_without_a_link_has_its_record_in_the_first_request(alike: Shop) -> None:
    report = "Take the Skyline Ceramic Bird Feeder. The Skyline Feeder may be any of three."
    brief = Brief.of(Subject(report, user_id=ANNA, shop=alike), URL)
    assert [one.about for one in brief.records if one.about] == ["B0YFEED02"]
    none = Brief.of(Subject("Why It Fits Your Garden and Total Cost.", user_id=ANNA, shop=alike), URL)
    assert not [one.about for one in none.records if one.about]


def test_words_copied_from_a_row_are_those_of_its_cell(study: Study, shop: Shop) -> None:
    """A row is shown with the names of its columns, which do not stand in its line."""
    row = f"| [Panorama feeder]({URL}{FEEDER}) | 6 | **$19.99** | 6 |\n"
    report = f"| Feeder | Ports | Price | Ratings |\n|---|---|---|---|\n{row}"
    for words, start, shown in (
        ("Ratings: 6", row.rindex("6"), "6"),
        ("Ports: 6; Price: $19.99", row.index("6 |"), "6 | **$19.99"),
        ("Price: $19.99", row.index("$"), "$19.99"),
    ):
        statement = statements_of(report, parse(report, URL))[-1]
        span = span_of_words(words, statement, report)
        assert (span[0] - report.index(row), report[slice(*span)]) == (start, shown)


def test_links_are_shown_with_their_whole_addresses(study: Study, shop: Shop) -> None:
    guide = "https://birds.example/guides/how-to-hang-a-feeder"
    script = Proofreader()
    found_in(study, shop, script, f"{REPORT}\nSee [the guide]({guide}).\n")
    (answer_shown,) = (one.text for one in sections_of(script.read[0]) if one.label == "answer")
    assert f"[the guide]({guide})" in answer_shown and f"({URL}{FEEDER})" in answer_shown


def test_a_sum_that_meets_no_figure_of_what_was_called_true_is_a_charge(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("60.99", passed("true", "19.99 + 31.00")))
    found, _ = found_in(study, shop, script)
    assert [row["words"] for row in found["mistakes"]] == ["Both together come to $60.99."]
    assert "By code: 19.99 + 31.00 = 50.99" in script.weighed[0]
    right = REPORT.replace("$60.99", "about $51")
    script = Proofreader(of_words("about $51", passed("true", "19.99 + 31.00", "19.99 - 19.99")))
    assert is_unmet(0, "about $51") and not is_unmet(50.99, "about $51") and not is_unmet(3, "It has none.")
    assert not is_unmet(0.5, "half, or 50%, of 12") and is_unmet(7, "of 12")
    assert not any(is_unmet(one, "It holds 60 % more.") for one in (1.6, 0.6, 60, 160, 1.597))
    assert not is_unmet(0.4, "60% cheaper") and is_unmet(1.7, "60% more") and is_unmet(1.6, "60 ports more")
    brief = Brief.of(Subject(right, user_id=ANNA, shop=shop), URL)
    assert brief.statements


def test_an_order_that_is_named_by_its_number_brings_its_products_record(shop: Shop) -> None:
    order = shop.store.orders(ANNA).items[0]
    brief = Brief.of(Subject(f"Order {order.order_id} came late.", user_id=ANNA, shop=shop), URL)
    assert [one.about for one in brief.records if one.about] == [order.product_id]


def test_titles_and_lead_words_are_asked_and_lists_of_sources_are_not() -> None:
    report = (
        "# A plan for Tulsa\n\n## Under $30\n\nMy picks:\n\n- It has two perches.\n\n**Why it fits**\n\n"
        f"| What | [Panorama feeder]({URL}{FEEDER}) |\n|---|---|\n| Ports | 6 |\n\n[^1]: Price of 2 feeders: $39.98.\n\n"
        f"## Sources\n\n[1] The blue feeder: {URL}{FEEDER}\n"
    )
    told = [one.text for one in statements_of(report, parse(report, URL))]
    assert told[:4] == ["A plan for Tulsa", "Under $30", "My picks:", "It has two perches."]
    assert "What: Ports; Panorama feeder: 6" in told, "a head that is a link keeps its text"
    assert not any("blue feeder" in one or one == "Sources" for one in told)
    assert any("$39.98" in one for one in told), "a footnote stays"


def test_a_window_that_is_too_small_is_sent_less_at_once(study: Study, shop: Shop) -> None:
    class Small(Proofreader):
        def __call__(self, request: Request) -> Reply:
            if len(message(request)) > (4100 if "second reader" in message(request) else 3300):
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
    ordered = reports.PRODUCTS[0].product_id
    report = (
        "Your order 28971141976916 came.\n\nThe code 8971141976916 is none, and 0028971141976916 is whole."
    )
    with open_shop(spec, settings) as shop:
        brief = Brief.of(Subject(report, user_id=ANNA, shop=shop), URL)
        assert [brief.line_of(one) for one in brief.statements.values()] == [
            f"Your order 28971141976916 came. | {ordered}, order 0028971141976916",
            f"The code 8971141976916 is none, and 0028971141976916 is whole. | {ordered}",
        ]


BESIDE = cases("eval", "BESIDE", globals())


def test_what_stands_beside_the_statements_is_read_too() -> None:
    """Heads with something to look up and code are; addresses with their names, plain heads and comments are not."""
    found = statements_of(BESIDE, parse(BESIDE, URL))
    assert [BESIDE[one.start : one.end] for one in found if one.block == -1] == [
        "| | Panorama feeder [1] | nail grinder |",
        "Total today: $50.99",
    ]
    assert sorted(found, key=lambda one: one.start) == found


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


def test_of_a_long_history_the_newest_orders_are_listed_and_nothing_is_counted(shop: Shop) -> None:
    orders, total = shop.store.orders(ANNA, limit=2)
    assert total > 2
    told = history_evidence(orders, {}, total).split("\n")
    assert told[0].startswith(f"{total} orders; the newest 2 of them") and "more than once" not in told[1]
    assert told[1] == f"By category, with their numbers: no longer listed: 2 ({total - 1}, {total})"
    assert [line.split(" | ")[0] for line in told[4:]] == [str(total - 1), str(total)]


def test_of_orders_what_is_told_once_is_not_told_again(shop: Shop) -> None:
    orders = shop.store.orders(ANNA).items
    again = [*orders, orders[0].model_copy(update={"order_id": "9" * 16, "order_status": "Cancelled"})]
    products = {one.product_id: one for one in shop.store.products([one.product_id for one in orders])}
    told = history_evidence(again, products, len(again))
    assert all(told.count(one.title[:40]) == 1 for one in products.values())
    usual = Counter(one.order_status for one in again).most_common(1)[0][0]
    others = [one.order_status for one in again if one.order_status != usual]
    assert told.count(usual) == 1 and [told.count(f" | {one}\n") for one in others] == [1] * len(others)


def test_a_second_judging_asks_nobody_again(study: Study, shop: Shop) -> None:
    script = Proofreader(of_words("is blue", false("blue")))
    found_in(study, shop, script)
    asked = len(script.messages)
    asyncio.run(judged_by(study, script, shop))
    assert len(script.messages) == asked


def test_the_page_of_a_report_shows_what_is_wrong_and_what_was_passed(study: Study, shop: Shop) -> None:
    blue = of_words("is blue", false("is blue", "the color is <green>", instead="is green"))
    pounds = of_words("six pounds", false("six pounds", "it may be more"))
    ports = of_words("six ports", false("six ports", "nobody can tell"))
    said = {"is blue": "wrong", "six ports": "open"}
    script = Proofreader(
        lambda text: blue(text) or pounds(text) or ports(text),
        lambda charge: next((word for words, word in said.items() if f"Words: {words}" in charge), "right"),
    )
    found, _ = found_in(study, shop, script, REPORT.replace("ports and is blue", "ports.\n\nIt is blue"))
    assert found["acquitted"]
    reader = Reader(study)
    (entry,) = reader.entries()
    view = reader.report(entry.key)
    assert view is not None
    page = StudyPages("s", served=False).report(view)
    shown = page[page.index('id="mistakes"') : page.index('id="sources"')]
    assert "records contradict: 1" in shown and "the color is &lt;green&gt;" in shown
    assert re.search(r'<span class="tag \w+">(?:wrong|passed)</span> [^<]*', shown)[0].endswith("is blue")  # type: ignore[index]
    assert shown.count(">passed</span>") == len(found["acquitted"])
    assert ">unknown</span> six ports" in shown and "1 more were charged" not in shown
    assert view.mistakes is not None
    view.mistakes.pop("open")  # as earlier versions of the task left it
    assert 'id="mistakes"' in StudyPages("s", served=False).report(view)


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
    found = compute_sum(text)
    assert (found and found.text) == told


# -- drr judges check --judge


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
    with Wire(Proofreader(of_words("is blue", false("blue")), weighs=lambda charge: "open")) as wire:
        code, out, _ = drr(*ASKED, *OFF, wire.url, "--quiet")
    assert code == 1 and "1 charges of which the second reading could not tell" in out
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
