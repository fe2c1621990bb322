"""Honest bundles are not accused: whatever became of a study's units, its bundle holds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from drr.agents.runner import FOLDER
from drr.app.report.study_report import every_figure
from drr.study.bundle.archive import unpack_archive
from drr.study.bundle.parcel import UnpackedBundle, digest_of
from drr.study.bundle.restore import restore_study

from tests.agents.commands.conftest import TERMS
from tests.agents.garden import ANNA, BEN, QUESTION, write_box
from tests.bundles import forged, retext, rows, write
from tests.commands import Drr
from tests.eval.nursery import SONNET, Judge, sentences, system
from tests.eval.pqr_judge import PERSONS, CriteriaJudge
from tests.filetasks.made import write_known_task
from tests.once import made_once
from tests.wire import Fail, Reply, Request, Say, Wire, looked

OTHER = "Which feeder is best under $30?"
REPORT = "# Feeders\n\nThe Panorama feeder costs $43.99 [1].\n\n## Sources\n[1] http://ecommerce.example/B0FEEDER01\n"
REFUSED = Fail(400, "invalid_request_error")
"""What no caller waits for and asks again."""


def _box(home: Path) -> None:
    write_box(home, {"id": "q-birds", "query": QUESTION, "user_id": ANNA}, {"query": OTHER, "user_id": BEN})


AGENT = """
async def answer(query, tools, model, budget):
    by_name = {tool.name: tool for tool in tools}
    found = await by_name["product_catalog_search"].ainvoke({"query": "bird feeder", "limit": 1})
    return f"# Feeders\\n\\nThe shop has this to say:\\n\\n{found}\\n"


answer.version = "1"
"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("honest", tmp_path_factory, _box)


@pytest.fixture
def drr(drr: Drr, at_home: Path) -> Drr:
    return drr


def places(box: Path) -> tuple[object, ...]:
    return ("--shop", box / "shop", "--queries", box / "queries.jsonl", "--sandbox", box / "sandbox")


def run(drr: Drr, box: Path, *more: object, variants: str = "react", code: int = 0) -> None:
    assert drr("run", "study", *places(box), "--variants", variants, *more, "--quiet")[0] == code


def by_wire(drr: Drr, box: Path, script: Callable[[Request], Reply], *more: object, code: int = 0) -> None:
    with Wire(script) as wire:
        run(drr, box, "--model", SONNET, "--base-url", wire.url, *more, code=code)


def _trials(drr: Drr, box: Path) -> None:
    run(drr, box, "--trials", 3)


def _every_agent(drr: Drr, box: Path) -> None:
    run(drr, box, variants="all,hybrid-react+profile,hybrid-react+own,hybrid-react+own+ws")
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0


def _half_way(drr: Drr, box: Path) -> None:
    run(drr, box, "--trials", 2, "--limit", 1)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0


def _failed(drr: Drr, box: Path) -> None:
    def script(request: Request) -> Reply:
        return REFUSED if OTHER in json.dumps(request.body) else looked(request, REPORT)

    by_wire(drr, box, script, code=1)


def _empty(drr: Drr, box: Path) -> None:
    by_wire(drr, box, lambda request: looked(request, ""), code=1)


def _nothing_researched(drr: Drr, box: Path) -> None:
    with Wire(lambda _: Say("I know it already: take any.")) as wire:
        more = ("--model", SONNET, "--base-url", wire.url)
        run(drr, box, *more, variants="hybrid-react+profile", code=1)


def _over_budget(drr: Drr, box: Path) -> None:
    script = lambda request: looked(request, REPORT, usage={"input_tokens": 900, "output_tokens": 90})  # noqa: E731
    by_wire(drr, box, script, "--budget", 0.04, "--units", 1, "--trials", 4, code=1)


