"""A board ranks what was verified, tells apart what can be told apart, and runs nothing that a bundle says."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import orjson
import pytest
from drr.app.board.builder import every_eval, system_path
from drr.app.board.cost_figure import cost_figure
from drr.app.board.entries import ListedSystem, with_sealed_halves
from drr.app.board.page import BoardPages
from drr.app.board.ranking import Ranking
from drr.app.bundles.answers import half_of
from drr.app.report.cost import pareto_front
from drr.app.report.tables import RowHead
from drr.app.study.frozen_sets import place_of_set, read_set
from drr.eval.stats.question import AskedQuestion
from markupsafe import Markup

from tests.app.test_bundles import home as home
from tests.boards import JUDGE, bundle, crowd, figure, system
from tests.bundles import edit_rows, forged
from tests.cases import cases
from tests.commands import Drr

PAYLOADS = cases("browser", "test_viewer_pages_PAYLOADS")
PLACE = re.compile(
    r"data/[\w.-]+/[~\w.+-]+/[~\w.+-]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json"
)


def test_who_cannot_be_told_apart_shares_the_first_place() -> None:
    near = [system(bundle(f"{value}"), value, variant=f"v{value}") for value in (0.8, 0.7999, 0.5)]
    told = Ranking.of(near, None).standing
    assert told.head.startswith("2 of 3 systems share the first place") and "0.80" in told.head
    assert told.leads is None and "one of 200 equally good pairs" in told.test and "a gap of 0.0" in told.test
    values = (("a", 0.8), ("b", 0.8), ("c", 0.5))
    equal = Ranking.of([system(bundle(name), value, variant=name) for name, value in values], None)
    assert "2 of them have the same mean, 0.80" in equal.standing.text
    assert "told apart" not in equal.standing.text, "c is behind both"
    few = [replace(one, values={"fp": dict(list(one.values["fp"].items())[:6])}) for one in near]
    assert "it takes 9 questions, and these are 6" in Ranking.of(few, None).standing.test
    far = Ranking.of(near[1:], "overall")
    assert far.standing.leads == "v0.7999"
    assert far.standing.head == "v0.7999 is first of 2 by overall, 8.00"
    unjudged = Ranking.of([replace(one, figures={}) for one in near], None)
    assert unjudged.ranks == {} and "No model judged" in unjudged.standing.text


def test_the_sealed_half_ranks_where_every_system_answered_it() -> None:
    def entry(name: str, value: float, *, sealed: bool) -> ListedSystem:
        one = system(bundle(f"{name}{sealed}"), value, variant=name, questions=("b" if sealed else "a") * 64)
        signed = [{"key": name, "role": "maker", "known": True}]
        made = replace(one.bundle, found=replace(one.bundle.found, signed=signed))
        values = {
            metric: {AskedQuestion(f"{q.query}{sealed}", q.task + str(sealed)): x for q, x in own.items()}
            for metric, own in one.values.items()
        }
        return replace(one, bundle=made, values=values, set=one.set._replace(of="mine-v1 1", sealed=sealed))

    opened = [entry("trained", 0.9, sealed=False), entry("honest", 0.7, sealed=False)]
    closed = [entry("trained", 0.4, sealed=True), entry("honest", 0.7, sealed=True)]
    for closed_ones, leads in ((closed, "honest"), (closed[:1], "trained")):
        systems = with_sealed_halves([*opened, *closed_ones])
        ranking = Ranking.of([one for one in systems if not one.set.sealed], None)
        assert ranking.standing.leads == leads
        assert ("sealed half, so the open one ranks" in ranking.standing.test) == (leads == "trained")
        table = ranking.table({})
        at = [one.label for one in table.columns].index("open minus sealed")
        cells = {key: row[at] for key, row in table.rows}
        cell = cells[opened[0].key]
        assert cell.low is not None and 0.4 < cell.low < 0.5 < (cell.high or 0) < 0.6
    assert (
        "honest is first of 2 by faithfulness on the sealed half, 0.7"
        in Ranking.of(
            [one for one in with_sealed_halves([*opened, *closed]) if not one.set.sealed], None
        ).standing.head
    )
    twice = with_sealed_halves([*opened, opened[0], *closed])
    assert not any(one.sealed for one in twice if one.variant == "trained"), (
        "two bundles of one name are no pair"
    )
    frozen = read_set(place_of_set(Path("retail-v3")))
    found = {part.name: half_of(f"retail-v3/{part.name} {frozen.content_hash[:16]}") for part in frozen.parts}
    assert {name for name, (of, sealed) in found.items() if of and sealed} == {
        "sealed-1",
        "sealed-2",
        "sealed-3",
    }
    assert half_of("retail-v3/open-1 0000000000000000") == half_of("") == ("", False)


def test_trials_show_pass_k_where_there_are_several() -> None:
    one = system(bundle("a"), 0.9)
    passed = {f"pass_rules_{k}": figure(1 / k, 0.1, 50) for k in (1, 2, 3, 4)}
    for figures, shown in (({}, []), (passed, ["pass_rules_2", "pass_rules_4"]), ({**passed, "pass_2": passed["pass_rules_2"]}, ["pass_2"])):  # fmt: skip
        table = Ranking.of([replace(one, figures={**one.figures, **figures})], None).table({})
        assert [heading.key for heading in table.columns if heading.key.startswith("pass_")] == shown


def test_sets_shops_and_judges_never_share_a_table() -> None:
    own = [
        system(bundle("a"), 0.9, variant="first"),
        system(bundle("b"), 0.8, variant="second"),
        system(bundle("c"), 0.7, variant="other-questions", questions="c" * 64),
        system(bundle("d"), 0.7, variant="other-name", label="mine-v2"),
        system(bundle("e"), 0.7, variant="other-judge", judge={**JUDGE, "name": "openai:gpt"}),
    ]
    elsewhere = system(bundle("f"), 0.7, variant="other-shop")
    own.append(replace(elsewhere, set=elsewhere.set._replace(shops=())))
    pages = BoardPages([one.bundle for one in own], own)
    rankings = [ranking for own in pages.sets.values() for ranking in own]
    tables = sorted(" ".join(one.variant for one in ranking.systems) for ranking in rankings)
    assert tables == ["first second", "other-judge", "other-name", "other-questions", "other-shop"]
    drawn = pages.pages()
    assert "first" in drawn["index.html"] and "other-judge" in drawn["index.html"]
    assert not any(one in drawn["index.html"] for one in ("other-questions", "other-name", "other-shop"))
    assert sum(name.startswith("set-") for name in drawn) == 3


def test_a_board_by_a_figure_that_nobody_has_ranks_nobody() -> None:
    """Before, `--by faithfulness` ended in a traceback where no model judged."""
    (one,) = [replace(system(bundle("a"), 0.9, judge=None), figures={}, values={})]
    ranking = Ranking.of([one], "fp")
    assert ranking.standing.head == "Nobody is ranked: no figure of faithfulness is known"
    assert not {"rank", "behind the first"} & {heading.label for heading in ranking.table({}).columns}


def test_a_variant_that_several_models_play_is_named_with_what_tells_the_model() -> None:
    own = [
        system(bundle(model), value, variant="react", model=f"maker:strong-{model}")
        for model, value in (("large", 0.9), ("small", 0.2))
    ]
    ranking = Ranking.of([*own, system(bundle("b"), 0.1, variant="other", model="maker:strong-small")], None)
    assert [*map(ranking.named, ranking.systems)] == ["large react", "small react", "other"]
    assert ranking.standing.head.startswith("large react is first of 3")
    drawn = BoardPages([one.bundle for one in own], own).pages()["index.html"]
    assert ">large react</text>" in drawn
    assert ("The dashed line" in drawn) == ('class="front"' in drawn)


def test_what_code_pays_is_measured_whoever_judged() -> None:
    own = [system(bundle(name), value, judge=None) for name, value in (("a", 0.9), ("b", 0.4))]
    paid = [
        replace(
            one, figures={**one.figures, "reward": one.figures["fp"]}, values={"reward": one.values["fp"]}
        )
        for one in own
    ]
    assert Ranking.of(paid, None).standing.head.endswith("first of 2 by reward, 0.90")
    asked = [
        replace(
            one,
            figures={**one.figures, "solved": one.figures["fr"], "points": one.figures["fp"]},
            values={**one.values, "points": one.values["reward"]},
        )
        for one in paid
    ]
    ranking = Ranking.of(asked, None)
    assert ranking.standing.head.endswith("first of 2 by share of points, 0.90")
    keys = [heading.key or heading.label for heading in ranking.table({}).columns]
    assert keys[:7] == ["rank", "points", "errors", "dollars", "answers", "solved", "reward"]
    short = ranking.leading(ranking.table({}))
    assert [heading.label for heading in short.columns] == ["rank", "share of points", "errors", "cost"]
    assert [cells[1].beside for _, cells in short.rows] == ["solved 0.81", "solved 0.36"]


def test_errors_are_counted_in_the_answers_that_rules_read_and_unknown_elsewhere() -> None:
    own = [replace(system(bundle("a"), 0.9), errors=(30, 60)), system(bundle("b"), 0.5)]
    table = Ranking.of(own, None).table({})
    at = [one.label for one in table.columns].index("errors")
    read, unread = (cells[at] for _, cells in table.rows)
    assert (read.value, read.n, read.beside) == (0.5, 60, "30 in all") and unread.text() == "unknown"


def test_the_axis_of_the_figure_lies_where_the_data_are() -> None:
    own = [system(bundle(f"{n}"), 0.8 + n / 50, variant=f"v{n}") for n in range(3)]
    drawn = BoardPages([one.bundle for one in own], own).pages()["index.html"]
    marks = [float(one) for one in re.findall(r'class="end">([\d.]+)</text>', drawn)]
    assert marks and min(marks) > 0.7


def test_a_system_shows_twelve_figures_and_the_rest_behind_one_link() -> None:
    one = system(bundle("a"), 0.9)
    more = {f"rule_{name}": figure(0.9, 0.05, 50) for name in ("price", "rating", "total", "budget", "privacy", "duplicates", "statistics", "in_catalogue", "order_facts")}  # fmt: skip
    one = replace(one, figures={**one.figures, **more})
    (page,) = (text for name, text in BoardPages([one.bundle], [one]).pages().items() if name[0] == "s")
    shown, _, rest = page.partition('id="figures"')[2].partition("<details")
    assert shown.count('class="card"') == 12 and rest.count('class="card"') == len(one.figures) - 12
    assert shown.index("faithfulness") < shown.index("overall") < shown.index("input tokens")


def test_equal_points_are_both_in_the_front() -> None:
    points = [(1.0, 0.5), (1.0, 0.5), (2.0, 0.5), (2.0, 0.9), (None, 0.95), (3.0, None)]
    assert pareto_front(points) == [True, True, False, True, True, False]
    assert pareto_front([(1.0, 0.5), (2.0, 0.9)], is_lower_better=True) == [True, False]
    own = [system(bundle(name), 0.9, variant=name) for name in "ab"] + [system(bundle("c"), 0.5, usd=1.0)]
    drawn = cost_figure(
        Ranking.of(own, None), {one.key: RowHead(Markup(one.variant), Markup("")) for one in own}
    )
    front = drawn.partition('class="front" d="')[2].partition('"')[0]
    assert front.count("L") == 1, "the two that are alike, and not the third"


def test_the_name_of_the_best_stands_within_the_drawing() -> None:
    own = [system(bundle("a"), 1.0, variant="perfect"), system(bundle("b"), 0.7, usd=0.05)]
    drawn = BoardPages([one.bundle for one in own], own).pages()["index.html"]
    (height,) = re.findall(r'y="([\d.]+)">perfect</text>', drawn)
    assert float(height) > 12


class _Live(HTMLParser):
    """What of a page could run or load, or lead elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        ours = tag == "script" and (given.get("src") or "").removeprefix("../").startswith("static/")
        if tag in ("script", "iframe", "img", "object", "embed", "style", "base", "form") and not ours:
            self.found.append(tag)
        self.found += [name for name in given if name.startswith("on") or name == "style"]
        self.found += [
            str(value) for name, value in attrs if name in ("href", "src") and ":" in str(value)[:12]
        ]


