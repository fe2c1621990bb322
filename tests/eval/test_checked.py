"""Checks by code, proposed failures and metric families, as parts of a judging."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, cast

import pytest
from drr.app.pages.markdown import safe_html
from drr.app.report.calls import tool_calls
from drr.app.report.judging_tables import failure_labels
from drr.app.report.judging_tables import rules as rule_table
from drr.app.report.material import ReportData
from drr.app.report.standing import study_standings
from drr.app.report.system_table import judged_text, system_table
from drr.app.viewer.reader import Reader
from drr.citations.parse import parse
from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.eval.agreement.study import extraction_stability
from drr.eval.asking.conversation import Section, conversation
from drr.eval.asking.forms import FoundClaims
from drr.eval.asking.safety import visible_report, visible_text
from drr.eval.checks import RULES, check_report
from drr.eval.checks.results import Check
from drr.eval.evidence.answers import read_answers
from drr.eval.evidence.claims import extract_by_rules
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, judge
from drr.eval.metrics.compare import ValueTable, compare_systems
from drr.eval.metrics.diagnosis import FILE, LABELS
from drr.eval.metrics.document import study_document
from drr.eval.metrics.reliability import UNCOUNTED, UNREAD
from drr.eval.tasks.claim_extraction import distinct_claims, extract_with_model
from drr.eval.tasks.rules import check_subject, returned_addresses
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each
from tests.eval.nursery import Judge, answer, by_rules, by_wire, desk, offline, put, sentences, web
from tests.eval.test_canaries import CLEAN
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Say

CARE = "https://birds.example/care"
GOOD = f"The **Panorama wild bird feeder with six ports** costs $19.99 [1].\n\n## Sources\n[1] Panorama wild bird feeder: http://ecommerce.example/{FEEDER}\n"
BAD = GOOD.replace("$19.99", "$29.99")


async def test_each_report_is_checked_once_by_all_rules_without_a_call(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "good", GOOD, user_id=ANNA), answer("a", "bad", BAD, user_id=ANNA))
    models = offline()
    made = desk(study, models, shop)
    ran = await judge(study, made, models, JudgeOptions(["rules"]))
    assert (ran.summary.done, ran.summary.ok) == (2, True)
    assert (await judge(study, made, models, JudgeOptions(["rules"]))).summary.done == 0
    judged = read_judged(study, choose_judging(study))
    by_variant = {a.variant: judged.rules[a.key] for a in judged.answers}
    assert set(by_variant["good"]) == set(RULES)
    assert by_variant["good"]["price"]["status"] == "pass"
    assert by_variant["bad"]["price"]["status"] == "fail"
    metrics = study_document(study)["metrics"]
    assert (metrics["good"]["rule_price"]["value"], metrics["bad"]["rule_price"]["value"]) == (1.0, 0.0)
    assert metrics["good"]["rule_statistics"]["value"] is None


async def test_who_states_nothing_that_a_rule_can_read_is_not_praised_for_breaking_none(
    study: Study, shop: Shop
) -> None:
    good = GOOD.replace("The **", "It was $25.00. The **")
    await put(study, answer("a", "good", good, user_id=ANNA), answer("a", "mute", "$1.00.", user_id=ANNA))
    await by_rules(study, ["rules"], shop)
    judged, document = read_judged(study, choose_judging(study)), study_document(study)
    solved = {name: row["pass_rules_1"] for name, row in document["metrics"].items()}
    assert solved["good"]["value"] is not None
    assert (solved["mute"]["value"], solved["mute"].get("reason")) == (None, UNREAD)
    told = "good: rules could read 1 of 2 figures; mute: rules could read 0 of 1 figure."
    assert told in judged_text(document)
    material = ReportData(study, judged, document)
    found = rule_table(material)
    assert found is not None and told in found.notes
    ranks = study_standings(study, judged)
    assert ranks.metric is None and ranks.row.leads is None
    table = system_table(material, ranks)
    at = [one.label for one in table.columns].index("rules failed")
    assert table.columns[at + 1].label == "figures read"
    cells = {name: [(one.brief, one.shade) for one in row[at : at + 2]] for name, row in table.rows}
    assert cells["mute"][0][0].startswith("0 of ") and cells["mute"][0][1] == ""
    assert cells["mute"][1] == ("0 of 1", "") and cells["good"][1] == ("1 of 2", "")
    assert compare_systems(ValueTable(judged), "mute", "good")["figures"] == {
        "mute": {"read": 0, "of": 1},
        "good": {"read": 1, "of": 2},
    }
    reader = Reader(study)
    reader.measure()
    assert told in reader.measured_study.notes
    shown = {one.variant: reader.view(one) for one in reader.entries()}
    assert shown["mute"] is not None and shown["mute"].figures_read == "rules could read 0 of 1 figure"


async def test_rules_of_before_that_counted_no_figures_say_so(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "good", GOOD, user_id=ANNA))
    await by_rules(study, ["rules"], shop)
    with study.ledger.db.writing() as db:
        db.execute("UPDATE records SET result = json_remove(result, '$.figures')")
    document = study_document(study)
    assert document["coverage"]["variants"]["good"]["figures"] is None
    assert document["metrics"]["good"]["pass_rules_1"].get("reason") == UNCOUNTED


async def test_what_rules_of_another_version_checked_is_named(
    study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "good", GOOD, user_id=ANNA))
    models = offline()
    made = desk(study, models, shop)
    with monkeypatch.context() as before:
        before.setitem(RULES, "price", RULES["price"]._replace(version="0"))
        await judge(study, made, models, JudgeOptions(["rules"]))
    told = "1 reports were checked by rules of another version"
    assert told in (study_document(study)["banner"] or "")
    await judge(study, made, models, JudgeOptions(["rules"]))
    assert told not in (study_document(study)["banner"] or "")


async def test_the_rules_know_what_the_tools_returned(study: Study, shop: Shop) -> None:
    made_up = f"Care [1] and more [2].\n\n## Sources\n[1] {CARE}\n[2] https://made-up.example/x\n"
    fabricated = [{"url": "https://made-up.example/x", "page": "Text.", "page_status": "ok"}]
    await put(study, answer("a", "react", made_up, [web(CARE, "Clean feeders.")], fabricated=fabricated))
    (one,) = read_answers(study)
    told = check_subject(one, shop, "http://ecommerce.example")
    assert told.returned == returned_addresses(one) == {CARE}


INVENTED = "https://invented.example/x"
INVENTING = f"Care [1] and more [2].\n\n## Sources\n[1] {CARE}\n[2] {INVENTED}\n"


async def found_in(study: Study, shop: Shop, calls: list[dict[str, Any]]) -> Check:
    """What is held against an address that a report cites and nobody gave, after these calls."""
    await put(study, answer("a", "any", INVENTING, [web(CARE, "Clean feeders.")], calls=calls))
    (one,) = read_answers(study)
    return check_report(check_subject(one, shop, "http://ecommerce.example"))["fabricated_citation"]


def called(name: str, result: str, kind: str = "api", **more: Any) -> dict[str, Any]:
    return {"number": 1, "name": name, "kind": kind, "arguments": {}, "error": None, "result": result} | more


SEARCH = called("web_search", f"1. Care ({CARE})", researcher="r1")
SAID = {
    "a report alone": [SEARCH],
    "a researcher's synthesis": [SEARCH, called("launch_researcher", f"More at {INVENTED}.", "control")],
    "a thought": [SEARCH, called("reason", f"Noted: {INVENTED}", "control")],
    "the end": [SEARCH, called("finalize", f"Noted: {INVENTED}", "control")],
    "a query that the result repeats": [
        SEARCH, called("web_search", f"Nothing found for {INVENTED}.", arguments={"query": INVENTED}),
    ],
    "an error": [
        SEARCH,
        called("web_search", f"Error: no {INVENTED}", error={"kind": "invalid", "message": f"no {INVENTED}"}),
    ],
    "a call that never ran": [
        SEARCH, called("web_search", "Not run.", "refused", error={"kind": "invalid", "message": INVENTED}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("calls", SAID.values(), ids=SAID)
async def test_an_address_that_only_the_agent_said_is_made_up_in_every_architecture(
    study: Study, shop: Shop, calls: list[dict[str, Any]]
) -> None:
    found = await found_in(study, shop, calls)
    assert [returned_addresses(one) for one in read_answers(study)] == [{CARE}]
    assert (found.status, found.value["failed"]) == ("fail", 1)
    assert [one.why for one in found.findings] == [f"Address: {INVENTED}; no tool returned it"]


async def test_what_a_result_shows_beside_its_sources_is_returned(study: Study, shop: Shop) -> None:
    calls = [called("web_search", f"1. Care ({CARE}), see also {INVENTED}.")]
    assert (await found_in(study, shop, calls)).status == "pass"


async def test_a_call_that_never_ran_is_no_tool_call(study: Study) -> None:
    old = {name: value for name, value in SEARCH.items() if name != "kind"}
    kinds = ["api", "refused", "control", "unknown"]
    calls = [old, *(called("web_search", "x", kind) for kind in kinds)]
    await put(study, answer("a", "react", INVENTING, calls=calls))
    assert study_document(study)["metrics"]["react"]["tool_calls"]["value"] == 2.0
    counts = tool_calls({"react": read_answers(study)})["react"]
    assert {asked.query: each for asked, each in counts["web_search"].items()} == {"q-a": [2.0]}


async def test_a_charge_by_words_that_the_report_lacks_is_unknown_and_counted(study: Study) -> None:
    await put(study, answer("a", "react", "First line of it.\nSecond line of it."))
    charges = {"second LINE of it": "shallow_analysis", "never said": "weak_synthesis"}
    said = [{"example": example, "label": label} for example, label in charges.items()]
    await by_wire(study, lambda request: Say(json.dumps({"failures": said})), JudgeOptions(["failures"]))
    judged = read_judged(study, choose_judging(study))
    (found,) = judged.failures.values()
    assert found == {
        "failures": [{"label": "shallow_analysis", "start": 18, "end": 35}],
        "unfounded": ["weak_synthesis"],
    }
    told = study_document(study)["failures"]["variants"]["react"]
    shown = {name: (row["share"]["value"], row["share"]["n"], row["unfounded"]) for name, row in told.items()}
    assert shown["shallow_analysis"] == (1.0, 1, 0) and shown["narrow_framing"] == (0.0, 1, 0)
    assert shown["weak_synthesis"] == (None, 0, 1)
    table = failure_labels(ReportData(study, judged, study_document(study)))
    assert table is not None
    assert not any("weak synthesis" in note for note in table.notes if "no judge" in note)
    assert dict(table.rows)["weak synthesis"][0].text() == "unknown (charged by other words in 1)"
    assert any(note.endswith("in no share: weak synthesis 1 (react).") for note in table.notes)


async def test_the_judge_of_rules_proposes_failures_too(study: Study) -> None:
    repeated = "The feeder costs $5 because it is small and holds little seed for birds.\n" * 12
    await put(study, answer("a", "react", repeated))
    await by_rules(study, ["failures"])
    (found,) = read_judged(study, choose_judging(study)).failures.values()
    assert "redundant_clarity" in {failure["label"] for failure in found["failures"]}


async def test_two_extractions_are_held_against_each_other(study: Study) -> None:
    report = f"Clean feeders often enough [1].\nSeed spoils when it is wet [1].\n\n## Sources\n[1] {CARE}\n"
    await put(study, answer("a", "react", report, [web(CARE, "Clean feeders.")]))
    seen = 0

    def fickle(text: str) -> list[dict[str, Any]]:
        nonlocal seen
        seen += 1
        return sentences(text)[: 2 if seen == 1 else 1]

    for repeat in (0, 1):
        await by_wire(study, Judge(claims=fickle), JudgeOptions(["faithfulness"]), repeat=repeat)
    judging = choose_judging(study)
    assert judging is not None
    told = extraction_stability(study, judging, read_answers(study))
    assert told is not None
    assert told["jaccard"]["value"] == pytest.approx(0.5)
    assert told["n_claims_cv"]["value"] == pytest.approx(2**0.5 / 3)


def test_a_statement_made_twice_is_one_claim_with_both_sources() -> None:
    report = f"Clean it weekly, always [1].\n\nSeed spoils when wet.\n\nClean it weekly, always [2].\n\n## Sources\n[1] {CARE}\n[2] {CARE}/2\n"
    found = distinct_claims(extract_by_rules(report, parse(report)))
    assert [claim.text for claim in found] == ["Clean it weekly, always.", "Seed spoils when wet."]
    assert found[0].urls == (CARE, f"{CARE}/2")


DEAR = (
    "| item | price |\n| --- | --- |\n| Panorama wild bird feeder [1] | $19.99 |\n| Stone bird bath [2] | $64.50 |\n"
    "| Quiet dog nail grinder [3] | $31.00 |\n\nTotal: $115.49\n\n## Sources\n"
    f"[1] Panorama wild bird feeder: http://ecommerce.example/{FEEDER}\n[2] Stone bird bath: http://ecommerce.example/B0BATH0001\n"
    "[3] Quiet dog nail grinder: http://ecommerce.example/B0GRINDER1\n"
)


async def test_what_can_only_accuse_makes_no_share(study: Study, shop: Shop) -> None:
    """A broken rule shows a label whose absence no rule can tell: among those it told of, every report has it."""
    await put(study, answer("a", "x", DEAR, user_id=ANNA), answer("b", "x", GOOD, user_id=ANNA))
    await by_rules(study, ["rules"], shop)
    told = study_document(study)["failures"]["variants"]["x"]["constraint_violation"]
    assert (told["share"]["value"], told["share"]["n"], told["found"]) == (None, 0, 1)
    assert told["examples"][0]["by"] == "rule budget"
    await by_rules(study, ["failures"], shop)
    told = study_document(study)["failures"]["variants"]["x"]["constraint_violation"]
    assert (told["share"]["value"], told["share"]["n"], told["found"]) == (0.5, 2, 1)


async def test_a_remark_of_a_rule_shows_no_failure(study: Study, shop: Shop) -> None:
    twice = "The feeder is small and holds little seed for the birds of a whole winter.\n\n" * 6
    await put(study, answer("a", "x", twice, user_id=ANNA))
    await by_rules(study, ["rules"], shop)
    (rules,) = read_judged(study, choose_judging(study)).rules.values()
    assert rules["duplicates"]["status"] == "remark"
    document = study_document(study)
    assert document["failures"]["variants"]["x"]["redundant_clarity"]["found"] == 0
    assert document["metrics"]["x"]["rule_duplicates"]["value"] == 1, "judge, gate and pages count breaks"
    table = rule_table(ReportData(study, read_judged(study, choose_judging(study)), document))
    assert table is not None
    assert {name: row[0].brief for name, row in table.rows}["duplicates"] == "0/1"
    assert "duplicates" not in judged_text(document)


async def test_failures_are_counted_per_variant_with_examples_and_a_person_has_the_last_word(
    study: Study, shop: Shop
) -> None:
    texts = {("a", "x"): DEAR, ("b", "x"): GOOD, ("a", "y"): GOOD}
    await put(study, *(answer(*of, text, user_id=ANNA) for of, text in texts.items()))
    await by_rules(study, ["rules", "failures"], shop)
    told = study_document(study)["failures"]["variants"]
    assert set(told["x"]) == set(LABELS)
    broken = told["x"]["budget_break"]
    assert (broken["share"]["value"], broken["share"]["n"]) == (1.0, 1)
    assert broken["examples"][0]["by"] == "rule budget"
    assert told["y"]["fabricated_citation"]["share"]["value"] == 1.0  # no tool returned the feeder's address
    no = {"label": "budget_break", "present": False, "judge": "anna"}
    said = [{"answer": f"q-{query}/x/0", **no} for query in "ab"]
    (study.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in said))
    told = study_document(study)["failures"]
    assert (told["corrected"], told["variants"]["x"]["budget_break"]["share"]["value"]) == (2, 0.0)
    await by_rules(study, ["failures"], shop, repeat=1)
    said += cases(
        "eval", "test_failures_are_counted_per_variant_with_examples_and_a_person_has_the_last_word"
    )
    (study.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in said))
    told = study_document(study)["failures"]
    assert told["variants"]["x"]["budget_break"]["share"]["value"] == 0.0  # also after it was judged again
    shown = {"answer": "q-a/x/0", "by": "ben", "text": "two lists"}
    assert told["variants"]["x"]["weak_synthesis"]["examples"][0] == shown
    assert told["corrections_of_no_answer"] == ["q-z/x/0"] and told["corrected"] == 3
    assert [one["judge"] for one in told["corrections"]] == ["anna", "ben", "anna", "ben"]
    (study.folder / FILE).write_text('{"answer": "q-a/x/0", "label": "ugly", "present": true}\n')
    with pytest.raises(DrrError, match="line 1: label"):
        study_document(study)


async def test_a_report_too_long_to_read_is_counted_as_failed(study: Study) -> None:
    texts = {"short": "Birds need water.", "long": "Birds need seed. " * 30_000}
    await put(study, *(answer("a", variant, text) for variant, text in texts.items()))
    await by_rules(study, ["rules"])
    assert sorted(str(r.reason) for r in study.records("judgement", None)) == ["None", "too_slow"]
    judged = read_judged(study, choose_judging(study))
    assert (judged.units["rules"], judged.failed["rules"], len(judged.rules)) == (2, 1, 1)


FORMS, SHOWN_FORMS = cases("eval", "FORMS"), cases("eval", "SHOWN_FORMS")


@each("form", FORMS)
def test_no_form_of_hidden_words_reaches_a_judge_and_the_shown_ones_do(form: str) -> None:
    text = visible_report(FORMS[form])
    assert "SECRET" not in text and "One" in text and "Two" in text


@each("form", [*SHOWN_FORMS])
def test_what_the_page_shows_is_not_cut_before_it_is_parsed(form: str) -> None:
    """`Note <!-- see below` hid every later claim, and a fenced script an honest report, though our page shows them."""
    text = SHOWN_FORMS[form]
    assert "SECRET" in safe_html(text)
    assert visible_report(text) == text.replace("```html", "```")
    assert ("SECRET" in parse(text).body) == ("```" not in text)


IGNORABLE = (  # Default_Ignorable_Code_Point of Unicode
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
)  # fmt: skip


SHAPELESS = st.sampled_from(IGNORABLE).map(chr)
SHAPELESS |= st.characters(categories=["Cc", "Cs"], exclude_characters="\t\n\0")  # a page shows \0 as a sign


@given(st.lists(SHAPELESS, min_size=1))
def test_no_run_of_signs_without_a_shape_tells_a_judge_anything(signs: list[str]) -> None:
    assert visible_report(f"seed{''.join(signs)} feeder") == "seed feeder"


def test_every_sign_without_a_shape_is_taken_out() -> None:
    assert visible_text("".join(map(chr, IGNORABLE))) == ""
    named = "&#xE0072;&#917601;&zwnj;&ZeroWidthSpace;&shy;"
    assert visible_report(f"seed{named} feeder") == "seed feeder"


@pytest.mark.parametrize(
    "host", ["a.example", "www.the-wild-bird-shop.co.uk", "pubmed.ncbi.nlm.nih.gov", "xn--bcher-kva.example"]
)
def test_the_name_of_a_site_is_told_as_a_reader_sees_it_who_points_at_the_link(host: str) -> None:
    assert visible_report(f"See [this](https://{host}/page?x=1).") == f"See [this](https://{host})."


SHOWN = cases("eval", "SHOWN")


@pytest.mark.parametrize("text", SHOWN)
def test_what_our_pages_show_as_text_is_read_as_text(text: str) -> None:
    """The viewer and the page for annotators escape it: its attributes, its title, its target stand before people's eyes."""
    assert "note" in unescape(_TAG.sub("", safe_html(text)))
    assert "note" in visible_report(text)