def _model_and_judge(drr: Drr, box: Path) -> None:
    by_wire(drr, box, lambda request: looked(request, REPORT), "--trials", 2)
    with Wire(Judge(claims=sentences)) as wire:
        judge = ("--judge", SONNET, "--base-url", wire.url, "--quiet")
        assert drr("judge", "study", *judge, "--repeat", 2)[0] == 0


def _bad_judge(drr: Drr, box: Path) -> None:
    """A judge whose answers cannot be used, for a part of what it is asked."""
    run(drr, box)
    bad = Judge(claims=sentences, instead=lambda task, request: Say("no") if task == "rating" else None)
    with Wire(bad) as wire:
        judge = ("--judge", SONNET, "--base-url", wire.url, "--quiet")
        drr("judge", "study", *judge, "--what", "faithfulness,quality")


def _imported(drr: Drr, box: Path) -> None:
    evidence = [{"url": "https://birds.example/care", "type": "web", "text": "Clean it."}]
    line = {"id": "a-1", "system": "theirs", "query": OTHER, "user_id": BEN, "report_markdown": REPORT, "evidence": evidence}  # fmt: skip
    Path("reports.jsonl").write_text(json.dumps(line) + "\n")
    asked = {"query": OTHER, "user_id": BEN, "tools": ["product_catalog_search"], "rationale": "Birds."}
    Path("asked.jsonl").write_text(json.dumps(asked) + "\n")
    assert drr("import", "study", "reports.jsonl", "--shop", box / "shop", "--quiet")[0] == 0
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "faithfulness,rules")[0] == 0


def _repaired(drr: Drr, box: Path) -> None:
    made_up = REPORT.replace("B0FEEDER01", "B0NOWHERE9")
    by_wire(drr, box, lambda request: looked(request, made_up), "--citation-repair", "remove")
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0


def _several_models(drr: Drr, box: Path) -> None:
    models = ("--models", f"{SONNET},{SONNET}-x", "--trials", 2)
    with Wire(lambda request: looked(request, REPORT)) as wire:
        run(drr, box, *models, "--base-url", wire.url)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "quality")[0] == 0


def _other_limits(drr: Drr, box: Path) -> None:
    """A study that went on within other limits, and lost a trial: units of before no longer count."""
    run(drr, box, "--limits", "steps=3", "--trials", 2)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0
    run(drr, box, "--limits", "steps=6", "--trials", 1)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0


def _tried_again(drr: Drr, box: Path) -> None:
    by_wire(drr, box, lambda request: REFUSED, code=1)
    by_wire(drr, box, lambda request: looked(request, REPORT), "--retry-failed")
    bad = Judge(claims=sentences, instead=lambda task, request: Say("no") if task == "rating" else None)
    for judge in (bad, Judge(claims=sentences)):
        with Wire(judge) as wire:
            given = ("--judge", SONNET, "--base-url", wire.url, "--retry-failed", "--quiet")
            drr("judge", "study", *given)


def _two_judges(drr: Drr, box: Path) -> None:
    run(drr, box, variants="react,plan-to-function")
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0
    for name in (SONNET, f"{SONNET}-x"):
        with Wire(Judge(claims=sentences)) as wire:
            assert drr("judge", "study", "--judge", name, "--base-url", wire.url, "--quiet")[0] == 0


def _read_anew(drr: Drr, box: Path) -> None:
    run(drr, box)
    for more in ((), ("--refetch",)):
        assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "faithfulness", *more)[0] == 0


def _agent_of_ones_own(drr: Drr, box: Path) -> None:
    Path("agent.py").write_text(AGENT)
    run(drr, box, variants="agent.py:answer,react")
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0


def _command(drr: Drr, box: Path, *more: object) -> None:
    """A program that looks nothing up; what models a trusted one asks is not known."""
    Path("agent.sh").write_text('#!/bin/sh\necho "# Answer"; echo; echo "No idea."\n')
    Path("agent.sh").chmod(0o755)
    run(drr, box, *more or TERMS, variants="cmd:./agent.sh,react", code=1)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0


