"""`drr check`: exit codes, the JSON document, and messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.shop import Shop
from figure9 import QUERY, REPORT, TWIN


def written(folder: Path, text: str) -> str:
    path = folder / "report.md"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_failed_rule_exits_1_with_the_document_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "check",
                written(tmp_path, REPORT),
                "--query",
                QUERY,
                "--shop-url",
                "http://ecommerce.com",
                "--json",
            ]
        )
        == 1
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed["citations"]["inline_citation_count"] == 2
    assert len(printed["rules"]) == 18
    assert printed["rules"]["budget"]["status"] == "fail"
    assert set(printed["rules"]["budget"]) == {"status", "value", "spans", "evidence"}


def test_unverifiable_never_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, TWIN), "--budget", "300"]) == 0
    assert "unverifiable" in capsys.readouterr().out


def test_a_failure_is_shown_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, REPORT), "--budget", "300"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  budget" in out
    assert "line 33: the plan costs $330.00" in out


@pytest.mark.parametrize("content", [None, b"\xff\xfe bad", b"", b"\xef\xbb\xbf \r\n\n"])
def test_a_file_that_cannot_be_read_or_is_empty_exits_2_with_nothing_on_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    path = tmp_path / "report.md"
    if content is not None:
        path.write_bytes(content)
    assert main(["check", str(path), "--json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert str(path) in printed.err


def test_a_user_without_a_shop_is_misuse_and_an_unknown_one_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    path = written(tmp_path, TWIN)
    assert main(["check", path, "--user", "U"]) == 2
    assert main(["check", path, "--shop", rules_shop.spec, "--user", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_a_shop_makes_the_catalogue_rules_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rules_shop: Shop
) -> None:
    product = next(iter(rules_shop.store.iter_products()))
    user = rules_shop.store.sample_users(1, seed=1)[0]
    path = written(tmp_path, f"Take [{product.title}]({product.product_url}).")
    assert main(["check", path, "--shop", rules_shop.spec, "--user", user, "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert (rules["in_catalogue"]["status"], rules["name_matches_id"]["status"]) == ("pass", "pass")