def test_an_emoji_keeps_its_one_selector() -> None:
    text = "\u26a0\ufe0f Not for cats. 1\ufe0f\u20e3 Seed first."
    assert visible_text(text) == text
    assert visible_text("\u26a0\ufe0f\ufe0e\ufe0f Not") == "\u26a0 Not"


HONEST = cases("eval", "HONEST", globals())


@pytest.mark.parametrize("text", HONEST)
def test_a_report_that_hides_nothing_keeps_its_bytes(text: str) -> None:
    assert visible_report(text) == text


def test_what_is_set_anew_keeps_headings_lists_tables_and_marks() -> None:
    text = "# Head [1]\n\n- a **b**\n  - `c` [2]\n\n3. d\n4. e\n\n> said\n\n| x | y |\n|---|---|\n| 1 | [z](https://a.example/long) | no |\n"
    assert visible_report(text) == (
        "# Head [1]\n\n- a **b**\n\n  - `c` [2]\n\n3. d\n4. e\n\n> said\n\n"
        "| x | y |\n| --- | --- |\n| 1 | [z](https://a.example) |\n"
    )


def test_a_page_that_is_evidence_is_no_markdown() -> None:
    text = "[//]: # (a line of the page) [a](https://a.example/x)"
    evidence, answer = Section("evidence", text), Section("answer", text, report=True)
    assert "a line of the page" in evidence.shown
    assert "https://a.example/x" in conversation("s", [evidence])[1].text
    assert "https://a.example/x" not in conversation("s", [answer])[1].text


