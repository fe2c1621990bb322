"""Reports that people have are imported as they lie: Markdown, CSV; and what code found in them is a table."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path

import pytest
from drr.env.query import Query, read_queries
from drr.env.settings import Settings
from drr.env.shop import open_shop

from tests.app.conftest import found_soap
from tests.commands import Drr

HEAD = "---\nquestion: Which soap is mild?\nsystem: ours\n---\n"


def test_markdown_and_csv_are_imported_and_their_errors_listed(
    tmp_path: Path, sample_home: Path, drr: Drr
) -> None:
    found = found_soap(drr, sample_home / "shop")
    item, source = found["data"]["items"][0], found["sources"][0]
    line = f"The [{item['title']}]({source['url']}) costs $9,999.99."
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "a.md").write_text(f"{HEAD}# Answer\n\n{line}\n", encoding="utf-8")
    (reports / "theirs--which-soap-is-cheap.md").write_text("# Answer\n\nNo soap.\n", encoding="utf-8")
    (reports / "c.md").write_text("# Answer\n\nNone.\n", encoding="utf-8")
    (reports / "d.md").write_text("# Answer\n", encoding="utf-8")
    (reports / "questions.csv").write_text("file,question,system\nc.md,Why soap?,beside\n", encoding="utf-8")
    table = tmp_path / "t.csv"
    table.write_text('question,report,user\n,x,\nWhat now?,"# Answer\n\nWait.",\n', encoding="utf-8")
    files = [*sorted(reports.glob("*.md")), table]
    code, out, err = drr(
        "study",
        "import",
        tmp_path / "mine",
        *files,
        "--shop",
        sample_home / "shop",
        "--system",
        "given",
        "--quiet",
    )
    assert code == 1 and "d.md: names no question" in err and "line 2: t.csv: names no question" in err
    assert "4 of 4 reports are new" in out and "beside, given, ours, theirs" in out
    assert drr("judge", tmp_path / "mine", "--judge", "offline", "--quiet")[0] == 0
    drr.out("report", tmp_path / "mine", "--out", tmp_path / "out")
    with (tmp_path / "out" / "errors.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    assert rows["ours"]["rule"] == "price" and "9,999.99" in rows["ours"]["sentence"]
    assert "record: $" in rows["ours"]["record"] and rows["ours"]["question"] == "Which soap is mild?"
    assert (rows["theirs"]["rule"], rows["theirs"]["read"]) == ("no error found", "read 0 of 0 figures")
    for viewer in ((), ("--viewer", "../viewer")):
        drr.out("report", tmp_path / "mine", "--out", tmp_path / "out", *viewer, "--quiet")
        drr.out("view", tmp_path / "mine", "--static", tmp_path / "viewer", "--quiet")
        summary = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
        assert summary.index("What failed?") < summary.index('id="board"')
        assert 'href="answers/~errors.html#price"' in summary and 'href="errors.csv">the list' not in summary
        for page in (tmp_path / "out" / "answers" / "~errors.html", tmp_path / "viewer" / "errors.html"):
            text = page.read_text(encoding="utf-8")
            assert 'id="price"' in text and re.search(r'<mark class="wrong">\$9,999.99</mark>', text)
            assert rows["ours"]["record"] in text
            file, _, place = re.findall(r'<th scope="row"><a href="([^"]*)">ours', text)[0].partition("#")
            assert f'id="{place}"' in (page.parent / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.md", "# Answer\n", "names no question"), ("a.md", "---\nquestion: Why?\n---\n# A\n", "names no system"),
        ("a.md", "---\nquestion: [a\n---\n# A\n", "front matter"), ("a.csv", "file,question\n../b.md,Why?\n", "names files beside it"),
        ("a.md", "---\r\nquestion: Why?\r\n---\r\n# A\r\n", "names no system"),
        ("a.docx", "x", "line 1: not JSON"), ("a.csv", "question,report\nWhy?,x\n", "names no system"),
    ],
)  # fmt: skip
def test_what_is_no_report_is_told_in_one_line(
    name: str, text: str, told: str, tmp_path: Path, drr: Drr
) -> None:
    (tmp_path / name).write_bytes(text.encode())
    err = drr.err("study", "import", tmp_path / "mine", tmp_path / name)
    assert told in err and err.count("\n") == 1 and "--format" not in err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("where", ["x.md", "questions.csv", "file", "x.jsonl", "x.csv", "--format", "--map"])
def test_a_folder_of_reports_follows_no_link_and_waits_for_no_pipe(
    where: str, kind: str, tmp_path: Path, drr: Drr
) -> None:
    folder, secret = tmp_path / "r", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("---\nquestion: Which one is it?\nsystem: ours\n---\nHEART OF IT\n")
    if where == "questions.csv":
        secret.write_text("file,question,system\na.md,HEART OF IT?,ours\n")
    (folder / "a.md").write_text("# Answer\n\nNone of these.\n")
    (folder / "t.csv").write_text("file,question,system\nx.md,Which one?,ours\n")
    (folder / "p.csv").write_text("id,title,price\n1,Dog bed,9.50 USD\n")
    odd = folder / {"file": "x.md", "--format": "x.jsonl", "--map": "map.toml"}.get(where, where)
    odd.symlink_to(secret) if kind == "link" else os.mkfifo(odd)
    given = folder / {"file": "t.csv", "questions.csv": "a.md"}.get(where, odd.name)
    words: list[object] = ["study", "import", tmp_path / "mine", given]
    if where == "--format":
        words += ["--format", "drb"]
    if where == "--map":
        words = ["data", "ingest", folder / "p.csv", "--shop", tmp_path / "shop", "--map", odd]
    code, out, err = drr(*words)
    assert code in (1, 2) and not out and err.count("\n") == 1 and "HEART" not in err
    assert not (tmp_path / "mine").exists()
    assert (
        ("a pipe" in err)
        if kind == "pipe"
        else ("a link" in err or given.suffix in (".jsonl", ".toml", ".csv"))
    )


def test_a_user_is_one_of_the_shop_by_its_own_number_too(tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "p.csv").write_text("id,title,price\n1,Dog bed,9.50 USD\n")
    (tmp_path / "o.csv").write_text("product_id,user_id,date\n1,anna@zq-mail.de,2024-03-01\n")
    drr.out("data", "ingest", tmp_path / "p.csv", tmp_path / "o.csv", "--shop", tmp_path / "shop")
    table = tmp_path / "t.csv"

    def imported(*users: str) -> tuple[int, str, str]:
        rows = "".join(f"Why {n}?,ours,{user},# Answer\n" for n, user in enumerate(users))
        table.write_text(f"question,system,user,report\n{rows}")
        return drr("study", "import", tmp_path / "mine", table, "--shop", tmp_path / "shop", "--quiet")

    code, _, err = imported("nobody")
    assert (
        code == 2
        and "line 2: 'Why 0?': no user 'nobody' in" in err
        and "people.key" in err
        and not (tmp_path / "mine").exists()
    )
    code, out, err = imported("anna@zq-mail.de", "nobody", "")
    assert (code, "2 of 2 reports are new" in out) == (1, True) and "line 3: 'Why 1?': no user" in err
    held = b"".join(path.read_bytes() for path in (tmp_path / "mine").rglob("*") if path.is_file())
    assert b"zq-mail" not in held and b'"user_id":"U' in held
    (tmp_path / "a.md").write_text("---\nquestion: Why?\nsystem: ours\nuser: nobody\n---\n# A\n")
    assert "no user 'nobody'" in drr.err(
        "study", "import", tmp_path / "mine", tmp_path / "a.md", "--quiet", code=2
    )


@pytest.mark.parametrize(
    "words",
    [("ask", "Which dog bed?"), ("judges", "check", "a.md"), ("shop", "profile"), ("tools", "call", "get_user_profile")],
)  # fmt: skip
def test_every_command_about_a_user_takes_the_number_that_the_shop_owner_has(
    words: tuple[str, ...], tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("id,title,price\n1,Dog bed,9.50 USD\n")
    Path("o.csv").write_text("product_id,user_id,date\n1,anna@zq-mail.de,2024-03-01\n")
    Path("a.md").write_text("# Answer\n")
    drr.out("data", "ingest", "p.csv", "o.csv", "--shop", "shop")
    assert "zq-mail" not in drr.out(*words, "--shop", "shop", "--user", "anna@zq-mail.de")
    assert "no user 'nobody' in shop" in drr.err(*words, "--shop", "shop", "--user", "nobody", code=2)


def test_a_report_in_the_currency_of_the_shop_is_judged_as_one_in_dollars(tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "p.csv").write_text("id;title;price\nd1;Red dog bed;1.052,76 €\nd2;Blue cat tree;9,50 €\n")
    (tmp_path / "m.toml").write_text("[products]\nrate = 1\n")
    shop, out = tmp_path / "shop", tmp_path / "report"
    drr.out("data", "ingest", tmp_path / "p.csv", "--map", tmp_path / "m.toml", "--shop", shop)
    lines = "- [Red dog bed](http://ecommerce.example/d1): 1.052,76 €\n- [Blue cat tree](http://ecommerce.example/d2): €9.50\n"
    (tmp_path / "a.md").write_text(
        f"---\nquestion: A bed and a tree?\nsystem: ours\n---\n# Answer\n\n{lines}", encoding="utf-8"
    )
    drr.out("study", "import", tmp_path / "mine", tmp_path / "a.md", "--shop", shop, "--quiet")
    judged = drr.out("judge", tmp_path / "mine", "--judge", "offline", "--quiet")
    assert re.search(r"^ours +1\.00 ", judged, re.MULTILINE), judged
    drr.out("report", tmp_path / "mine", "--out", out)
    with (out / "errors.csv").open(encoding="utf-8", newline="") as file:
        assert [row["read"] for row in csv.DictReader(file)] == ["read 2 of 2 figures"]


def test_questions_are_asked_by_the_shops_own_numbers_of_people(tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "p.csv").write_text("id,title,price\n1,Dog bed,9.50 USD\n")
    (tmp_path / "o.csv").write_text("product_id,user_id,date\n1,anna@zq-mail.de,2024-03-01\n")
    shop, study, asked = tmp_path / "shop", tmp_path / "study", tmp_path / "q.jsonl"
    drr.out("data", "ingest", tmp_path / "p.csv", tmp_path / "o.csv", "--shop", shop)
    line = {"query": "Which bed?", "user_id": "anna@zq-mail.de"}
    asked.write_text(json.dumps(line) + "\n" + json.dumps({**line, "id": "mine", "query": "Any bed?"}) + "\n")
    run = ("run", study, "--shop", shop, "--queries", asked, "--variants", "react", "--quiet")
    drr.out(*run)
    drr.out(*run)
    kept = read_queries(study / "queries.jsonl")
    assert [one.id for one in kept] == [Query(query="Which bed?", user_id=kept[0].user_id).id, "mine"]
    held = b"".join(path.read_bytes() for path in study.rglob("*") if path.is_file())
    assert b"zq-mail" not in held and {one.user_id for one in kept} == {user_of(shop)}
    words = ("--user", "anna@zq-mail.de", "--per-user", "1", "--min-orders", "1", "--min-products", "1")
    drr("queries", "generate", "--shop", shop, "--out", tmp_path / "g.jsonl", *words, "--quiet")
    held = b"".join(path.read_bytes() for path in (tmp_path / "g.jsonl.study").rglob("*") if path.is_file())
    assert b"zq-mail" not in held and user_of(shop).encode() in held
    asked.write_text(json.dumps({**line, "user_id": "nobody"}) + "\n")
    assert "whom the shop does not know, e.g. 'nobody'" in drr.err(*run, code=2)


def user_of(shop: Path) -> str:
    with open_shop(str(shop), Settings()) as opened:
        (user,) = opened.store.iter_users()
        return user.user_id
