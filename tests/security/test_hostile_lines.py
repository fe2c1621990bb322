"""No line of a stranger ends a command in a traceback: it is refused in one sentence, or taken and carried through every command."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from drr.app.study.trust import remember_shop
from drr.study.config import config_text

from tests.commands import Drr
from tests.security.hostile import hostile
from tests.tampering import rewrite

pytestmark = pytest.mark.long

REPORT = {
    "id": "r", "system": "other", "query": "Which one?", "query_id": "q", "user_id": "u", "trial": 0,
    "report_markdown": "One [1].\n\n[1]: https://x.example/1", "evidence": [{"url": "https://x.example/1", "type": "web", "text": "One."}],
    "tool_calls": [{"name": "search", "error": None}],
}  # fmt: skip
CALL = {
    "number": 1, "name": "search", "kind": "api", "arguments": {"q": "x"}, "result": "One.", "ok": True,
    "error": {"kind": "x"}, "seconds": 1,
}  # fmt: skip
SOURCE = {"url": "https://x.example/1", "type": "web", "text": "One.", "title": "One", "status": "ok"}
SUPPORT = {"id": "a", "claim": "c", "evidence": "e", "label": "full", "judge": "j"}
PAIR = {
    "id": "a", "query": "q", "answer_a": "x", "answer_b": "y", "label": "A", "judge": "j",
    "sample": {"seed": 1, "drawn": 1, "population": 1},
}  # fmt: skip
RATING = {"id": "a", "query": "q", "answer": "x", "label": 3, "judge": "j", "dimension": "overall"}
QUERY = {
    "id": "q", "query": "Which one?", "user_id": "u", "mode": "manual", "constraints": {"count": 1},
    "facts_used": [],
}  # fmt: skip
New = Callable[..., list[str]]


def refused_or_taken(drr: Drr, *words: object) -> tuple[int, str, str]:
    code, out, err = drr(*words)
    assert code in (0, 1, 2), (words, err)
    assert len(err) < 3_000, (words, err[:200])
    assert all(c.isprintable() or c in "\n\t" for c in err), (words, err)
    return code, out, err


def within(good: Mapping[str, object], part: str, line: bytes) -> bytes:
    """Put a line into a list of a good document, which need not be JSON then."""
    return json.dumps({**good, part: ["LINE"]}).encode().replace(b'"LINE"', line)


def test_of_hostile_reports_the_sound_are_taken_in(drr: Drr, tmp_path: Path) -> None:
    nested: dict[str, bytes] = {}
    for where, part in (("tool_calls", CALL), ("evidence", SOURCE)):
        for name, line in hostile(part, ["result_sha256"]).items():
            nested[f"{where}: {name}"] = within(REPORT, where, line)
    lines = [line for line in {**hostile(REPORT), **nested}.values() if b"\xff" not in line]
    own = [
        line.replace(b'"trial": 0', b'"trial": %d' % n).replace(b'"id": "r"', b'"id": "r%d"' % n)
        for n, line in enumerate(lines)
    ]
    sound = json.dumps({**REPORT, "id": "sound", "query_id": "q2", "query": "Another?"}).encode()
    (tmp_path / "reports.jsonl").write_bytes(b"\n".join([sound, *own, b""]))
    code, out, err = refused_or_taken(drr, "import", "study", "reports.jsonl", "--json", "--quiet")
    assert code == 1
    told = json.loads(out)
    assert told["reports"] == told["added"] == len(own) + 1 - len(told["refused"])
    assert told["reports"] > 60
    assert len(told["refused"]) > 120
    assert all(row["line"] > 1 and row["why"] for row in told["refused"])
    assert "line 2: " in err
    for words in (
        ("judge", "study", "--judge", "offline", "--what", "rules,quality", "--quiet"), ("report", "study", "--json"),
        ("export", "study", "--out", "tables"), ("view", "study", "--static", "pages", "--quiet"),
        ("study", "trace", "study"), ("study", "trace", "study", "q2/other/0", "--full"), ("status", "study", "--json"),
    ):  # fmt: skip
        code, _, err = refused_or_taken(drr, *words)
        assert code == 0, (words, err)
    again = json.loads(refused_or_taken(drr, "import", "study", "reports.jsonl", "--json", "--quiet")[1])
    assert (again["added"], again["refused"]) == (0, told["refused"])


def test_a_file_without_one_sound_report_is_the_wrong_file(drr: Drr) -> None:
    Path("reports.jsonl").write_text('{"id": 5}\n[]\n')
    code, out, err = drr("import", "study", "reports.jsonl")
    assert (code, out) == (2, "")
    assert "line 1: " in err
    assert "1 lines more" in err
    assert not Path("study").exists()


@pytest.mark.parametrize("good", [SUPPORT, PAIR, RATING], ids=["support", "pairwise", "rating"])
def test_hostile_labels_are_refused_by_line_or_taken(drr: Drr, good: Mapping[str, object]) -> None:
    for name, line in hostile(good, ["seconds", "dimension"]).items():
        Path("labels.jsonl").write_bytes(line + b"\n")
        code, _, err = refused_or_taken(
            drr, "calibrate", "labels.jsonl", "--judge", "offline", "--task", "support"
        )
        assert code == 0 or "label" in err, name


def test_hostile_queries_and_key_points_are_refused(drr: Drr, new: New) -> None:
    for name, line in hostile(QUERY, ["review", "schema_version"]).items():
        Path("queries.jsonl").write_bytes(line + b"\n")
        code, _, err = refused_or_taken(drr, "queries", "stats", "queries.jsonl")
        assert code == 0 or "queries.jsonl" in err, name
    assert drr("run", *new(), "--quiet")[0] == 0
    good = {"query_id": "q-house", "text": "Names a house.", "weight": "vital", "id": "p1"}
    for name, line in hostile(good).items():
        Path("points.jsonl").write_bytes(line + b"\n")
        words = (
            "judge",
            "study",
            "--judge",
            "offline",
            "--points",
            "points.jsonl",
            "--dry-run",
            "--what",
            "recall",
        )
        code, _, err = refused_or_taken(drr, *words)
        assert code == 0 or "points.jsonl" in err, name


CONFIGS = [
    "a=[", "x=" + "[" * 5_000 + "]" * 5_000, "run=5", "run='x'", "settings=5", "settings=[]", "\0", "[run]\nvariants=5", "[run]\nvariants=''",
    "[run]\nvariants='react,,'", "[run]\nvariants='cmd:rm -rf /'", "[run]\nvariants='/etc/passwd:x'", '[run]\nvariants="a\\u0000b.py:x"',
    "[run]\ntrials='x'", "[run]\ntrials=1.5", "[run]\ntrials=-1", "[run]\ntrials=true", "[run]\ntrials=99999999999999999999", "[run]\nshop=5",
    "[run]\nshop=['a']", '[run]\nshop="a\\u0000b"', "[run]\nshop='~nobodyhere/x'", "[run]\nshop='servers:'", "[run]\nshop='servers:../x'",
    "[run]\nshop='/dev/zero'", "[run]\nplace=5", "[run]\nplace='/'", "[run]\nworld=5", "[run]\nworld='nowhere'", "[run]\nlimits=5",
    "[run]\nlimits={steps='x'}", "[run]\nlimits={steps=-1}", "[run]\nlimits={steps=inf}", "[run]\nlimits={nosuch=1}", "[run]\ncitation_repair='x'",
    "[run]\nreferences=7", "[settings]\nmodel=5", "[settings]\nmodel='x:y'", "[settings]\nbase_url=5", "[settings]\nbase_url=[]",
    "[settings]\nbase_url='http://a@b/c@d'", "[settings]\nnosuch=1", '[settings]\nprompts="a\\u0000b"', "[settings]\nprompts='/proc/self/fd'",
    "[settings]\nprice_file='/dev/zero'", "[settings]\nrole_models=5", "[settings]\nrole_models={a=5}", "[settings]\nshop_url=5",
    "[settings]\nshop_url=''", "[settings]\nshop_url='http://['", "[settings]\nsandbox='/dev/null'", '[settings]\nsandbox="a\\u0000b"',
    "[settings]\nweb='live'", "[settings]\nmodel_timeout=nan", "[settings]\nmodel_timeout=inf", "[settings]\nconcurrency=99999999999999999999",
    "[settings]\nprofile='x'", "[settings]\nweb_record='/dev/zero'", "[settings]\npage_reader='os:system'", "[settings]\neffort='x'",
    "[settings]\nthinking='x'", "[settings]\nanthropic_api_key='sk-x'", "schema=[]", "made_by=5",
]  # fmt: skip


def test_a_hostile_configuration_is_refused_or_harmless(drr: Drr, new: New, box: Path) -> None:
    assert len(CONFIGS) >= 60
    assert drr("run", *new(), "--quiet")[0] == 0
    path, good = Path("study", "study.toml"), Path("study", "study.toml").read_text()
    for config in CONFIGS:
        rewrite(path, _changed(good, config))
        for words in (
            ("run", "study", "--dry-run"),
            ("judge", "study", "--judge", "offline", "--dry-run"),
            ("status", "study"),
        ):
            code, _, err = refused_or_taken(drr, *words)
            assert code == 0 or err.startswith("drr: "), (config, err)
    for config in (
        "[run]\nshop=5", '[run]\nshop="a\\u0000b"', "run=5", "settings=5", "[settings]\nshop_url=5",
    ):  # fmt: skip
        rewrite(path, _changed(good, config))
        for words in (
            ("view", "study", "--static", "p", "--quiet"),
            ("annotate", "study", "--export", "x"),
            ("report", "study", "--json"),
        ):
            refused_or_taken(drr, *words)


def _changed(good: str, config: str) -> str:
    try:
        document, changes = tomllib.loads(good), tomllib.loads(config)
    except (ValueError, RecursionError):
        return config
    for name, value in changes.items():
        both = isinstance(value, dict) and isinstance(document.get(name), dict)
        document[name] = {**document[name], **value} if both else value
    return config_text(document)


def test_hostile_settings_and_prices_are_refused_in_one_sentence(drr: Drr, tmp_path: Path) -> None:
    own = tmp_path / "config" / "drr" / "settings.toml"
    own.parent.mkdir(parents=True)
    costs = ("models=5", "[models.a]\ninput=-1", "[models.a]\ninput=nan\noutput=1")
    prices = ["date=5", *(f"date='x'\n{one}" for one in costs)]
    for config in [*CONFIGS, *prices]:
        own.write_text(config.removeprefix("[settings]\n"))
        code, _, err = refused_or_taken(drr, "settings")
        assert code == 0 or err.startswith("drr: "), config
        own.unlink()
        Path("prices.toml").write_text(config)
        asking = ("ask", "why", "--shop", "none", "--user", "u", "--price-file", "prices.toml")
        code, _, err = refused_or_taken(drr, *asking)
        assert code and err.startswith("drr: ")


def test_a_hostile_manifest_of_a_shop_is_refused_in_one_sentence(drr: Drr, box: Path) -> None:
    shutil.copytree(box / "shop", "shop")
    good = json.loads(Path("shop/manifest.json").read_bytes())
    for name, line in hostile(good).items():
        Path("shop/manifest.json").write_bytes(line)
        code, _, err = refused_or_taken(drr, "shop", "info", "shop")
        assert code == 0 or err.startswith("drr: shop"), name


def test_a_hostile_plan_of_annotators_is_refused_in_one_sentence(drr: Drr, new: New, box: Path) -> None:
    assert drr("run", *new("react,react+ws"), "--quiet")[0] == 0
    assert drr("annotate", "study", "--export", "labels.jsonl")[0] == 0
    path = Path("study", "annotation", "plan.json")
    good = json.loads(path.read_bytes())
    lines = hostile(good)
    for part in ("pairs", "annotators"):
        for name, line in hostile(good[part][0], list(good[part][0])[:4], only=True).items():
            lines[f"{part}: {name}"] = within(good, part, line)
    for name, line in lines.items():
        path.write_bytes(line)
        code, _, err = refused_or_taken(drr, "annotate", "study", "--export", "labels.jsonl")
        assert code == 0 or err.startswith("drr: "), name
    path.write_text(json.dumps(good))
    marks = path.with_name(f"marks-{good['annotators'][0]['name']}.jsonl")
    mark = {
        "pair": good["pairs"][0]["id"], "dimension": "overall", "choice": "left", "seconds": 1.0, "at": 1.0,
    }  # fmt: skip
    for name, line in hostile(mark).items():
        marks.write_bytes(line + b"\n")
        code, _, err = refused_or_taken(drr, "annotate", "study", "--export", "labels.jsonl")
        assert code == 0 or "line 1" in err, name


def test_hostile_corrections_are_refused_in_one_sentence(drr: Drr, new: New, box: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    remember_shop(Path("study"), str(box / "shop"))
    correction = {"answer": "q/react/0", "label": "x", "present": True, "judge": "j", "example": "e"}
    for name, line in hostile(correction).items():
        Path("study", "failure_labels.jsonl").write_bytes(line + b"\n")
        code, _, err = refused_or_taken(drr, "report", "study", "--json")
        assert code == 0 or "line 1" in err or "cannot be read" in err, name
