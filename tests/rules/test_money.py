"""Totals, written sums and budgets: each is true as written, and is one finding with the figure behind the arrow."""

from __future__ import annotations

import pytest
from asked import LA, LB, LC, checked, failing, is_kept_apart
from drr.env.query import Constraints
from drr.env.shop import Shop

from tests.cases import each

PLAIN = "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | $15.00 |\n| **Total** | **$35.00** |\n"
TWO = f"- {LA}, $17.95\n- {LC}, $24.95\n\n**Total: $42.90**"
LISTS = "Plan one:\n\n- Feeder: $20.00\n- House: $15.00\n- Total: $35.00\n\nPlan two:\n\n- Feeder: $20.00\n- Bath: $30.50\n- Total: $50.50\n"
TABLES = (
    PLAIN.replace("Cost", "Plan one")
    + "\nOr else:\n\n"
    + PLAIN.replace("House | $15.00", "Bath | $30.50").replace("$35.00", "$50.50")
)
TOTALS = [
    (PLAIN, "$35.00", "$37.00"),
    (PLAIN.replace("\n", "\n\n", 1).replace("|---|---|\n", "", 1).replace("| ", "|"), "$35.00", "$53.00"),
    # how many of each
    ("| Item | Qty | Price |\n|---|---|---|\n| A | 3 | $5.00 |\n| B | 1 | $4.50 |\n| Total | | $19.50 |", "$19.50", "$29.50"),
    ("| Item | Quantity | Cost |\n|---|---|---|\n| A | 3 | $15.00 |\n| B | 1 | $4.50 |\n| Total | | $19.50 |", "$19.50", "$12.50"),
    (f"| Item | Price | Qty | Sum |\n|---|---|---|---|\n| {LA} | $17.95 | 2 | $35.90 |\n| {LB} | $11.99 | 1 | $11.99 |\n| Total | | | $47.89 |", "$47.89", "$29.94"),
    (f"- 2 x {LA}: $35.90\n- {LB}: $11.99\n- **Total: $47.89**", "$47.89", "$59.88"),
    (f"- {LA}, 2 × $17.95\n- {LB}, $11.99\n\nTotal: $47.89", "$47.89", "$29.94"),
    (f"1. {LB}: 3 x $11.99 = $35.97\n2. {LA}: $17.95\n\n**Total: $53.92**", "$53.92", "$52.93"),
    # lists, and lines without bullets
    (TWO, "$42.90", "$42.09"),
    ("- Feeder: $20.00\n- House: $15.00\n- Bath: $30.50\n\n**Grand total: $65.50**", "$65.50", "$56.50"),
    ("Feeder   $20.00\nHouse   $15.00\nTotal   $35.00", "$35.00", "$36.00"),
    ("- Feeder: $20.00\n- House: $15.00\n\nOrder total: $35.00, shipping not known.", "$35.00", "$53.00"),
    # several bills, each with its own sum
    (LISTS, "$50.50", "$85.50"),
    (LISTS, "$35.00", "$50.50"),
    (TABLES, "$50.50", "$55.00"),
    (TABLES, "$35.00", "$33.00"),
    # sums that are written out
    ("Together: $19.00 + $12.50 = $31.50.", "$31.50", "$32.50"),
    ("The diffuser $17.95 + the red one $11.99 = $29.94.", "$29.94", "$28.94"),
    ("Three of them are 3 x $11.99 = $35.97.", "$35.97", "$36.97"),
    ("With one more, 2 × $17.95 + $11.99 = $47.89 in all.", "$47.89", "$29.94"),
    ("What stays is $60.00 - $42.90 = $17.10.", "$17.10", "$18.10"),
]  # fmt: skip
OPEN_BILLS = [
    # not every line states one cost for certain
    "- Feeder: $20.00\n- House: $15.00\n- Bath (optional): $30.50\n\nTotal: $35.00",
    "- Feeder: $20.00\n- House: $15.00 or the large one for $18.00\n\nTotal: $38.00",
    "- Feeder: $20.00\n- House: price unknown\n- Bath: $12.00\n\nTotal: $40.00",
    "- Feeder: $20.00\n- House: $15.00\n- If you like, a bath: $30.50\n\nTotal: $35.00",
    "- Feeder: about $20\n- House: $15.00\n\nTotal: $40.00",
    "- Feeder: $20.00\n- House: $15.00\n- 10 % off with the coupon\n\nTotal: $31.50",
    f"- {LA} or {LB}: $17.95\n- {LC}: $24.95\n\nTotal: $36.94",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| Bath (instead of the feeder) | $30.50 |\n| House | $15.00 |\n| Total | $35.00 |",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | not known |\n| Bath | $3.00 |\n| Total | $35.00 |",
    "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| Shipping | $5.00 |\n| Discount | $2.00 |\n| Total | $23.00 |",
    "Total: about $40\n\n- Feeder: $20.00\n- House: $15.00\n",
    # whole dollars, and no bill at all
    "| Item | Cost |\n|---|---|\n| Feeder | $19.60 |\n| House | $15.00 |\n| Total | $35 |",
    "The pack costs $3.59 a roll, 6 rolls = $21.54 or so.",
    "It went from $20.00 + tax = more than $21.",
    "Total ratings: 43. Total length: 75 feet at $0.32 a foot.",
]  # fmt: skip
BUDGETS = [
    # the limit is the question's, and so is the side of it
    (f"{TWO} within your $60 budget.", "$60", "$50", "under $60 for both"),
    (f"{TWO} (within your $60)", "within", "over", "under $60 for both"),
    (f"{TWO}. That is under budget.", "under", "over", "I have $60 to spend in all"),
    (f"{TWO}\n\nBudget: $60.00\n", "$60.00", "$80.00", "my budget is $60"),
    (f"{TWO}\n\n- Within budget: yes\n", "yes", "no", "my budget is $60"),
    # what is left or missing
    (f"{TWO}, leaving $17.10.", "$17.10", "$27.10", "my budget is $60"),
    (f"{TWO}, which leaves $17.10 of your $60.", "$17.10", "$16.10", "my budget is $60"),
    (f"{TWO}, $17.10 under your $60 budget.", "$17.10", "$7.10", "my budget is $60"),
    (f"{TWO}, $17.10 under your $60 budget.", "under", "over", "my budget is $60"),
    (f"{TWO}, $2.90 over your $40.", "$2.90", "$3.90", "my budget is $40"),
    (f"{TWO}\n\nLeft over: $17.10\n", "$17.10", "$17.90", "my budget is $60"),
    (f"{TWO}\n\nYou keep $17.10.", "$17.10", "$42.90", "my budget is $60"),
    (PLAIN + "| Budget | $60.00 |\n| Left | $25.00 |\n", "$25.00", "$35.00", "my budget is $60"),
    (f"{TWO}, 10 cents under your $43.", "10 cents", "90 cents", "under $43 in all"),
    # a limit by the month is one of all its months too
    (f"{TWO} within your $60.00.", "$60.00", "$80.00", "$20 a month for three months"),
    (f"{TWO}, leaving $17.10.", "$17.10", "$22.90", "$20 a month for three months"),
]  # fmt: skip
KEPT = [
    (TWO.replace("42.90", "42.98").replace("24.95", "25.03").replace(LC, "A thermometer") + " within $60.00", "$20 a month for three months"),
    (f"{TWO} within $60.00", "$20 a month for three months"),
    (f"{TWO}, so it is over your $40 and I name a cheaper one below.", "under $40"),
    (f"{TWO}. It is not within your $40.", "under $40"),
    (f"{TWO}. If you add a third you are over your $60.", "under $60"),
    (f"{TWO}. Each of them is under your $25.", "each under $25"),
    (LISTS + "\nThe first stays under your $40, the second is $10.50 over.", "up to $40"),
    (TABLES + "\nThe first is within $40; the second is over.", "up to $40"),
    (f"{TWO}, within budget.", "something good"),
    (f"{TWO}, $5 less than last year.", "up to $60"),
    ("Your $60 is plenty: one such thing is $17.95.", "up to $60"),
]  # fmt: skip


