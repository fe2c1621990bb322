"""What a model was paid to say is kept: raised versions and today's prompts read it again, and only new requests are sent."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.env.shop import Shop
from drr.eval.asking.conversation import FOLDER, box_prompts, version_of
from drr.eval.asking.judge import KeptAnswers
from drr.eval.checks import RULES
from drr.eval.judging.read import choose_judging, judgings, read_judged
from drr.eval.judging.run import JudgeOptions, JudgingResults, judge
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics.document import study_document
from drr.eval.tasks.extraction import ExtractionTask
from drr.eval.tasks.grading import PairwiseTask, RatingTask, criterion_name
from drr.eval.tasks.protocol import AS_PRINTED
from drr.eval.tasks.support import SupportTask
from drr.study.study import Study
from drr.study.unit import SavedText, Unit

from tests.commands import Drr
from tests.eval.foreign_files import lines
from tests.eval.nursery import (
    SONNET,
    Judge,
    answer,
    asked_for,
    by_model,
    by_wire,
    desk,
    message,
    offline,
    put,
    sentences,
    system,
    web,
)
from tests.letting import let_go
from tests.pools import toy_pool  # noqa: F401
from tests.tools.small_shop import ANNA
from tests.wire import Fail, Hang, Say, Wire

CARE = "https://birds.example/care"
REPORT = f"""# Care

Feeders should be cleaned once a week [1].
Seed spoils when it gets wet [1].