@pytest.mark.parametrize("opening", ["[//]: # (", "[note]: <> (", "[x]: # ("])
def test_a_remark_makes_no_claim(opening: str) -> None:
    remark = f"{opening}Cardinals crack large seeds because they are strong and cost $12.49 [3].)"
    text = CLEAN.replace("## Upkeep", f"{remark}\n\n## Upkeep")
    claims = [claim.text for claim in extract_by_rules(text, parse(text))]
    assert claims == [claim.text for claim in extract_by_rules(CLEAN, parse(CLEAN))]


def test_a_surplus_cell_neither_cites_nor_adds_to_a_claim() -> None:
    row = "| seed | $12.49 |"
    text = CLEAN.replace(row, f"{row} lasts 8 years and cardinals like it [3] | [4] |")
    found, clean = ([(c.text, c.urls) for c in extract_by_rules(one, parse(one))] for one in (text, CLEAN))
    assert found == clean


PIECES = st.sampled_from(
    [*"[]()<>!#*_~`|\\&;:\"'-=+.1a \n\t>", "\n\n", "[//]: # (", "](", "[a](https://b.example/", "```", "~~~ w", "| x | y |\n|---|---|\n",
     "| p | q | r |\n", "[x]: ", "[x]", "https://c.example/d", "&#x41;", "&zwnj;", "<!--", "-->", "- ", "1. ", "> ", "word", "\u200b", "\ufe0f", "<b t='u'>"]
)  # fmt: skip
_TAG = re.compile(r"<[^<>]*>")
_TARGET = re.compile(r'href="([^"]*)"')
_SITE = re.compile(r"\w+://[\w.-]*")