@each(("text", "right", "wrong"), TOTALS)
def test_a_total_is_the_sum_of_its_lines(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    is_kept_apart(rules_shop, "total", text, right, wrong)


@pytest.mark.parametrize("text", OPEN_BILLS)
def test_a_bill_with_an_open_line_is_not_added_up(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop) == {}


@pytest.mark.parametrize(("text", "right", "wrong", "query"), BUDGETS)
def test_what_is_said_of_the_budget_beside_a_total_holds(
    rules_shop: Shop, text: str, right: str, wrong: str, query: str
) -> None:
    is_kept_apart(rules_shop, "budget", text, right, wrong, query=query)


@pytest.mark.parametrize(("text", "query"), KEPT)
def test_a_budget_that_may_be_kept_is_not_accused(rules_shop: Shop, text: str, query: str) -> None:
    assert failing(text, shop=rules_shop, query=query) == {}


def test_a_total_over_the_limit_is_wrong_where_nothing_says_so(rules_shop: Shop) -> None:
    told = failing(TWO, shop=rules_shop, query="both for under $40")
    assert told == {"budget": ["Total: $42.90; limit: $40.00"]}
    assert failing(f"Sadly above your limit.\n\n{TWO}", shop=rules_shop, query="both for under $40") == {}
    assert failing(TWO, shop=rules_shop, constraints=Constraints(total_max=42.90)) == {}


def test_a_budget_rule_names_total_and_limit(rules_shop: Shop) -> None:
    found = checked(TWO, shop=rules_shop, query="$20 a month for three months")["budget"]
    assert found.status == "pass"
    assert (found.value["total"], found.value["limit"]) == (42.90, 60.0)


def test_without_a_question_or_a_total_nothing_is_said_of_a_budget(rules_shop: Shop) -> None:
    assert checked(TWO, shop=rules_shop)["budget"].remarks == ("question",)
    assert checked("Fine.", shop=rules_shop, query="under $40")["budget"].remarks == ("prose",)
    assert checked("Fine.", shop=rules_shop, query="nice things")["budget"].remarks == ("absent",)


def test_a_wrong_sum_says_what_it_comes_to() -> None:
    assert failing("$19.00 + $12.50 = $32.50") == {"total": ["Sum: $32.50; its terms: $31.50"]}
    assert failing(PLAIN.replace("$35.00", "$37.00")) == {"total": ["Total: $37.00; its lines: $35.00"]}
