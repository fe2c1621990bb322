"""`drr judges check` as a user types it: exit codes, the JSON document, and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from asked import LA, READER, A
from drr.app.cli import main
from drr.env.shop import Shop

from tests.cases import cases

NAMES = cases("rules", "NAMES")
TABLE = "| Item | Cost |\n|---|---|\n| Feeder | $20.00 |\n| House | $15.00 |\n| **Total** | **${}** |\n"
WORDS = {"absent", "prose", "unrecorded", "shop", "user", "question", "calls"}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "report.md"


def ask(path: Path, text: str, *options: str) -> int:
    path.write_text(text, encoding="utf-8")
    return main(["check", str(path), *options])


def test_the_document_has_seventeen_names_and_no_other(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    for options in ((), ("--shop", rules_shop.spec), ("--shop", rules_shop.spec, "--user", READER)):
        assert ask(written, f"Take {LA}, $17.95.\n", "--json", *options) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["citations"]["inline_citation_count"] == 1
        assert list(printed["rules"]) == NAMES
        for one in printed["rules"].values():
            assert set(one) == {"status", "value", "spans", "evidence"}
            assert one["status"] in {"pass", "unverifiable"}


def test_a_failed_rule_exits_1_with_the_document_printed(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = TABLE.format("37.00")
    assert ask(written, report, "--json") == 1
    found = json.loads(capsys.readouterr().out)["rules"]["total"]
    assert (found["status"], found["evidence"]) == ("fail", ["Total: $37.00; its lines: $35.00"])
    [(start, end)] = found["spans"]
    assert report[start:end] == "$37.00"


def test_a_budget_given_as_an_option_is_the_limit(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(written, TABLE.format("35.00"), "--budget", "35") == 0
    assert ask(written, TABLE.format("35.00"), "--budget", "34") == 1
    assert "Total: $35.00; limit: $34.00" in capsys.readouterr().out
    assert ask(written, TABLE.format("35.00"), "--query", "a feeder and a house for under $34") == 1


def test_one_wrong_fact_is_one_finding_with_what_is_said_and_what_is_true(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    report = f"Two things:\n\n- {LA}: 4.3 stars (71 ratings), $19.95\n"
    assert ask(written, report, "--shop", rules_shop.spec, "--user", READER, "--query", "a diffuser") == 1
    out = capsys.readouterr().out
    assert "line 3: Price: $19.95; record: $17.95" in out
    assert out.count("line 3:") == 1 and ", 1 fail, " in out


def test_what_cannot_be_told_says_why_in_one_word_and_fails_nothing(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = "A feeder is quiet, $17.95 they say, and lasts for years.\n"
    assert ask(written, report, "--json") == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    unknown = {name: one["evidence"] for name, one in rules.items() if one["status"] == "unverifiable"}
    assert all(len(why) == 1 and why[0] in WORDS for why in unknown.values())
    assert {name: unknown[name] for name in ("price", "privacy", "budget", "fabricated_citation")} == {
        "price": ["shop"],
        "privacy": ["shop"],
        "budget": ["question"],
        "fabricated_citation": ["calls"],
    }
    assert ask(written, report) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["?", "price", "shop"] in lines and ["?", "budget", "question"] in lines


def test_the_missing_user_or_running_text_is_the_reason_where_there_is_a_shop(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    assert ask(written, f"Some say that {LA} was $3 once.", "--shop", rules_shop.spec, "--json") == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert [rules[name]["evidence"] for name in ("price", "rating", "order_facts", "privacy")] == [
        ["prose"],
        ["absent"],
        ["user"],
        ["user"],
    ]


def test_a_bar_is_refused_with_a_sentence(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(written, "Fine.", "--bar", "0.9") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "--bar: rules say only what is certain" in printed.err and "--judge" in printed.err
    assert main(["check", "--help"]) == 0
    assert "--bar" not in capsys.readouterr().out


@pytest.mark.parametrize("content", [None, b"\xff\xfe bad", b"", b"\xef\xbb\xbf \r\n\n"])
def test_a_file_that_cannot_be_read_or_is_empty_exits_2_with_nothing_on_standard_output(
    written: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    if content is not None:
        written.write_bytes(content)
    assert main(["check", str(written), "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(written) in printed.err.splitlines()[0]


def test_a_user_without_a_shop_or_one_that_it_lacks_is_misuse(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    assert ask(written, "Fine.", "--user", "U") == 2
    assert ask(written, "Fine.", "--budget", "-3") == 2
    assert ask(written, "Fine.", "--shop", rules_shop.spec, "--user", "nobody") == 2
    assert "nobody" in capsys.readouterr().err


def test_an_address_given_by_hand_counts_as_the_shop(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = "Buy the [Heavy Iron Feeder](http://ecommerce.com/B0ABCDEFGH) for $20."
    assert ask(written, report, "--shop-url", "http://ecommerce.com") == 0
    assert ask(written, report, "--shop-url", "http://a.example", "--shop-url", "http://ecommerce.com") == 0
    assert ask(written, report, "--shop-url", "http://other.example") == 1
    assert "it is a page of another shop" in capsys.readouterr().out


def test_the_shop_has_its_default_address_as_where_a_study_is_judged(
    written: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = "Buy the [Heavy Iron Feeder](http://ecommerce.example/product/B0ABCDEFGH) for $20."
    assert ask(written, report) == 0
    assert "ok  outside_shop         1 checked, none wrong" in capsys.readouterr().out
    assert ask(written, report.replace("ecommerce", "other")) == 1
    monkeypatch.setenv("DRR_SHOP_URL", "http://other.example")
    assert ask(written, report) == 1


def test_a_hostile_text_cannot_speak_to_the_terminal(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    report = f"<think \x1b[2J\x07\u202ewipe\x9b31m> hm\n\n- {LA}: $3.33\n\n[\x1b]0;x\x07](http://ecommerce.example/B0\x1b[31mX)"
    assert ask(written, report, "--shop", rules_shop.spec, "--user", READER) == 1
    out = capsys.readouterr().out
    assert "Process text" in out and "$3.33" in out
    assert all(sign.isprintable() or sign == "\n" for sign in out)


def test_many_findings_are_cut_and_the_document_has_all(
    written: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    report = "".join(f"- [Number {n}]({A[:-2]}{n:02d})\n" for n in range(40, 60))
    assert ask(written, report, "--shop", rules_shop.spec) == 1
    assert "and 12 more (--json has all)" in capsys.readouterr().out
    assert ask(written, report, "--shop", rules_shop.spec, "--json") == 1
    assert len(json.loads(capsys.readouterr().out)["rules"]["in_catalogue"]["evidence"]) == 20


TOY = '''
import sys
from drr.eval.checks import RULES, Check, Rule, Subject
from drr.eval.checks.base import Tally
from drr.eval.checks.mentions import Mentions


def shouting(subject: Subject, mentions: Mentions) -> Check:
    """No line is all in capitals."""
    tally = Tally()
    for line in mentions.layout.lines:
        tally.compare((line.start, line.end), not line.text.isupper(), f"Line: {line.text[:40]!r}; it is all in capitals")
    return tally.check()


RULES["shouting"] = Rule(shouting, "1")

from drr.app.cli import main
from drr.eval.metrics import metrics

assert "rule_shouting" in metrics()
sys.exit(main(["check", sys.argv[1], "--json"]))
'''


@pytest.mark.long
def test_a_rule_is_a_function_and_a_line(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("Two feeders are enough.\nBUY THEM NOW\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TOY, str(report)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["rules"]["shouting"] == {
        "status": "fail",
        "value": {"checked": 2, "failed": 1, "unverifiable": 0},
        "spans": [[24, 36]],
        "evidence": ["Line: 'BUY THEM NOW'; it is all in capitals"],
    }