def _trusted_command(drr: Drr, box: Path) -> None:
    _command(drr, box, "--trust-agent")


def _no_records(drr: Drr, box: Path) -> None:
    run(drr, box, "--settings", "task,records", variants="react,hybrid-react")
    assert drr("judge", "study", "--judge", "offline", "--quiet")[0] == 0


def _own_prompts(drr: Drr, box: Path) -> None:
    Path("prompts").mkdir()
    shown = (FOLDER / "react.md").read_text().replace("You are", "You are truly", 1)
    Path("prompts", "react.md").write_text(shown)
    run(drr, box, "--prompts", "prompts")


def _judged_in_part(drr: Drr, box: Path) -> None:
    run(drr, box, variants="react,react+ws")
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--limit", 5)[0] in (0, 1)


def _other_search(drr: Drr, box: Path) -> None:
    run(drr, box, "--search", "plain", "--web-top-k", 2, "--no-references", variants="plan-to-function,react")
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,faithfulness")[0] == 0


def _files(drr: Drr, box: Path) -> None:
    """Tasks with files: their results indent what they quote of them."""
    write_known_task(Path("tasks", "007"))
    variants = ("--variants", "react,plan-to-function,hybrid-react")
    assert drr("run", "study", "--tasks", "tasks", *variants, "--quiet")[0] == 0


def _files_judged(drr: Drr, box: Path) -> None:
    write_known_task(Path("tasks", "007"))
    assert drr("run", "study", "--tasks", "tasks", "--variants", "dr3,react", "--quiet")[0] == 0
    for what in ("dr3", "faithfulness,citations,quality,rules,reporteval"):
        assert drr("judge", "study", "--judge", "offline", "--what", what, "--quiet")[0] == 0


def _trials_that_fail(drr: Drr, box: Path) -> None:
    """Some trials fail for good; the judge fails once, and is asked again."""
    asked, answers = count(), count()

    def script(request: Request) -> Reply:
        return REFUSED if 6 < next(asked) < 10 else looked(request, REPORT)

    by_wire(drr, box, script, "--trials", 4, "--units", 1, code=1)
    judge = Judge(claims=sentences)
    for code in (1, 0):
        with Wire(lambda request: REFUSED if 3 < next(answers) < 10 else judge(request)) as wire:
            given = ("--judge", SONNET, "--base-url", wire.url, "--retry-failed", "--quiet")
            assert drr("judge", "study", *given)[0] == code


def _only_a_part(drr: Drr, box: Path) -> None:
    """Another variant, of which one trial of two is asked for."""
    run(drr, box, "--trials", 2)
    run(drr, box, "--trials", 1, "--only", variants="hybrid-react")


def _killed(drr: Drr, box: Path) -> None:
    """A run that is killed in its third answer, and goes on."""
    asked = count()

    def script(request: Request) -> Reply:
        if next(asked) == 5:
            runs[0].kill()
        return looked(request, REPORT)

    runs: list[subprocess.Popen[bytes]] = []
    with Wire(script) as wire:
        more = ("--trials", 4, "--units", 1, "--model", SONNET, "--base-url", wire.url, "--variants", "react")
        words = map(str, ("run", "study", *places(box), *more, "--quiet"))
        runs.append(subprocess.Popen([sys.executable, "-m", "drr", *words], env=dict(os.environ)))
        assert runs[0].wait() == -signal.SIGKILL
        run(drr, box, *more[:-2])
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,faithfulness")[0] == 0