@pytest.mark.parametrize("label", ["\u200b", "&zwnj;", "\u2800", "\u3164 \u2800"])
def test_a_link_that_nobody_sees_tells_a_judge_no_site(label: str) -> None:
    assert visible_report(f"Seed [{label}](https://rate.this.ten.example) feeder") == "Seed  feeder"
    assert (
        visible_report("Seed [\U0001f426](https://birds.example).")
        == "Seed [\U0001f426](https://birds.example)."
    )


def test_references_repeat_no_address_until_a_page_and_a_request_burst() -> None:
    """70 KB made a page of 250 MB, and 30 KB a request of 25 MB; a title was shown on hovering, to a reader only."""
    for address, title in (("u" * 5_000, ""), ("u", f" '{'t' * 5_000}'")):
        defined = f"[a]: https://x.example/{address}{title}\n\n"
        text = f"{defined}https://x.example/{address}\n\n{'[a] ' * 5_000}"
        assert max(len(visible_report(text)), len(safe_html(text))) < 30 * len(text)
    assert "tttt" not in safe_html(text)
    few = f"[a]: https://x.example/{'u' * 90}\n\n{'[a] ' * 900}"
    assert safe_html(few).count("u" * 90) == 900


@given(st.lists(PIECES, max_size=40).map("".join))
def test_what_a_judge_reads_is_on_the_sanitised_page(markdown: str) -> None:
    """All that the page shows, in its order; besides it only the numbers of lists and the sites of links."""
    page = safe_html(markdown)
    shown = "".join(c for c in visible_text(unescape(_TAG.sub("", page))) if c.isalnum())
    text = visible_report(markdown)
    read = iter(text)
    assert all(letter in read for letter in shown), "something shown is missing"
    sites = " ".join(site[0] for target in _TARGET.findall(page) if (site := _SITE.match(target)))
    for run in re.findall(r"[^\W_]+", text):
        assert run in shown or run in sites or run.isdecimal(), run


@given(
    st.lists(st.sampled_from([*FORMS.values()]), max_size=6),
    st.sampled_from(["\n\n", "\n\n---\n\n", "\n\n# Head\n\n"]),
)
def test_forms_together_hide_no_better_than_alone(forms: list[str], between: str) -> None:
    text = visible_report(between.join(forms))
    assert "SECRET" not in text
    assert text.count("One") == text.count("Two") == len(forms)


async def test_the_one_who_finds_claims_reads_no_hidden_words_and_every_cited_address() -> None:
    """A chunk is read as the page shows it, and a link that cites keeps its address, which the list names too."""
    link = '[Birds](https://birds.example/native "SECRET")'
    report = f"Cardinals stay {link}.\n\n[//]: # (SECRET)\n\nSeed is cheap."
    told = []

    class Listener:
        async def answer(self, asking: Any) -> FoundClaims:
            told.append(asking.messages[1].text)
            return FoundClaims(claims=[])

    await extract_with_model(report, parse(report), cast(Any, Listener()), "find")
    assert "SECRET" not in told[0]
    assert "[Birds](https://birds.example/native)" in told[0]