## Sources
[1] {CARE}
"""
PAGE = web(CARE, "Clean every feeder once a week. Wet seed spoils.")
FILLER = "\n\n".join("Birds are many and gardens are few and winters are long." for _ in range(600))
LONG_REPORT = REPORT.replace("Seed spoils", f"{FILLER}\n\nSeed spoils")
"""Too long for one call: its claims are asked for in two."""
BOTH = ["Feeders should be cleaned once a week.", "Seed spoils when it gets wet."]
EVERYTHING = ("faithfulness", "quality", "pairwise")
TASKS = (ExtractionTask, SupportTask, RatingTask, PairwiseTask)


async def asked(
    study: Study, script: Judge, what: Sequence[str] = EVERYTHING, *, retry_failed: bool = False, **more: Any
) -> Counter[str]:
    """How often the model was called, by task."""
    before = len(script.asked)
    await by_wire(study, script, JudgeOptions(what, retry_failed=retry_failed), **more)
    return Counter(script.asked[before:])


def raised(monkeypatch: pytest.MonkeyPatch, *tasks: type, version: int = 99) -> None:
    for task in tasks:
        monkeypatch.setattr(task, "version", version)
        monkeypatch.setattr(task, "asked_version", None)


def claims(report: str) -> list[dict[str, Any]]:
    return [claim for claim in sentences(report) if "Birds are many" not in claim["quote"]]


def found(study: Study) -> list[str]:
    (said,) = read_judged(study, choose_judging(study)).claims["all"].values()
    return [claim["text"] for claim in said.claims or ()]


def figures(study: Study) -> str:
    document = study_document(study)
    return json.dumps([document["metrics"], document["pairwise"]])


async def test_raised_versions_read_what_is_kept_and_call_nobody(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, *(answer("a", variant, REPORT, [PAGE]) for variant in ("x", "y")))
    first = await asked(study, Judge(claims=sentences))
    assert first == {"claims": 2, "support": 2, "rating": 14, "pairwise": 2}
    before = figures(study)
    for version in (98, 99):
        raised(monkeypatch, *TASKS, version=version)
        assert await asked(study, Judge(claims=sentences, rating=lambda text: 1)) == {}
        assert figures(study) == before
    old, *_, new = judgings(study)
    own = {task.name for task in TASKS}
    asked_about = [name for name in old.versions if name.partition("/")[0] in own]
    assert [[old.versions[name].partition("-")[0], "99"] for name in asked_about] == [
        new.versions[name].split("-")[:2] for name in asked_about
    ]
    again = [r for r in study.records("judgement") if "-99" in r.key_fields["version"]]
    assert len(again) == 20
    assert {(one.result["reread"], len(one.usage), one.cost_usd or 0) for one in again} == {(1, 0, 0)}


async def test_only_requests_whose_bytes_changed_are_sent(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    await asked(study, Judge(), ["quality"])
    (tmp_path / "criterion_depth.md").write_text("How deep does it go? Stricter than before.")
    raised(monkeypatch, RatingTask)
    prompts = box_prompts().overridden(tmp_path)
    assert await asked(study, Judge(), ["quality"], prompts=prompts) == {"rating": 1}


async def test_equal_prompts_about_two_answers_and_repetitions_are_asked_each(study: Study) -> None:
    await put(study, *(answer("a", "x", REPORT, [PAGE], trial=trial) for trial in (0, 1)))
    assert await asked(study, Judge(), ["quality"]) == {"rating": 14}
    assert await asked(study, Judge(), ["quality"], repeat=1) == {"rating": 14}


async def test_another_judge_is_asked_itself(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    await asked(study, Judge(), ["quality"])
    monkeypatch.setattr("tests.eval.nursery.SONNET", "anthropic:claude-opus-4-8")
    assert await asked(study, Judge(), ["quality"]) == {"rating": 7}


async def test_answers_that_could_not_be_read_fail_again_for_nothing_and_are_asked_anew_when_told(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    mute = Judge(instead=lambda task, request: Say("no claims from me"))
    assert await asked(study, mute, ["faithfulness"]) == {"claims": 6}
    raised(monkeypatch, ExtractionTask)
    assert await asked(study, Judge(claims=sentences), ["faithfulness"]) == {}
    coverage = study_document(study)["coverage"]["variants"]["x"]
    assert coverage["extract_error"] == 1
    again = await asked(study, Judge(claims=sentences), ["faithfulness"], retry_failed=True)
    assert again == {"claims": 1, "support": 1}


async def test_what_a_judge_left_out_is_judged_anew_when_told(study: Study) -> None:
    """An answer without verdicts can be read, so its unit is done: told to, it is asked again, and the rest is not."""
    await put(study, answer("a", "x", REPORT, [PAGE]), answer("b", "x", REPORT, [PAGE]))
    nothing = Say('{"verdicts": []}')
    silent = Judge(claims=sentences, instead=lambda task, _: nothing if task == "support" else None)
    await asked(study, silent, ["faithfulness"])
    assert study_document(study)["coverage"]["invalid_because"]
    assert await asked(study, Judge(claims=sentences), ["faithfulness"]) == {}
    assert await asked(study, Judge(claims=sentences), ["faithfulness"], retry_failed=True) == {"support": 2}
    assert not study_document(study)["coverage"]["invalid_because"]
    assert await asked(study, Judge(claims=sentences), ["faithfulness"], retry_failed=True) == {}


async def test_what_was_answered_before_an_outage_is_not_paid_again(study: Study) -> None:
    """A report too long for one call: its beginning was answered, then the provider went down."""
    await put(study, answer("a", "x", LONG_REPORT, [PAGE]))
    overloaded = Fail(529, "overloaded_error")
    down = Judge(claims=claims, instead=lambda task, request: overloaded if request.number > 0 else None)
    assert (await asked(study, down, ["faithfulness"]))["claims"] > 1
    assert await asked(study, Judge(claims=claims), ["faithfulness"]) == {"claims": 1, "support": 1}
    assert found(study) == BOTH


async def test_ids_that_were_asked_for_twice_are_read_again_in_that_order(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))

    def forgetful(task: str, request: Any) -> Any:
        if task != "support":
            return None
        name, _ = asked_for(message(request))[0]
        verdict = {
            "id": name,
            "justification": "",
            "quote": "Clean every feeder",
            "support": "partial_support",
        }
        return Say(json.dumps({"verdicts": [verdict]}))

    script = Judge(claims=sentences, instead=forgetful)
    assert (await asked(study, script, ["faithfulness"], batch=2))["support"] == 2
    raised(monkeypatch, SupportTask)
    assert await asked(study, script, ["faithfulness"], batch=2) == {}
    (verdicts,) = read_judged(study, choose_judging(study)).support.values()
    assert [verdict["status"] for verdict in verdicts.values()] == ["partial", "partial"]


async def test_a_ledger_without_kept_answers_stays_judged(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of before answers were kept: its judgements stand, and a raised version asks again."""
    await put(study, answer("a", "x", REPORT, [PAGE]))
    await asked(study, Judge(), ["quality"])
    with study.ledger.db.writing() as db:
        db.execute(
            "UPDATE records SET blobs = '{}' WHERE key IN (SELECT key FROM units WHERE kind = 'judgement')"
        )
    assert await asked(study, Judge(), ["quality"]) == {}
    assert study_document(study)["metrics"]["x"]["overall"]["value"] == 7.0
    raised(monkeypatch, RatingTask)
    assert await asked(study, Judge(), ["quality"]) == {"rating": 7}


