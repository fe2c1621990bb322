"""Rewards are paid for what is asked, and for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from drr.citations.parse import without_form
from drr.env.checkable import Checkable, ExpectedFact, PlanStep, ShoppingNeed
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.source import Source
from drr.eval.report_lists import ReportLists
from drr.eval.rewards.answer_forms import AnswerForm, read_form
from drr.eval.rewards.components import reward, solved
from drr.eval.rewards.rewarded import Rewarded

from tests.cases import cases, each
from tests.sources import ROOT

HOST = "http://ecommerce.example/"
TRUTH = Checkable(
    needs=[
        ShoppingNeed(category=["A"], picks=2, products=["B01", "B02", "B03"]),
        ShoppingNeed(category=["B"], refusal="not_sold"),
    ],
    facts=[ExpectedFact(kind="price", subjects=["B09"], value=9.5, sources=[f"{HOST}B09"])],
    budget=25.0,
    plan=[PlanStep(tool="product_catalog_search")] * 2,
)
QUERY = Query(query="three points", user_id="U", checkable=TRUTH)
SHELF = {"B01": 10.0, "B02": 12.0, "B03": 30.0, "B07": 1.0, "B09": 9.5}
SOURCES = [
    Source(url=HOST + one, type="product", title=one, seen="", record={"product_id": one, "price": price})
    for one, price in SHELF.items()
]
GOOD = AnswerForm.model_validate(
    {
        "picks": ["B01", f"{HOST}B02"],
        "figures": [{"point": 3, "value": "$9.50"}],
        "refusals": [{"point": 2, "reason": "not_sold"}],
    }
)
CITED = f"[one]({HOST}B01) [two]({HOST}B02) [nine]({HOST}B09)"
CITING = f"""## Picks
- [one]({HOST}B01)
- [two]({HOST}B02)

## Figures
- 3: $9.50 [nine]({HOST}B09)

## Refusals
- 2: not sold
"""


def paid(report: str, form: AnswerForm | None, sources: Sequence[Source] = SOURCES) -> float:
    return reward(Rewarded(QUERY, report, form, sources))["total"]


def changed(**fields: Any) -> AnswerForm:
    return AnswerForm.model_validate({**GOOD.model_dump(), **fields})


def test_the_right_answer_is_paid_in_full() -> None:
    assert paid(CITING, GOOD) == 1.0


@pytest.mark.parametrize(
    ("report", "form"),
    [
        ("", None), ("I do not know.", None), (QUERY.query, None), (CITED, None), ("[1] [2] [3]", AnswerForm()),
        ("needs products B01 B02 refusal not_sold budget 9.5", None),
        ("", AnswerForm(picks=list(SHELF))), (CITING, AnswerForm(picks=["B07", "B09"])),
        ("Point 2 is not sold. The price is $9.50.", AnswerForm()), ("## Picks\n\n## Picks", None),
        (CITING, AnswerForm.model_validate({"refusals": [{"point": 2, "reason": "not_sold"}]})),
    ],
)  # fmt: skip
def test_what_answers_nothing_is_paid_nothing(report: str, form: AnswerForm | None) -> None:
    assert paid(report, form) == 0.0


def test_picks_are_read_from_the_list_of_that_heading_alone() -> None:
    listed = f"Take [this]({HOST}B07).\n\n## Picks\n- [one]({HOST}B01), not [that]({HOST}B07)\n- [two]({HOST}B02)\n\n## More\n- [x]({HOST}B09)"
    assert Rewarded(QUERY, listed, None, SOURCES).picks == ["B01", "B02"]
    assert paid(listed, None) > 0


@each(
    "dress",
    [
        "{}",
        "<!--\n{}\n-->",
        "Note <!-- see below\n\n{}",
        '<span style="display:none">\n\n{}\n\n</span>',
        "<template>\n\n{}",
    ],
)
def test_a_list_that_our_page_shows_counts_whatever_stands_around_it(dress: str) -> None:
    """A comment's end and a tag are text on our page, so what stands between them is read."""
    lists = dress.format(f"## Picks\n- [one]({HOST}B01)\n\n## Figures\n- 3: $9.99\n\n## Refusals\n- 2: none")
    read = ReportLists(f"Take it.\n\n{lists}\n")
    assert Rewarded(QUERY, read.report, None, SOURCES).picks == ["B01"]
    assert (read.figures, read.refusals) == ({3: "9.99"}, {2})