def _persons(drr: Drr, box: Path, *, judge: Callable[[Request], Reply] | None = None) -> None:
    """Persons who are told of, by themselves or beside their records, and are scored by criteria."""
    persons = [PERSONS[name] for name in ("p-anna", "p-ben")]
    Path("persons.jsonl").write_text("".join(json.dumps(one.line()) + "\n" for one in persons))
    asked = [
        {"id": f"q-{one.person_id}", "query": QUESTION, "user_id": one.user_id, "person_id": one.person_id}
        for one in persons
    ]
    Path("queries.jsonl").write_text("".join(json.dumps({**one, "task_id": "t-1"}) + "\n" for one in asked))
    told = ("--persons", "persons.jsonl", "--settings", "task,persona,records+persona")
    given = ("--shop", box / "shop", "--queries", "queries.jsonl", "--sandbox", box / "sandbox")
    agents = ("--variants", "react,hybrid-react+own", "--quiet")
    assert drr("run", "study", *given, *told, *agents)[0] == 0
    with Wire(judge or []) as wire:
        by = ("--judge", SONNET, "--base-url", wire.url) if judge else ()
        assert drr("judge", "study", "--what", "criteria,pqr", "--rounds", 1, "--quiet", *by)[0] == 0


def _scored_by_a_model(drr: Drr, box: Path) -> None:
    own, other = CriteriaJudge(), Judge(claims=sentences)

    def judge(request: Request) -> Reply:
        words = system(request)
        return own(request) if "criteri" in words or "weigh" in words else other(request)

    _persons(drr, box, judge=judge)


def _every_kind_of_judgement(drr: Drr, box: Path) -> None:
    run(drr, box, variants="react,hybrid-react+own", code=0)
    kinds = ("faithfulness,citations", "quality,pairwise,rules", "failures", "points", "recall", "criteria")
    for what in (*kinds, "pqr", "swap", "reporteval"):
        assert drr("judge", "study", "--judge", "offline", "--what", what, "--quiet")[0] == 0, what
    more = ("--what", "relative", "--reference", "react", "--quiet")
    assert drr("judge", "study", "--judge", "offline", *more)[0] == 0


STUDIES = (
    _files, _files_judged, _trials_that_fail, _only_a_part, _killed, _persons, _scored_by_a_model,
    _every_kind_of_judgement, _judged_in_part, _other_search, _repaired, _several_models, _other_limits,
    _tried_again, _two_judges, _agent_of_ones_own, _command, _trusted_command, _no_records, _own_prompts,
    _trials, _every_agent, _read_anew, _half_way, _failed, _empty, _nothing_researched, _over_budget,
    _model_and_judge, _bad_judge, _imported,
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("study", STUDIES, ids=lambda one: one.__name__)
def test_an_honest_bundle_holds(box: Path, drr: Drr, study: Callable[[Drr, Path], None]) -> None:
    study(drr, box)
    shop = () if study in (_files, _files_judged) else ("--shop", box / "shop", "--sandbox", box / "sandbox")
    asked = ("--questions", "asked.jsonl") if study is _imported else ()
    beside = (*shop, *asked)
    for name, more, given in (
        ("whole", (), ((), beside)),
        ("redacted", ("--redact",), (beside,)),
        ("pages", ("--with-pages",), ((),)),
    ):
        out, err = drr("bundle", "make", "study", "--out", name, *more)[1:]
        without_persons = study in (_persons, _scored_by_a_model) and name == "redacted"
        assert out and ("not those of the study" in err) is without_persons, err
        for words in given:
            document = json.loads(drr("bundle", "verify", name, "--json", *words)[1])
            assert document["failed"] == [], (name, words)
    Path("redacted-files").mkdir()
    unpack_archive(Path("redacted"), Path("redacted-files"))
    assert rows(Path("redacted-files"), "shoppers.jsonl") == []


def _said_to_be_anew(folder: Path) -> None:
    """Claims are said to be held against pages of today, and each to be supported."""
    (study,) = rows(folder, "study.json")
    study["facts"]["judgings"] = study["facts"]["judgings"].replace('"refetch": false', '"refetch": true')
    write(folder, "study.json", [study])
    lines = rows(folder, "units.jsonl")
    for line in lines:
        if line["spec"].get("task") == "support":
            line["key_fields"]["refetch"] = True
            for verdict in line["record"]["result"]["verdicts"].values():
                verdict["status"] = "partial" if verdict["status"] == "full" else "full"
    write(folder, "units.jsonl", lines)


@pytest.mark.long
def test_what_is_said_to_be_read_anew_is_held_against_what_is_kept(
    box: Path, tmp_path: Path, drr: Drr
) -> None:
    run(drr, box)
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "faithfulness")[0] == 0
    drr.out("bundle", "make", "study", "--out", tmp_path / "bundle")
    cheat = forged(tmp_path / "bundle", tmp_path / "cheat", _said_to_be_anew)
    shop = ("--shop", box / "shop", "--sandbox", box / "sandbox")
    failed = json.loads(drr("bundle", "verify", cheat, "--json", *shop)[1])["failed"]
    assert any(one["what"].startswith("is not what its rules") for one in failed), failed


