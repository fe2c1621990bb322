"""`drr judges check` as a user types it: exit codes, the JSON document, and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import LA, READER, A
from drr.env.shop import Shop
from drr.eval.checks import RULES

from tests.commands import Drr

TABLE = "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | $15.00 |\n| **Total** | **${}** |\n"
WORDS = {"absent", "prose", "unrecorded", "shop", "user", "question", "calls", "given_up"}
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(tmp_path: Path, drr: Drr) -> Ask:
    """A report that is checked: the exit code, what was printed, and what was said."""

    def call(text: str, *options: str) -> tuple[int, str, str]:
        (tmp_path / "report.md").write_text(text, encoding="utf-8")
        return drr("check", tmp_path / "report.md", *options)

    return call


def rules_of(asked: tuple[int, str, str], code: int) -> dict[str, Any]:
    assert asked[0] == code, asked[2]
    found: dict[str, Any] = json.loads(asked[1])["rules"]
    return found


def test_the_document_has_every_rule_and_no_other(ask: Ask, rules_shop: Shop) -> None:
    for options in ((), ("--shop", rules_shop.spec), ("--shop", rules_shop.spec, "--user", READER)):
        asked = ask(f"Take {LA}, $17.95.\n", "--json", *options)
        assert json.loads(asked[1])["citations"]["inline_citation_count"] == 1
        rules = rules_of(asked, 0)
        assert list(rules) == list(RULES)
        for one in rules.values():
            assert set(one) == {"status", "value", "spans", "evidence"}
            assert one["status"] in {"pass", "unverifiable"}


def test_a_failed_rule_exits_1_with_the_document_printed(ask: Ask) -> None:
    report = TABLE.format("37.00")
    found = rules_of(ask(report, "--json"), 1)["total"]
    assert (found["status"], found["evidence"]) == ("fail", ["Total: $37.00; its lines: $35.00"])
    [(start, end)] = found["spans"]
    assert report[start:end] == "$37.00"


def test_beside_what_failed_stands_how_much_could_be_read(ask: Ask, rules_shop: Shop) -> None:
    """Marks, numbers of lists and links are no figures; a date is one."""
    read = f"1. {LA}: 4.3 stars (71 ratings), ${{}}\n\nIt cost $1.00 on 2021-03-02, or so 2 of us say [1].\n\n## Sources\n[1] {A}\n"
    for price, failed in (("17.95", 0), ("19.95", 1)):
        _, out, _ = ask(read.format(price), "--shop", rules_shop.spec)
        assert f", {failed} fail, " in out and "; rules could read 3 of 6 figures\n" in out
    assert json.loads(ask("It is $1.00.", "--json")[1])["figures"] == {"read": 0, "of": 1}
    assert "; no figure to read\n" in ask("It is quiet.")[1]


def test_a_budget_given_as_an_option_is_the_limit(ask: Ask) -> None:
    report = TABLE.format("35.00")
    assert ask(report, "--budget", "35")[0] == 0
    code, out, _ = ask(report, "--budget", "34")
    assert code == 1 and "Total: $35.00; limit: $34.00" in out
    assert ask(report, "--query", "a feeder and a house, $34 in all")[0] == 1
    assert ask(report, "--query", "a feeder for under $34, a house")[0] == 0
    assert ask(report, "--query", "a feeder for under $34, a house", "--budget", "34")[0] == 1


def test_the_limit_that_was_read_is_printed(ask: Ask) -> None:
    for query, said in (
        ("a feeder, $300 in all", "limit read: $300 in all"),
        ("my budget is $300.50", "limit read: $300.50 in all"),
        ("feeders under $300", "limit not understood"),
    ):
        assert said in ask("It is quiet.", "--query", query)[1]
        assert said in ask(TABLE.format("35.00"), "--query", query)[1]


def test_one_wrong_fact_is_one_finding_with_what_is_said_and_what_is_true(ask: Ask, rules_shop: Shop) -> None:
    report = f"Two things:\n\n- {LA}: 4.3 stars (71 ratings), $19.95\n"
    code, out, _ = ask(report, "--shop", rules_shop.spec, "--user", READER, "--query", "a diffuser")
    assert code == 1 and "line 3: Price: $19.95; record: $17.95" in out
    assert out.count("line 3:") == 1 and ", 1 fail, " in out


def test_what_cannot_be_told_says_why_in_one_word_and_fails_nothing(ask: Ask, rules_shop: Shop) -> None:
    report = "A feeder is quiet, $17.95 they say, and lasts for years.\n"
    rules = rules_of(ask(report, "--json"), 0)
    unknown = {name: one["evidence"] for name, one in rules.items() if one["status"] == "unverifiable"}
    assert all(len(why) == 1 and why[0] in WORDS for why in unknown.values())
    told = {"price": "shop", "privacy": "shop", "budget": "question", "fabricated_citation": "calls"}
    assert {name: unknown[name] for name in told} == {name: [why] for name, why in told.items()}
    code, out, _ = ask(report)
    printed = [line.split() for line in out.splitlines()]
    assert code == 0 and ["?", "price", "shop"] in printed and ["?", "budget", "question"] in printed
    rules = rules_of(ask(f"Some say that {LA} was $3 once.", "--shop", rules_shop.spec, "--json"), 0)
    told = {"price": "prose", "rating": "absent", "order_facts": "user", "privacy": "user"}
    assert {name: rules[name]["evidence"] for name in told} == {name: [why] for name, why in told.items()}


@pytest.mark.parametrize("content", [None, b"\xff\xfe bad", b"", b"\xef\xbb\xbf \r\n\n"])
def test_a_file_that_cannot_be_read_or_is_empty_exits_2_with_nothing_on_standard_output(
    tmp_path: Path, drr: Drr, content: bytes | None
) -> None:
    written = tmp_path / "report.md"
    if content is not None:
        written.write_bytes(content)
    code, out, err = drr("check", written, "--json")
    assert (code, out) == (2, "") and str(written) in err.splitlines()[0]


def test_a_user_without_a_shop_or_one_that_it_lacks_is_misuse(ask: Ask, rules_shop: Shop) -> None:
    assert ask("Fine.", "--user", "U")[0] == 2
    assert ask("Fine.", "--budget", "-3")[0] == 2
    code, _, err = ask("Fine.", "--shop", rules_shop.spec, "--user", "nobody")
    assert code == 2 and "nobody" in err


def test_an_address_given_by_hand_or_the_default_one_counts_as_the_shop(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = "Buy the [Heavy Iron Feeder](http://ecommerce.com/B0ABCDEFGH) for $20."
    assert ask(report, "--shop-url", "http://ecommerce.com")[0] == 0
    assert ask(report, "--shop-url", "http://a.example", "--shop-url", "http://ecommerce.com")[0] == 0
    code, out, _ = ask(report, "--shop-url", "http://other.example")
    assert code == 1 and "it is a page of another shop" in out
    report = report.replace("ecommerce.com", "ecommerce.example/product")
    code, out, _ = ask(report)
    assert code == 0 and "ok  outside_shop         1 checked, none wrong" in out
    assert ask(report.replace("ecommerce", "other"))[0] == 1
    monkeypatch.setenv("DRR_SHOP_URL", "http://other.example")
    assert ask(report)[0] == 1


def test_a_hostile_text_cannot_speak_to_the_terminal(ask: Ask, rules_shop: Shop) -> None:
    report = f"<invoke \x1b[2J\x07\u202ewipe\x9b31m> hm\n\n- {LA}: $3.33\n\n[\x1b]0;x\x07](http://ecommerce.example/B0\x1b[31mX)"
    code, out, _ = ask(report, "--shop", rules_shop.spec, "--user", READER)
    assert code == 1 and "Process text" in out and "$3.33" in out
    assert all(sign.isprintable() or sign == "\n" for sign in out)


def test_many_findings_are_cut_and_the_document_has_all(ask: Ask, rules_shop: Shop) -> None:
    report = "".join(f"- [Number {n}]({A[:-2]}{n:02d})\n" for n in range(40, 60))
    code, out, _ = ask(report, "--shop", rules_shop.spec)
    assert code == 1 and "and 12 more (--json has all)" in out
    rules = rules_of(ask(report, "--shop", rules_shop.spec, "--json"), 1)
    assert len(rules["in_catalogue"]["evidence"]) == 20


TOY = '''
import sys
from drr.eval.checks import RULES, Rule
from drr.eval.checks.base import Subject
from drr.eval.checks.results import Check
from drr.eval.checks.results import Tally
from drr.eval.checks.mentions import Mentions


def shouting(subject: Subject, mentions: Mentions) -> Check:
    """No line is all in capitals."""
    tally = Tally()
    for line in mentions.lines:
        tally.compare((line.start, line.end), not line.text.isupper(), f"Line: {line.text[:40]!r}; it is all in capitals")
    return tally.check()


sys.modules["toy.rules"] = sys.modules["__main__"]
RULES["shouting"] = Rule("toy.rules:shouting", "1")

from drr.app.cli import main
from drr.eval.metrics import metrics

assert "rule_shouting" in metrics()
sys.exit(main(["check", sys.argv[1], "--json"]))
'''


@pytest.mark.long
def test_a_rule_is_a_function_and_a_line(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("Two feeders are enough.\nBUY THEM NOW\n", encoding="utf-8")
    words = [sys.executable, "-c", TOY, str(report)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["rules"]["shouting"] == {
        "status": "fail",
        "value": {"checked": 2, "failed": 1, "unverifiable": 0},
        "spans": [[24, 36]],
        "evidence": ["Line: 'BUY THEM NOW'; it is all in capitals"],
    }