def test_a_hostile_bundle_is_text_on_every_page() -> None:
    evil = " ".join(PAYLOADS)
    judge = {**JUDGE, "name": evil, "id": evil}
    own = [
        replace(system(bundle(evil, skipped=evil), 0.9, variant=evil, model=evil, label=evil, judge=judge), made_by=evil),
        system(bundle("good"), 0.7, label=evil, judge=judge, variant="' onclick=alert(1) x='", model='" onload="alert(1)'),
    ]  # fmt: skip
    bad = bundle(f"{evil}-bad", failed=evil)
    pages = BoardPages([*(one.bundle for one in own), bad], own).pages()
    assert {name.partition("/")[0] for name in pages} == {"index.html", "bundles.html", "s", "b"}
    for name, page in pages.items():
        live = _Live()
        live.feed(page)
        assert [one for one in live.found if not one.startswith("data:image/svg+xml,%3Csvg")] == [], name
    assert all(PLACE.fullmatch(system_path(one)) for one in own)


def test_every_eval_ever_has_each_figure_with_its_ends() -> None:
    """Its own validator passes files of 0.3.0, but needs a newer Python: see docs/board.md."""
    (one,) = crowd(1, 1000)
    document = json.loads(every_eval(one))
    assert document["schema_version"] == "0.3.0" and document["model_info"]["id"] == "provider0/model-0"
    assert system_path(one).startswith("data/deepresearch-retail/provider0/model-0/")
    assert PLACE.fullmatch(system_path(one))
    results = document["evaluation_results"]
    rows = {row["metric_config"]["metric_id"].partition(".")[2]: row for row in results}
    assert rows.keys() == one.figures.keys()
    for name, row in rows.items():
        config, interval = row["metric_config"], row["score_details"]["uncertainty"]["confidence_interval"]
        assert row["score_details"]["score"] == one.value(name)
        assert config["min_score"] <= interval["lower"] <= interval["upper"]
        assert config["max_score"] == "Infinity" or interval["upper"] <= config["max_score"]