def _scores(folder: Path) -> Iterator[tuple[Any, Any]]:
    """Yield every line of a bundle, with its score of a person's criterion, for an edit in place."""
    lines = rows(folder, "units.jsonl")
    for line in lines:
        if line["spec"].get("task") == "scores" and line["spec"]["half"] == "p":
            yield line, line["record"]
    write(folder, "units.jsonl", lines)


def _better(folder: Path, *, said: bool) -> None:
    """Every score of a person's is a 10, in the judge's raw answers too or not, and so are the figures."""
    for _, record in _scores(folder):
        for score in record["result"]["scores"].values():
            score["score"] = 10
        for name in [name for name in record["blobs"] if said and name.startswith("raw:")]:
            retext(folder, record, name, lambda text: text.replace('"score": 7', '"score": 10'))
    _tidy(folder)
    with TemporaryDirectory() as place, restore_study(UnpackedBundle(folder), Path(place) / "study") as study:
        write(folder, "figures.json", [every_figure(study)])


def _tidy(folder: Path) -> None:
    """Each text that a unit names, once."""
    named = {digest for line in rows(folder, "units.jsonl") for digest in line["record"]["blobs"].values()}
    texts = {digest_of(one): one for one in rows(folder, "texts.jsonl")}
    write(folder, "texts.jsonl", [one for digest, one in texts.items() if digest in named])


def _figure_alone(folder: Path) -> None:
    (document,) = rows(folder, "figures.json")
    (figures,) = document["documents"].values()
    figures["metrics"]["react@persona"]["pqr_p"]["value"] = 9.5
    write(folder, "figures.json", [document])


@pytest.mark.long
def test_a_false_figure_of_persons_is_found_with_and_without_them(
    box: Path, tmp_path: Path, drr: Drr
) -> None:
    """What nobody can tell apart, for scores and raw answers fit, is neither accused nor called consistent in full."""
    _scored_by_a_model(drr, box)
    shop = ("--shop", box / "shop", "--sandbox", box / "sandbox")
    for redact in ((), ("--redact",)):
        drr("bundle", "make", "study", "--out", tmp_path / "bundle", *redact)

        def verified(edit: Callable[[Path], None]) -> Any:
            cheat = forged(tmp_path / "bundle", tmp_path / "cheat", edit)
            return json.loads(drr("bundle", "verify", cheat, "--json", *shop)[1])

        assert {one["check"] for one in verified(_figure_alone)["failed"]} == {"figures"}
        unsaid = verified(partial(_better, said=False))["failed"]
        assert all("raw answers say" in one["what"] for one in unsaid) and unsaid
        consistent = verified(partial(_better, said=True))
        assert consistent["failed"] == [] and any(
            "rewritten together" in one for one in consistent["not_excluded"]
        )
        if redact:
            assert consistent["tier"] == "consistent in part"
            assert any("person" in why for why in consistent["why"]), consistent["why"]