@each(
    "lists",
    [
        "```\n## Picks\n- [one]({0})\n\n## Figures\n- 3: $9.99\n\n## Refusals\n- 2: none\n```",
        "~~~\n## Picks\n- {0}\n\n## Figures\n- 3: $9.99\n\n## Refusals\n- 2: none",
        "<b title='\n\n## Picks\n- [one]({0})\n\n## Figures\n- 3: $9.99\n\n## Refusals\n- 2: none\n\n'>",
        "## Picks\n- ![one]({0})\n\n## Figures\n- 3: `$9.99`\n\n## Refusals\n- `2: none`",
        "## Picks\n- ![one][1]\n\n## Figures\n- `3: $9.99`\n\n## Refusals\n- 2: <i>\n\n[1]: {0}",
        '## Picks\n- <a href="{0}">one</a>\n\n## Figures\n- 3: $\\mathbf{{9.99}}$\n\n## Refusals\n- 2: none',
        "## Picks\n- one [1, 2]\n\n## Figures\n- 3: $9.99\n\n## Refusals\n- 2: none\n\n[1]: {0}\n[2]: {0}",
        "## P\u200bicks\n- <{0}>\n\n## Figures\n- 3: $9.99\n- ![7: $5](http://x.example/7)\n\n## Refusals\n- 2: none\n\n[//]: # (- 8: $1)",
    ],
)
def test_a_list_in_code_a_tag_or_a_picture_counts_as_our_page_shows_it(lists: str) -> None:
    """A figure in backticks contradicted no form, though a reader sees it."""
    read = ReportLists(f"Take it.\n\n{lists.format(HOST + 'B01')}\n")
    assert Rewarded(QUERY, read.report, None, SOURCES).picks == ["B01"]
    assert ({**read.figures, 7: ""}, read.refusals) == ({3: "9.99", 7: ""}, {2})
    assert read.other_figures({3: 5}) == 1


def test_a_pick_may_be_cited_by_its_number() -> None:
    cited = f"## Picks\n- first [2], not [that]({HOST}B07)\n- second [1]\n- a third\n\n## Sources\n[1] one: {HOST}B01\n[2] two: {HOST}B02\n"
    assert Rewarded(QUERY, cited, None, SOURCES).picks == ["B02", "B01"]


@pytest.mark.parametrize(
    "worse",
    [
        changed(figures=[{"point": 3, "value": 9.6}]),
        changed(refusals=[{"point": 2, "reason": "nothing_fits"}]),
        changed(refusals=[*GOOD.model_dump()["refusals"], {"point": 1, "reason": "not_sold"}]),
        changed(refusals=[{"point": 2, "reason": why} for why in ("not_sold", "nothing_fits")]),
    ],
)
def test_a_wrong_statement_costs_more_than_silence(worse: AnswerForm) -> None:
    silent = changed(
        figures=[one for one in worse.figures if one in GOOD.figures],
        refusals=[one for one in worse.refusals if one in GOOD.refusals],
    )
    assert paid(CITING, worse) < paid(CITING, silent)


@pytest.mark.parametrize(
    ("picks", "met"), [(["B01", "B02", "B07"], 1 / 3), (["B01", "B02", "B07", "B09"], 0.0)]
)
def test_a_pick_where_a_refusal_is_right_leaves_the_other_points_theirs(picks: list[str], met: float) -> None:
    """As many as are asked for are three: nobody can know which of the points is to be refused."""
    form = changed(picks=picks, refusals=[], figures=[])
    assert reward(Rewarded(QUERY, CITING, form, SOURCES))["components"]["points"] == met


def test_a_right_pick_of_a_need_that_asks_for_more_is_no_false_statement() -> None:
    """It meets nothing, and naming it costs no more than silence."""
    half, listed = changed(picks=["B01"], refusals=[]), CITING.replace(f"- [two]({HOST}B02)", "")
    assert reward(Rewarded(QUERY, listed, half, SOURCES))["components"]["truthful"] == 1.0
    silent = listed.replace(f"- [one]({HOST}B01)", "")
    assert paid(listed, half) >= paid(silent, changed(picks=[], refusals=[])) > 0.0


def test_a_form_that_the_report_does_not_bear_out_is_worth_a_fifth() -> None:
    assert 0 < paid("", GOOD) < paid(CITED, GOOD) <= 0.2
    assert paid(CITING.replace("## Figures", "## Other"), GOOD) < paid(CITING, GOOD)
    assert paid(CITING.replace("- 2: not", "- 9: not"), GOOD) < paid(CITING, GOOD)
    assert paid(CITING.replace("- 3: $9.50", "- **3.** 9.50"), GOOD) == 1.0


@pytest.mark.parametrize(
    ("honest", "otherwise"),
    [
        ("$9.50", "$1.00"),
        ("B02)\n", "B03)\n"),
        ("B01)", "B01) costs $1"),
        ("## Figures", f"- [nine]({HOST}B09)\n\n## Figures"),
    ],
)
def test_a_report_that_says_otherwise_than_its_form_loses_truthful(honest: str, otherwise: str) -> None:
    assert honest in CITING
    wrong = Rewarded(QUERY, CITING.replace(honest, otherwise, 1), GOOD, SOURCES)
    assert (reward(wrong)["components"]["truthful"] or 0) < 1.0
    assert solved(wrong) == 0.0
    dear = CITING.replace("B01)", "B01), $20.00 for two")
    assert paid(dear, GOOD) == 1.0, "the price of two pieces is no other price"