@pytest.mark.slow
def test_a_board_of_two_bundles_ranks_the_one_that_holds(home: Path, tmp_path: Path, drr: Drr) -> None:
    def cheaper(lines: list[dict[str, object]]) -> None:
        lines[0]["record"]["usage"].popitem()  # type: ignore[index]

    forged(home / "bundle", tmp_path / "cheat", edit_rows("units.jsonl", cheaper))
    good = home / "bundle"
    document = drr.json("board", good, tmp_path / "cheat", "--out", tmp_path / "one", "--quiet", code=1)
    assert [one["tier"] for one in document["bundles"]] == ["consistent in part", "failed"]
    assert document["systems"] == 1
    text = drr.out("board", tmp_path / "cheat", good, good, "--out", tmp_path / "two", "--quiet", code=1)
    assert "cheat: failed" in text and "2 bundles, 1 system" in text
    places = (tmp_path / "one", tmp_path / "two")
    files, again = (
        {str(path.relative_to(at)): path.read_bytes() for path in at.rglob("*") if path.is_file()}
        for at in places
    )
    assert files == again and not any(str(tmp_path).encode() in content for content in files.values())
    feed = json.loads(files["index.json"])
    judgings = [judging for every in feed["sets"] for judging in every["judgings"]]
    (one,) = (row for judging in judgings for row in judging["systems"])
    assert one["variant"] == "plan-to-function" and one["rank"] == 1
    assert one["answers"] == {"done": 2, "asked": 2}
    assert [row["tier"] for row in feed["bundles"]] == ["consistent in part", "failed"]
    (parcel,) = (tmp_path / "one" / "parcels").iterdir()
    assert parcel.read_bytes() == good.read_bytes()
    page = files[f"s/{one['key']}.html"].decode()
    for link in re.findall(r'href="\.\./([^"#]+)"', page):
        assert (tmp_path / "one" / link).is_file(), link


