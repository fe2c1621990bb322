"""Files of other benchmarks: their reports become answers, their scores stay their judges', and what is not of the form changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.report.grids import section
from drr.app.report.material import ReportData
from drr.app.report.page import all_tables
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.eval.evidence.answers import read_answers
from drr.eval.foreign import registry
from drr.eval.foreign.form import FigureColumn, ForeignPart, Format, Kind
from drr.eval.judging.read import read_judged
from drr.eval.stats import aggregate
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.foreign_files import FOREIGN, WISHES, lines
from tests.kept import is_as_kept

Refused = Callable[..., str]


@pytest.fixture
def refused(drr: Drr) -> Refused:
    def call(*words: object) -> str:
        code, out, err = drr(*words)
        assert code == 2 and not out and err.startswith("drr: ") and err.count("\n") == 1 and len(err) < 700
        return err

    return call


TAKEN: dict[str, Sequence[Sequence[str]]] = cases("eval", "TAKEN")


def _words(root: Path, words: Sequence[str]) -> list[str]:
    def is_path(word: str) -> bool:
        return "/" in word or word.endswith(".jsonl") or word == "result"

    return [str(root / word) if is_path(word) else word for word in words]


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("studies")
    for name, calls in TAKEN.items():
        for words in calls:
            asked = ["import", str(home / name), *_words(FOREIGN / name, words), "--format", name, "--quiet"]
            assert main(asked) == 0, words
    return {name: home / name for name in TAKEN}


def table(drr: Drr, study: Path, part: str) -> dict[str, Any]:
    (found,) = (one for one in drr.json("report", study)["foreign"] if one["part"] == part)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", TAKEN)
def test_scores_of_others_are_summed_as_their_own_code_does_and_are_no_metric_of_ours(
    drr: Drr, studies: dict[str, Path], name: str
) -> None:
    """Unknown statements, unreadable pages and a score of -1 are left out; a report without a citation is in no mean."""
    report = drr.json("report", studies[name])
    is_as_kept(f"foreign-{name}", {one["part"]: one["systems"] for one in report["foreign"]})
    named = {column["name"] for one in report["foreign"] for column in one["figures"]}
    assert named and not named & {metric for row in report["metrics"].values() for metric in row}
    assert report["judge"] is None and not report["pairwise"]


def test_pairs_of_pdr_bench_keep_task_and_person(studies: dict[str, Path]) -> None:
    rows = [json.loads(line) for line in (studies["pdr"] / "queries.jsonl").read_text().splitlines()]
    assert {(row["task_id"], row["person_id"], row["query"]) for row in rows} == {
        ("7", "ada", WISHES[1]),
        ("7", "bo", WISHES[1]),
    }


def test_dr3_knows_sizes(studies: dict[str, Path]) -> None:
    with Study.open(studies["dr3"]) as study:
        found = {(answer.variant, answer.query_id) for answer in read_answers(study)}
    assert found == {("model-a", f"{task}@{size}") for task in ("001", "002") for size in ("32k", "128k")}


def test_each_judge_has_a_table_of_its_own_in_report_and_viewer(drr: Drr, studies: dict[str, Path]) -> None:
    race = FOREIGN / "drb/race/alpha/raw_results.jsonl"
    before = table(drr, studies["drb"], "race")
    assert before["judge"] == "gemini-x" and before["sources"][0].startswith("raw_results.jsonl (")
    taken = drr.json("import", studies["drb"], race, "--format", "drb", "--judge", "<b>other</b>")
    assert taken["reports"] == 0 and taken["scores"][0]["rows"] == 3 and taken["replaced"] == 0
    report = drr.json("report", studies["drb"])
    with Study.open(studies["drb"]) as study:
        tables = all_tables(ReportData(study, read_judged(study, None), report))
        page = "".join(section(table, {}) for table in tables)
        assert "DeepResearch Bench, RACE, judge gemini-x" in page
        assert "judge &lt;b&gt;other&lt;/b&gt;" in page and "<b>other</b>" not in page
        assert {"foreign-drb-race", "foreign-drb-race-2"} <= {one.name for one in tables}
        reader = Reader(study)
        views = [reader.report(one.key) for one in reader.entries() if one.variant == "alpha"]
        scored = [view for view in views if view is not None and view.entry.query == WISHES[2]]
        shown = StudyPages("s", served=False).report(scored[0])
    assert "Scores of others, as imported" in shown and "gemini-x" in shown and "<td>0.5</td>" in shown
    assert "<b>other</b>" not in shown


@pytest.mark.long
@pytest.mark.parametrize("name", TAKEN)
def test_reports_and_scores_come_back_from_an_export(drr: Drr, tmp_path: Path, name: str) -> None:
    study, out, again = tmp_path / "st", tmp_path / "out", tmp_path / "again"
    for words in TAKEN[name]:
        drr.json("import", study, *_words(FOREIGN / name, words), "--format", name)
    told = drr.json("export", study, "--out", out, "--format", name)
    paths = [out / path for path in told["files"]]
    queries = [path for path in paths if "quer" in path.name or "topic" in path.name]
    others = (path for path in paths if path not in queries)
    drr.json("import", again, *others, "--format", name, "--queries", *queries, "--judge", "j")
    assert _answers(again) == _answers(study)
    before, after = drr.json("report", study)["foreign"], drr.json("report", again)["foreign"]
    written = [one for one in before if one["part"] in registry.formats()[name].written_parts]
    assert written and [one["systems"] for one in written] == [one["systems"] for one in after]


def _answers(folder: Path) -> list[tuple[Any, ...]]:
    with Study.open(folder) as study:
        return [
            (one.query_id, one.query, one.user_id, one.variant, one.report, one.record.result["origin"])
            for one in read_answers(study)
        ]


def test_an_export_says_what_the_form_has_no_room_for(drr: Drr, tmp_path: Path) -> None:
    row = {"system": "mine", "query": "Which?", "user_id": "u", "report_markdown": "One."}
    seen = {"evidence": [{"url": "https://a.example", "text": "t"}], "tool_calls": [{"name": "x"}]}
    path = lines(tmp_path / "r.jsonl", {"id": "a", **row, **seen}, {"id": "b", **row, "trial": 1})
    drr.json("import", tmp_path / "st", path)
    told = drr.json("export", tmp_path / "st", "--out", tmp_path / "out", "--format", "drb")
    left_out = dict.fromkeys(("trials after the first", "users", "sources", "tool calls"), 1)
    assert told["reports"] == 1
    assert {one["what"]: one["reports"] for one in told["left_out"]} == left_out


def test_our_own_reports_are_judged_elsewhere_and_their_scores_find_them(drr: Drr, tmp_path: Path) -> None:
    """The way there and back: a variant's name that is no name of a file is known again."""
    row = {"id": "a", "system": "x/y: z", "query": "Which one?", "report_markdown": "One."}
    drr.json("import", tmp_path / "st", lines(tmp_path / "r.jsonl", row))
    told = drr.json("export", tmp_path / "st", "--out", tmp_path / "out", "--format", "drb")
    (raw,) = (tmp_path / "out" / path for path in told["files"] if "raw_data" in path)
    given = json.loads(raw.read_text(encoding="utf-8"))
    scored = {"id": given["id"], "prompt": given["prompt"], "overall_score": 0.5}
    results = lines(tmp_path / raw.stem / "raw_results.jsonl", scored)
    taken = drr.json("import", tmp_path / "st", results, "--format", "drb", "--judge", "j")
    assert [(one["system"], one["without_report"]) for one in taken["scores"]] == [("x/y: z", 0)]