def test_a_list_ends_where_a_paragraph_begins() -> None:
    """The total of a shopping list is the price of no pick, and a link behind the list is no pick."""
    behind = f"**Total: $22.00**, as on [nine]({HOST}B09)."
    for where in ("\n## Figures", "\n## Refusals"):
        assert paid(CITING.replace(where, f"\n{behind}\n{where}"), GOOD) == 1.0
    inside = CITING.replace("B01)", "B01)\n\n  costs $1")
    assert paid(inside, GOOD) < 1.0, "an indented paragraph belongs to its item"


def test_what_no_tool_returned_is_no_pick_and_no_figure() -> None:
    assert paid(CITING, changed(refusals=[]), sources=[]) == 0.0


def test_calls_and_words_cost_nothing_and_a_broken_budget_its_points() -> None:
    assert paid(f"{CITING} {'word ' * 5000}", GOOD) == 1.0
    dear = CITING.replace("B02)", "B03)")
    answer = Rewarded(QUERY, dear, changed(picks=["B01", "B03"]), SOURCES)
    assert reward(answer)["components"] == {"points": pytest.approx(2 / 3), "cited": 1.0, "truthful": 1.0}


@pytest.mark.parametrize(
    ("item", "pieces"),
    [
        ("4 x [Cedar house]({})", 4), ("4x [Cedar house]({})", 4), ("4 x Cedar house [1]", 4), ("12× Cedar house [1]", 12),
        ("Cedar house [1]", 1), ("3 x 5 ft rug [1]", 1), ("4 Foxes [1]", 1), ("4xl shirt [1]", 1), ("[Cedar house]({})", 1),
    ],
)  # fmt: skip
def test_pieces_stand_before_a_link_or_before_a_title_with_its_marker(item: str, pieces: int) -> None:
    """`4 x Title [1]` was one piece, though the prompt takes a marker in place of the link."""
    report = f"Take it.\n\n## Picks\n\n- 1: {item.format(HOST + 'B01')}\n\n## Sources\n\n[1] {HOST}B01\n"
    assert ReportLists(report).pointed_picks == {1: [(HOST + "B01", pieces)]}


def test_a_budget_counts_pieces() -> None:
    needs = [TRUTH.needs[0].model_copy(update={"quantity": 2}), *TRUTH.needs[1:]]
    query = QUERY.model_copy(update={"checkable": TRUTH.model_copy(update={"needs": needs})})
    assert reward(Rewarded(query, CITING, GOOD, SOURCES))["components"]["points"] == pytest.approx(2 / 3)
    assert reward(Rewarded(QUERY, CITING, GOOD, SOURCES))["components"]["points"] == 1.0


def test_a_budget_asks_for_nothing_where_every_need_is_refused() -> None:
    truth = TRUTH.model_copy(update={"needs": TRUTH.needs[1:]})
    query = QUERY.model_copy(update={"checkable": truth})
    form = AnswerForm.model_validate(
        {"figures": [{"point": 2, "value": 9.5}], "refusals": [{"point": 1, "reason": "not_sold"}]}
    )
    report = f"## Figures\n- 2: 9.5 [nine]({HOST}B09)\n## Refusals\n- 1: not sold"
    answer = Rewarded(query, report, form, SOURCES)
    assert (reward(answer)["total"], solved(answer)) == (1.0, 1.0)
    dear = Rewarded(query, report, form.model_copy(update={"picks": ["B01"]}), SOURCES)
    assert reward(dear)["total"] < 1.0


@pytest.mark.parametrize(
    "truth", [None, Checkable(), Checkable(needs=[ShoppingNeed(category=["B"], refusal="not_sold")])]
)
def test_a_question_with_nothing_to_find_is_refused_by_name(truth: Checkable | None) -> None:
    query = Query(query="what now", user_id="U", checkable=truth)
    with pytest.raises(Misuse, match=query.id):
        reward(Rewarded(query, "", None, []))


@pytest.mark.parametrize(
    ("report", "rest", "form"), cases("eval", "test_a_report_carries_its_form_as_a_block")
)
def test_a_report_carries_its_form_as_a_block(report: str, rest: str, form: str | None) -> None:
    assert without_form(report) == (rest, form)


def test_a_form_that_cannot_be_read_says_why() -> None:
    assert read_form(None) == (None, None)
    assert read_form(GOOD.model_dump_json()) == (GOOD, None)
    for text in ("", "{", "[" * 100_000, '{"picks": [1]}', '{"figures": [{"point": 2.5, "value": 1}]}'):
        assert read_form(text).form is None and read_form(text).problem


def test_the_form_of_the_documents_can_be_read() -> None:
    page = (ROOT / "docs/record.md").read_text("utf-8").partition("````\n")[2].partition("````\n")[0]
    report, form = without_form(f"One.\n\n{page}")
    found, problem = read_form(form)
    assert (report.strip(), problem) == ("One.", None)
    assert found and found.picks and found.figures and found.refusals