@pytest.mark.slow
def test_a_verdict_is_kept(home: Path, tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read again by this user alone: a mark that he sets in his own file is seen while nothing else changes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shop, bundle = tmp_path / "shop", tmp_path / "bundle"
    shutil.copytree(home / "shop", shop)
    shutil.copyfile(home / "bundle", bundle)

    def open_points(*more: object) -> list[str]:
        site = tmp_path / "site"
        drr.out("board", bundle, "--out", site, "--shop", shop, "--quiet", "--without-answers", *more)
        ((found,),) = (json.loads((site / "index.json").read_text())["bundles"],)
        points: list[str] = found["not_excluded"]
        return points

    first = open_points()
    (file,) = (tmp_path / "cache" / "drr" / "verified").iterdir()
    assert file.stem == sha256(bundle.read_bytes()).hexdigest()
    assert open_points() == first
    document = json.loads(file.read_bytes())
    document["value"]["not_excluded"] = ["seen before"]
    marked = orjson.dumps({**document, "hash": sha256(orjson.dumps(document["value"])).hexdigest()})
    file.write_bytes(marked)
    assert open_points() == ["seen before"]
    assert open_points("--questions", home / "queries.jsonl") != ["seen before"]
    file.write_bytes(marked)
    (shop / "manifest.json").touch()
    assert open_points() == first
    forged(home / "bundle", bundle, lambda folder: None)
    assert bundle.read_bytes() == (home / "bundle").read_bytes()
    cheat = edit_rows("units.jsonl", lambda lines: lines[0]["record"]["usage"].popitem() and None)
    forged(home / "bundle", bundle, cheat)
    assert drr("board", bundle, "--out", tmp_path / "site", "--quiet")[0] == 1
    assert len(list(file.parent.iterdir())) == 1, "what fails is not kept"


@pytest.mark.slow
def test_what_is_no_board_is_misuse(home: Path, tmp_path: Path, drr: Drr) -> None:
    assert "is not there" in drr.err("board", tmp_path / "none", "--out", tmp_path / "site")
    assert "is no metric" in drr.err("board", home / "bundle", "--by", "taste", "--out", tmp_path / "site")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").touch()
    assert "not written by `drr board`" in drr.err("board", home / "bundle", "--out", tmp_path / "mine")
    assert not (tmp_path / "site").exists() and (tmp_path / "mine" / "letter").exists()


@pytest.mark.slow
def test_a_board_of_a_sealed_round_publishes_figures_alone(home: Path, tmp_path: Path, drr: Drr) -> None:
    site = tmp_path / "site"
    drr.out("board", home / "bundle", "--out", site, "--without-bundles", "--quiet")
    assert not [path for name in ("parcels", "answers") for path in (site / name).iterdir()]
    (page,) = (site / "s").iterdir()
    assert "not published" in page.read_text() and "parcels/" not in page.read_text()
    assert "parcels/" not in (site / "bundles.html").read_text()


@pytest.mark.slow
def test_a_board_groups_the_questions_of_a_system(home: Path, tmp_path: Path, drr: Drr) -> None:
    site, words = tmp_path / "site", ("board", home / "bundle", "--out", tmp_path / "site")
    assert "one metric and one field" in drr.err(*words, "--by", "fp", "--by", "fr")
    drr.out(*words, "--by", "language", "--by", "fp", "--without-answers", "--quiet")
    feed = json.loads((site / "index.json").read_text("utf-8"))
    [one] = feed["sets"][0]["judgings"][0]["systems"]
    assert one["by"]["field"] == "language" and "en" in one["by"]["groups"]
    (page,) = (site / "s").iterdir()
    assert "By language" in page.read_text("utf-8")


def test_who_failed_and_whose_cost_is_unknown_have_lanes_of_their_own() -> None:
    own = [system(bundle(f"{n}"), 0.5 + n / 10, variant=f"agent{n}", usd=0.1 * (n + 1)) for n in range(4)]
    own[1] = replace(own[1], dollars={**own[1].dollars, "value": None, "n_unscored": 3})
    own[2] = replace(own[2], figures={}, values={})
    drawn = BoardPages([one.bundle for one in own], own).pages()["index.html"]
    assert "cost unknown" in drawn and ">failed</text>" in drawn
    assert all(f">agent{n}</text>" in drawn for n in range(4))
    crowded = [system(bundle(f"{n}"), 0.5, variant=f"same{n:02}") for n in range(12)]
    page = BoardPages([one.bundle for one in crowded], crowded).pages()["index.html"]
    caption = page.partition("Numbered:")[2].partition("</figcaption>")[0]
    assert all(f">same{n:02}</text>" in page or f"same{n:02}" in caption for n in range(12))


@pytest.mark.long
def test_a_study_becomes_a_page_in_one_command(home: Path, tmp_path: Path, drr: Drr) -> None:
    given = ("--shop", home / "shop", "--sandbox", home / "sandbox", "--without-answers", "--quiet")
    assert drr.json("board", home / "study", "--out", tmp_path / "site", *given)["systems"] == 1
    assert "plan-to-function" in (tmp_path / "site" / "index.html").read_text()