def test_two_languages_under_the_same_ids_are_two_sets(drr: Drr, refused: Refused, tmp_path: Path) -> None:
    root, study = FOREIGN / "pdr", tmp_path / "both"
    reports = [root / f"raw_data_{language}/alpha.jsonl" for language in ("en", "zh")]
    asked = ["--queries", root / "queries_en.jsonl", "--queries", root / "queries_zh.jsonl"]
    drr.json("import", study, reports[0], "--format", "pdr", *asked)
    assert drr.json("import", study, *reports, "--format", "pdr", *asked)["queries"] == 4
    rows = [json.loads(line) for line in (study / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(row["task_id"], row["query"]) for row in rows} == {("7", WISHES[1]), ("7-zh", WISHES[2])}
    scores = root / "personalization_zh/alpha/personalization_results.jsonl"
    taken = drr.json("import", study, scores, "--format", "pdr")
    assert taken["scores"][0]["rows"] == 2 and taken["scores"][0]["without_report"] == 0
    nameless = lines(tmp_path / "gamma.jsonl", {"id": 1, "article": "whose?"})
    err = refused("import", study, nameless, "--format", "pdr")
    assert "the id 1 is that of two questions" in err and "line 1" in err


def test_a_report_whose_question_nothing_tells_asks_for_it(refused: Refused, tmp_path: Path) -> None:
    err = refused("import", tmp_path / "st", FOREIGN / "pdr/raw_data_en/alpha.jsonl", "--format", "pdr")
    assert "--queries" in err and "line 1" in err and not (tmp_path / "st").exists()


def test_other_scores_of_the_same_judge_give_way_and_it_is_said(drr: Drr, tmp_path: Path) -> None:
    study = tmp_path / "st"
    drr.json("import", study, FOREIGN / "drb/raw_data/alpha.jsonl", "--format", "drb")
    for score, replaced in ((0.25, 0), (0.25, 0), (0.75, 1)):
        row = {"id": 1, "prompt": WISHES[1], "overall_score": score}
        path = lines(tmp_path / "alpha/raw_results.jsonl", row)
        assert drr.json("import", study, path, "--format", "drb", "--judge", "j")["replaced"] == replaced
    assert table(drr, study, "race")["systems"]["alpha"]["overall_score"]["value"] == 0.75


NESTED = b'{"id": 1, "prompt": "p", "article": ' + b"[" * 100_000
GOOD = json.dumps({"id": 1, "prompt": WISHES[1], "article": "fine"}).encode() + b"\n"
BAD: dict[str, bytes] = {
    "another type": GOOD + b'{"id": 2, "prompt": "p", "article": 7}\n',
    "NaN": GOOD + b'{"id": 2, "prompt": "p", "overall_score": NaN}\n',
    "beyond its scale": GOOD + b'{"id": 2, "prompt": "p", "overall_score": 36.1}\n',
    "a truth value": GOOD + b'{"id": 2, "prompt": "p", "overall_score": true}\n',
    "infinite": GOOD + b'{"id": 2, "prompt": "p", "overall_score": 1e999}\n',
    "a key twice": GOOD + b'{"id": 2, "prompt": "p", "article": "a", "article": "b"}\n',
    "half a character": GOOD + b'{"id": 2, "prompt": "p", "article": "\\ud800"}\n',
    "another encoding": GOOD + '{"id": 2, "prompt": "ä", "article": "a"}\n'.encode("latin-1"),
    "nested": GOOD + NESTED,
    "cut short": GOOD + b'{"id": 2, "prompt"',
    "a list": GOOD + b"[1]\n",
    "a row of another kind": GOOD + b'{"id": 2, "criterions": {}, "__proto__": {"article": "x"}}\n',
    "the same question": GOOD + b'{"id": 9, "prompt": "which  FEEDER suits a balcony?", "article": "b"}\n',
    "an id that is a path": GOOD + b'{"id": "../../x", "prompt": "p", "article": "a"}\n',
    "an id without end": GOOD + b'{"id": ' + b"9" * 5000 + b', "prompt": "p", "article": "a"}\n',
    "no words": GOOD + b'{"id": 2, "prompt": " \\n", "article": "a"}\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("begun")
    (home / "first.jsonl").write_bytes(GOOD)
    assert main(["import", str(home / "st"), str(home / "first.jsonl"), "--format", "drb", "--quiet"]) == 0
    yield home / "st"


@pytest.mark.parametrize("bad", BAD)
def test_what_is_not_of_the_form_is_named_by_line_and_nothing_is_taken(
    refused: Refused, begun: Path, tmp_path: Path, bad: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(BAD[bad])
    before = _state(begun)
    for study in (tmp_path / "new", begun):
        err = refused("import", study, path, "--format", "drb")
        assert f"{path}, line 2: " in err
    assert _state(begun) == before and not (tmp_path / "new").exists()


def test_another_report_of_a_question_that_was_answered_is_named_by_file_and_line(
    refused: Refused, begun: Path, tmp_path: Path
) -> None:
    rows = [json.loads(line) | {"article": "# Another"} for line in GOOD.decode().splitlines()]
    path = lines(tmp_path / "first.jsonl", *rows)
    assert f"{path}, line 1: " in refused("import", begun, path, "--format", "drb")


def test_a_questions_category_goes_out_again(drr: Drr, tmp_path: Path) -> None:
    rows = [{"topic": wish, "category": f"garden {n}", "report": f"# {n}"} for n, wish in WISHES.items()]
    given = lines(tmp_path / "mine.jsonl", *rows)
    drr.json("import", tmp_path / "st", given, "--format", "reporteval")
    drr.json("export", tmp_path / "st", "--out", tmp_path / "out", "--format", "reporteval")
    asked = (tmp_path / "out/data/topic/topics.jsonl").read_text(encoding="utf-8").splitlines()
    kept = {(row["topic"], row["category"]) for row in map(json.loads, asked)}
    assert kept == {(row["topic"], row["category"]) for row in rows}


def _state(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name
    } | {"answers": repr(_answers(folder)).encode()}


def test_a_line_without_end_is_not_read_to_its_end(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(aggregate, "LONGEST_LINE", 1000)
    path = lines(tmp_path / "long.jsonl", {"id": 1, "prompt": "p", "article": "x" * 2000})
    assert "line 1: longer than 1,000 bytes" in refused("import", tmp_path / "st", path, "--format", "drb")


def test_bom_and_windows_line_ends_are_no_matter(drr: Drr, tmp_path: Path) -> None:
    rows = [{"id": n, "prompt": wish, "article": f"# {n}"} for n, wish in WISHES.items()]
    text = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\r\n\r\n"
    (tmp_path / "dos.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert drr.json("import", tmp_path / "st", tmp_path / "dos.jsonl", "--format", "drb")["reports"] == 3


def test_words_of_strangers_stay_words(drr: Drr, tmp_path: Path) -> None:
    """As ids, systems and reports: nothing is run, and no key of an object is anything else than a key."""
    rows = cases("eval", "test_words_of_strangers_stay_words")
    path = lines(tmp_path / "__proto__.jsonl", *rows)
    assert drr.json("import", tmp_path / "st", path, "--format", "drb")["systems"] == ["__proto__"]
    scored = [{"id": row["id"], "prompt": row["prompt"], "overall_score": 0.5} for row in rows]
    results = lines(tmp_path / "__proto__/raw_results.jsonl", *scored)
    drr.json("import", tmp_path / "st", results, "--format", "drb")
    assert table(drr, tmp_path / "st", "race")["systems"]["__proto__"]["overall_score"]["n"] == 2
    with Study.open(tmp_path / "st") as study:
        reader = Reader(study)
        views = [view for one in reader.entries() if (view := reader.report(one.key))]
    shown = [StudyPages("s", served=False).report(view) for view in views]
    assert len(shown) == 2
    assert not any("<script>alert" in page or 'href="javascript' in page for page in shown)


@pytest.mark.parametrize(("words", "told"), cases("eval", "test_misuse_is_one_line"))
def test_misuse_is_one_line(
    refused: Refused, begun: Path, tmp_path: Path, words: list[str], told: str
) -> None:
    assert told in refused("import", tmp_path / "st", begun.parent / "first.jsonl", *words)
    assert not (tmp_path / "st").exists()


def test_a_file_of_theirs_without_a_format_says_whose_it_is(refused: Refused, tmp_path: Path) -> None:
    for file in ("drb/raw_data/alpha.jsonl", "pdr/raw_data_en/alpha.jsonl", "reporteval/qwen.jsonl"):
        err = refused("import", tmp_path / "st", FOREIGN / file)
        assert f"--format {file.partition('/')[0]}" in err and not (tmp_path / "st").exists()


def test_a_spoiled_file_of_scores_is_named(drr: Drr, tmp_path: Path) -> None:
    """A study may come from anybody."""
    study = tmp_path / "st"
    drr.json("import", study, FOREIGN / "drb/raw_data/alpha.jsonl", "--format", "drb")
    beyond = {"format": "drb", "part": "race", "system": "alpha", "source": "", "sha256": ""}
    beyond |= {"values": {"overall_score": 7}}
    for row in ("{", json.dumps(beyond)):
        (study / "foreign.jsonl").write_text(row + "\n", encoding="utf-8")
        for words in (["report", study, "--json"], ["view", study, "--static", tmp_path / "v"]):
            code, out, err = drr(*words)
            assert code == 1 and not out and "foreign.jsonl, line 1" in err and err.count("\n") == 1


def test_scores_alone_want_a_study(refused: Refused, tmp_path: Path) -> None:
    race = FOREIGN / "drb/race/alpha/raw_results.jsonl"
    assert "import the reports first" in refused("import", tmp_path / "st", race, "--format", "drb")


def test_reports_on_tasks_of_dr3_are_held_against_their_facts(drr: Drr, tmp_path: Path) -> None:
    """The way of another team's run: its tasks, its folders of results, our judges."""
    task = tmp_path / "own/001"
    lines(task / "query.jsonl", {"number": "001", "query": "Which feeder, by my notes?"})
    (task / "notes.txt").write_text("My rail is 5 cm wide.", encoding="utf-8")
    feeders = {"title": "Feeders", "url": "https://birds.example/a", "page_body": "Cedar holds five pounds."}
    lines(task / "long_context_sampled_32k.json", [feeders])
    lines(task / "useful_search.json", {"32k": ["Feeders"]})
    for name, told in (("source", ("notes.txt", "5 cm")), ("long_context", ("Feeders", "five pounds"))):
        insight = {"source": told[0], "insight": f"It is {told[1]}."}
        lines(task / f"gold_insights_from_{name}.json", {"gold_insights": [insight]})
    lines(task / "checklist.json", {"checklist": [{"id": 1, "requirement": "names one", "category": "x"}]})
    tasks, study, results = tmp_path / "tasks", tmp_path / "st", tmp_path / "result/32k/m/001"
    drr.out("papers", "tasks", "import", tmp_path / "own", "--out", tasks, "--today", "2024-01-01")
    results.mkdir(parents=True)
    (results / "final_report.md").write_text("Cedar holds five pounds.", encoding="utf-8")
    drr.json("import", study, tmp_path / "result", "--format", "dr3", "--queries", task / "query.jsonl")
    drr.out("judge", study, "--what", "dr3", "--tasks", tasks, "--judge", "offline", "--quiet")
    assert drr.json("report", study)["coverage"]["tasks"]["facts"]["judged"] == 1


def test_two_sets_of_dr3_under_the_same_numbers_are_two_questions(drr: Drr, tmp_path: Path) -> None:
    study, root = tmp_path / "st", FOREIGN / "dr3"
    drr.json("import", study, root / "result/32k", "--format", "dr3", "--queries", root / "query.jsonl")
    other = tmp_path / "zh/result/32k/model-a/001"
    other.mkdir(parents=True)
    (other / "final_report.md").write_text("雪松", encoding="utf-8")
    asked = lines(tmp_path / "zh/query.jsonl", {"number": 1, "query": WISHES[2]})
    drr.json("import", study, tmp_path / "zh/result", "--format", "dr3", "--queries", asked)
    found = {row[1]: row[0] for row in _answers(study)}
    assert len(found) == 3 and found[WISHES[1]] == "001@32k" and found[WISHES[2]].startswith("q-")


def test_a_result_of_dr3_beyond_its_scale_is_refused(refused: Refused, tmp_path: Path) -> None:
    score = {"metric_name": "overall_quality", "score": 700}
    path = lines(tmp_path / "m/001/eval_overall_quality.json", score)
    queries = lines(tmp_path / "query.jsonl", {"number": "001", "query": "q"})
    err = refused("import", tmp_path / "st", path, "--format", "dr3", "--queries", queries)
    assert str(path) in err and "score" in err


TOY = Format(
    "toy",
    "Toy bench",
    (ForeignPart("stars", "Toy bench, stars", (FigureColumn("stars", "stars", (0.0, 5.0)),)),),
    frozenset({"user"}),
    {"ask": ("words", str, ...)},
    (
        Kind(("stars",), {"stars": (float, ...)}, part="stars"),
        Kind(("says",), {"says": (str, ...)}, "toys/{system}.jsonl", ("ask",), text="says"),
    ),
)
"""A format is one file and one line."""


def test_one_more_format_is_a_file_and_a_line(
    drr: Drr, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(registry.FORMATS, "toy", f"{__name__}:TOY")
    said, scored = {"ask": "Which toy?", "says": "# Toy"}, {"ask": "Which toy?", "stars": 4.0}
    path = lines(tmp_path / "toy-agent.jsonl", said, scored)
    drr.json("import", tmp_path / "st", path, "--format", "toy", "--judge", "a child")
    assert table(drr, tmp_path / "st", "stars")["systems"]["toy-agent"]["stars"]["value"] == 4.0
    with Study.open(tmp_path / "st") as study:
        reader = Reader(study)
        view = reader.report(reader.entries()[0].key)
        assert view is not None
        assert "Toy bench, stars: stars" in StudyPages("s", served=False).report(view)
    told = drr.json("export", tmp_path / "st", "--out", tmp_path / "out", "--format", "toy")
    assert told["files"] == ["toys/toy-agent.jsonl"]
    assert json.loads((tmp_path / "out/toys/toy-agent.jsonl").read_text(encoding="utf-8")) == said


class OldToy:
    """A format as plug-ins of an older version gave it."""


def test_a_format_of_the_old_contract_is_refused_by_name(
    drr: Drr, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(registry.FORMATS, "toy", f"{__name__}:OldToy")
    code, out, err = drr("import", tmp_path / "st", tmp_path / "toy.jsonl", "--format", "toy")
    assert code == 1 and not out and "the format toy is a class" in err and err.count("\n") == 1