async def test_a_raised_rule_checks_every_report_again_and_only_its_last_word_counts(
    study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, *(answer("a", variant, REPORT, [PAGE]) for variant in ("x", "y")))

    async def checked() -> int:
        models = offline()
        return (await judge(study, desk(study, models, shop), models, JudgeOptions(["rules"]))).summary.done

    assert [await checked(), await checked()] == [2, 0]
    monkeypatch.setitem(RULES, "price", RULES["price"]._replace(version="raised"))
    assert await checked() == 2
    assert study_document(study)["coverage"]["tasks"]["rules"]["judged"] == 2


async def test_keys_of_before_tasks_had_versions_are_still_the_keys(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first version is not written: what models judged then is not asked again."""
    raised(monkeypatch, RatingTask, version=1)
    await put(study, answer("a", "x", REPORT, [PAGE]))
    await asked(study, Judge(), ["quality"])
    (depth,) = [r for r in study.records("judgement") if r.key_fields["dimension"] == "depth"]
    prompts = box_prompts()
    fixed = {"task": "rating", "protocol": "ours", "judge": SONNET, "schema": 1, "repeat": 0}
    own = {"answer": depth.spec["answer"], "dimension": "depth", "prompt": depth.key_fields["prompt"]}
    version = version_of(prompts["rate"], prompts["criterion_depth"])
    assert dict(depth.key_fields) == {**fixed, **own, "version": version}


async def judging(study: Study, url: str) -> JudgingResults:
    """As the command does it."""
    return await by_model(study, url, JudgeOptions(["faithfulness"]))


DRIVER = """
import asyncio, sys
from pathlib import Path
from drr.study.study import Study
from tests.eval.test_kept_answers import judging
with Study.open(Path(sys.argv[1])) as study:
    asyncio.run(judging(study, sys.argv[2]))
"""


async def until(ready: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not ready():
            await asyncio.sleep(0.02)


def saved(study: Study) -> int:
    return sum(map(len, study.ledger.saved.of_kind("judgement", "raw:")))


@pytest.mark.long
async def test_after_a_kill_only_what_was_not_answered_is_asked(study: Study) -> None:
    await put(study, answer("a", "x", LONG_REPORT, [PAGE]))
    first = Judge(claims=claims, instead=lambda task, asked: Hang(60) if asked.number == 1 else None)
    let_go(study)
    with Wire(first) as wire:
        process = subprocess.Popen([sys.executable, "-c", DRIVER, str(study.folder), wire.url])
        await until(lambda: len(first.asked) == 2 and saved(study) == 1)
        process.kill()
        process.wait()
    assert not list(study.records("judgement", None)), "it died in the middle of its first unit"
    assert await asked(study, Judge(claims=claims), ["faithfulness"]) == {"claims": 1, "support": 1}
    assert found(study) == BOTH
    assert saved(study) == 0, "the record holds them now"
    (extracted,) = (r for r in study.records("judgement") if r.key_fields["task"] == "claims")
    assert extracted.result["reread"] == 1 and len([n for n in extracted.blobs if n.startswith("raw:")]) == 2


async def test_what_another_process_saved_since_is_known_for_the_same_unit_only(study: Study) -> None:
    """A unit whose worker died goes to one that looked into the ledger before."""
    units = [Unit("judgement", {"n": n}, {}, f"unit-{n}") for n in (1, 2)]
    study.ledger.units.register(units)
    kept = KeptAnswers(study)
    assert kept.of("r1", units[0].key) == []
    names = ("raw:r1:0", "raw:r1:1", "raw:r2:0")
    study.ledger.saved.add(SavedText(units[0].key, name, name.encode()) for name in names)
    assert kept.of("r1", units[0].key) == ["raw:r1:0", "raw:r1:1"]
    assert kept.of("r1", units[1].key) == []
    assert KeptAnswers(study).of("r2", units[1].key) == ["raw:r2:0"]


class Told(NamedTuple):
    asked: list[str]
    """The tasks that the model was asked about."""
    prompts: list[str]
    document: Any
    err: str


@pytest.fixture
def folder(tmp_path: Path, shop: Shop, drr: Drr, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = f"# Care\n\nClean every feeder once a week [1].\n\n## Sources\n[1] {CARE}\n"
    row = {"id": "a", "system": "alpha", "query": "Which feeder?", "user_id": ANNA, "report_markdown": text}
    page = {"url": CARE, "type": "web", "text": "Clean every feeder once a week."}
    reports = lines(tmp_path / "reports.jsonl", {**row, "evidence": [page]})
    drr.out("import", tmp_path / "study", reports, "--shop", shop.spec, "--quiet")
    return tmp_path / "study"


@pytest.fixture
def judged(folder: Path, drr: Drr) -> Callable[..., Told]:
    def told(*more: str, what: str = "faithfulness,quality") -> Told:
        script = Judge(claims=sentences)
        with Wire(script) as wire:
            words = ("judge", folder, "--what", what, "--judge", SONNET, "--base-url", wire.url, "--quiet")
            code, out, err = drr(*words, "--json", *more)
            assert code == 0, err
            return Told(sorted(script.asked), [system(one) for one in wire.requests], json.loads(out), err)

    return told


Judged = Callable[..., Told]


def test_a_study_of_before_keeps_its_figures_until_it_is_judged_anew(
    folder: Path, judged: Judged, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        raised(earlier, SupportTask, version=11)
        raised(earlier, RatingTask, version=1)
        before = judged()
    words = (
        "judge",
        folder,
        "--what",
        "faithfulness,quality",
        "--judge",
        SONNET,
        "--base-url",
        "http://127.0.0.1:9",
    )
    for more in ((), ("--dry-run",)):
        code, _, err = drr(*words, *more)
        assert code == 2 and "an earlier version judged it (rating, support)" in err and "--renew" in err
    now = drr.json("report", folder)
    assert now["metrics"] == before.document["metrics"]
    assert "rating 1 (today 2), support 11 (today 15): not comparable" in now["banner"]
    assert "--renew" in now["banner"]
    drr.out(
        "judge", folder, "--what", "rules", "--judge", SONNET, "--base-url", "http://127.0.0.1:9", "--quiet"
    )
    renewed = judged("--renew")
    assert not renewed.asked, "these requests are today's, so their answers are read again"
    assert renewed.document["banner"] is None and not judged().asked


def test_what_earlier_code_judged_is_named_in_report_and_viewer_until_it_is_judged_again(
    folder: Path, judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> list[str]:
        with Study.read(folder) as study:
            reader = Reader(study)
            reader.measure()
            index = StudyPages("s", served=False).index(
                reader.entries(), reader.judging(), 0, measured=reader.measured_study
            )
            return [study_document(study)["banner"] or "", index]

    judged()
    assert not any("earlier versions" in one for one in shown())
    made = ExtractionTask.asked_version, SupportTask.version
    raised(monkeypatch, ExtractionTask, SupportTask, PairwiseTask)
    named = "claims {} (today 99), support {} (today 99): not comparable".format(*made)
    assert all(f"Judged at earlier versions of {named}" in one for one in shown()), "no pair was judged"
    assert not judged().asked
    assert not any("earlier versions" in one for one in shown())


def test_each_criterion_as_printed_says_what_the_paper_says() -> None:
    """By Table 10 breadth is how many distinct subtopics; what only we ask is in none of them."""
    texts = {one: (FOLDER / f"{criterion_name(one, AS_PRINTED)}.md").read_text() for one in DIMENSIONS}
    for dimension, text in texts.items():
        assert criterion_name(dimension, AS_PRINTED) == f"paper_criterion_{dimension}"
        assert text != (FOLDER / f"{criterion_name(dimension)}.md").read_text()
        assert "add up" not in text
    assert "How many distinct and relevant subtopics" in texts["breadth"]
