"""The place in a study of an alignment. The sealed split, the versions of the prompt as files, and what each reading found.

What experts said of the test half is copied nowhere: it stays in the file of labels, which the seal holds to what it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypedDict

from drr.env.bounded import DOCUMENT, read_within
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file, write_file
from drr.eval.labels import AlignLabel, read_align_labels
from drr.eval.metrics.rows import AlignmentRow
from drr.llm.prompts import Prompts
from drr.papers.reporteval.alignment.figures import Run, ending
from drr.papers.reporteval.alignment.tasks import (
    ALIGNED,
    AlignedTask,
    AlignItem,
    items_of,
    labels_hash,
    split,
)
from drr.study.form import reading
from drr.study.study import Study
from drr.study.unit import canonical_json

FOLDER = "align"
_META = "align:"


class HalfRow(TypedDict):
    items: list[str]
    labels: str
    """A hash of what experts said."""


class AlignmentState(TypedDict):
    schema: int
    task: str
    seed: int
    target: float
    labels: str
    """File of the labels."""
    dev: HalfRow
    test: HalfRow
    seal: str
    made: dict[str, str]
    """Maker of each version."""
    runs: list[Run]


class NewAlignment(TypedDict):
    seed: int
    dev_share: float
    target: float | None


@dataclass(frozen=True)
class PromptVersion:
    number: int
    folder: Path
    """Folder for `--prompts`."""
    hash: str


class JudgeAlignment:
    """The alignment of one task in one study."""

    def __init__(self, study: Study, task: AlignedTask, state: AlignmentState) -> None:
        self.study, self.task, self.state = study, task, state
        self.folder = study.folder / FOLDER / task.name

    @property
    def seal(self) -> str:
        return self.state["seal"]

    def dev(self) -> list[AlignItem]:
        """`DrrError` where the files are not those that were sealed."""
        shown, labels = self.folder / "split.json", self.folder / "dev.jsonl"
        if not (shown.is_file() and labels.is_file()):
            raise DrrError(f"{self.folder}: split.json or dev.jsonl is missing; put it back, or begin anew")
        found = _taken(self.task, read_align_labels(labels))
        with reading(str(shown)):
            document = json.loads(read_within(shown, DOCUMENT))
        if labels_hash(found) != self.state["dev"]["labels"] or document != _shown(self.state):
            raise DrrError(
                f"{self.folder}: split.json or dev.jsonl is not what was sealed; put it back, or begin anew in another study"
            )
        return found

    def test(self, file: Path | None) -> list[AlignItem]:
        """Read the test half from the file of labels: `Misuse` where it differs from what was sealed."""
        path = Path(self.state["labels"]) if file is None else file
        if not path.is_file():
            raise Misuse(f"{path}: the labels are not there any more; say with --labels where they are")
        wanted = set(self.state["test"]["items"])
        found = [item for item in _taken(self.task, read_align_labels(path)) if item.id in wanted]
        if labels_hash(found) != self.state["test"]["labels"]:
            raise Misuse(f"{path}: what it says of the test half is not what was sealed")
        return found

    def versions(self) -> list[PromptVersion]:
        found: list[PromptVersion] = []
        while (folder := self.folder / f"v{len(found) + 1}").is_dir():
            found.append(PromptVersion(len(found) + 1, folder, self._hash(folder)))
        if not found:
            raise DrrError(f"{self.folder}: v1 is missing; put it back, or begin anew in another study")
        return found

    def version(self, number: int | None) -> PromptVersion:
        known = self.versions()
        if number is None:
            return known[-1]
        if not 1 <= number <= len(known):
            raise Misuse(f"version {number}: there are v1 to v{len(known)}")
        return known[number - 1]

    def check_unchanged(self, version: PromptVersion) -> None:
        """A version that was read stands as it was: its figures are of that text."""
        if any(run["hash"] != version.hash for run in self.state["runs"] if run["version"] == version.number):
            raise Misuse(
                f"{version.folder}: changed after it was run; put it back, and open the next version with"
                f" `drr judges align edit {self.study.folder} --task {self.task.name}`"
            )

    def check_new(self, version: PromptVersion) -> None:
        """Refuse a version of the same texts. It would find the same, read the test half again, and count as one that brought nothing."""
        same = [
            run["version"]
            for run in self.state["runs"]
            if run["hash"] == version.hash and run["version"] != version.number
        ]
        if same:
            files = ", ".join(f"{name}.md" for name in self.task.prompts)
            raise Misuse(
                f"{version.folder}: v{version.number} has the texts of v{same[0]}, which was run; change {files} first"
            )

    def was_run(self, version: PromptVersion) -> bool:
        return any(run["version"] == version.number for run in self.state["runs"])

    def open_next(self, texts: Mapping[str, str], made_by: str) -> PromptVersion:
        """Open a version with these prompts in place of those of the version before. One that nobody ran is written over."""
        last = self.versions()[-1]
        number = last.number + self.was_run(last)
        folder = self.folder / f"v{number}"
        folder.mkdir(exist_ok=True)
        for name in self.task.prompts:
            text = texts.get(name) or read_file(last.folder / f"{name}.md").decode()
            write_file(folder / f"{name}.md", text)
        self.state["made"][str(number)] = made_by
        self.keep()
        return self.version(number)

    def record(self, run: Run) -> None:
        """Record one reading of a version by a judge. A dev half that was judged further takes the place of what it was."""
        same = [
            one
            for one in self.state["runs"]
            if (one["version"], one["judge"], one["half"]) == (run["version"], run["judge"], run["half"])
        ]
        kept = [one for one in self.state["runs"] if one not in same]
        self.state["runs"] = sorted([*kept, run], key=lambda one: (one["version"], one["half"], one["judge"]))
        self.keep()

    def on_dev(self, judge: str | None = None) -> list[Run]:
        """List the readings of one judge, the last one who read where nobody is named. Figures of two are not compared."""
        runs = [run for run in self.state["runs"] if run["half"] == "dev"]
        name = judge or max(runs, key=lambda run: run["at"])["judge"] if runs else judge
        return [run for run in runs if run["judge"] == name]

    def on_test(self) -> list[Run]:
        return [run for run in self.state["runs"] if run["half"] == "test"]

    @property
    def ended(self) -> str | None:
        return ending(self.on_dev(), self.state["target"])

    def row(self) -> AlignmentRow:
        return {
            "task": self.task.name,
            "seal": self.seal,
            "target": self.state["target"],
            "range": list(self.task.ends),
            "dev": len(self.state["dev"]["items"]),
            "test": len(self.state["test"]["items"]),
            "test_read": len(self.on_test()),
            "ended": self.ended,
            "runs": [
                {
                    "version": run["version"],
                    "hash": run["hash"],
                    "judge": run["judge"],
                    "half": run["half"],
                    "made_by": self.state["made"].get(str(run["version"]), "?"),
                    "items": run["items"],
                    "mad": run["figures"]["mad"],
                    "mad_of_range": run["figures"]["mad_of_range"],
                    "bias": run["figures"]["bias"],
                    "pca": run["figures"]["pca"],
                    "pca_chance": run["figures"]["pca"]["chance"],
                    "rank": run["figures"]["rank"],
                    "rank_chance": run["figures"]["rank"]["chance"],
                }
                for run in self.state["runs"]
            ],
        }

    def keep(self) -> None:
        self.study.ledger.set_meta(f"{_META}{self.task.name}", json.dumps(self.state, sort_keys=True))

    def _hash(self, folder: Path) -> str:
        try:
            texts = {name: read_file(folder / f"{name}.md").decode() for name in self.task.prompts}
        except (OSError, UnicodeDecodeError) as error:
            raise DrrError(f"{folder}: a prompt cannot be read ({error}); put it back") from error
        return sha256(canonical_json(texts).encode()).hexdigest()[:12]


def items_to_split(task: AlignedTask, labels: Path) -> list[AlignItem]:
    """`Misuse` for labels that are none of this task, or too few for two halves."""
    labels_read = read_align_labels(labels)
    try:
        items = _taken(task, labels_read)
    except Misuse as error:
        raise Misuse(f"{labels}: {error}") from error
    if len({item.query for item in items}) < 2:
        raise Misuse(
            f"{labels}: labels of {task.name} for two questions or more are needed, for dev and for test"
        )
    return items


def new_alignment(
    study: Study, task: AlignedTask, labels: Path, how: NewAlignment, prompts: Prompts
) -> JudgeAlignment:
    """Split, sealed, with the prompts of today as the first version."""
    if study.ledger.meta(f"{_META}{task.name}") is not None:
        raise Misuse(
            f"{study.folder}: {task.name} is split already, once and for all; `drr judges align status {study.folder}` tells"
        )
    items = items_to_split(task, labels)
    halves = split(items, how["seed"], how["dev_share"])
    rows = [HalfRow(items=[one.id for one in half], labels=labels_hash(half)) for half in halves]
    state = AlignmentState(
        schema=1,
        task=task.name,
        seed=how["seed"],
        target=task.target if how["target"] is None else how["target"],
        labels=str(labels.resolve()),
        dev=rows[0],
        test=rows[1],
        seal="",
        made={"1": "the box"},
        runs=[],
    )
    sealed = {name: state[name] for name in ("task", "seed", "dev", "test")}
    state["seal"] = sha256(canonical_json(sealed).encode()).hexdigest()
    made = JudgeAlignment(study, task, state)
    first = made.folder / "v1"
    first.mkdir(parents=True, exist_ok=True)
    for name in task.prompts:
        write_file(first / f"{name}.md", prompts[name].written)
    lines = [label.model_dump_json(exclude_none=True) for item in halves.dev for label in item.labels]
    write_file(made.folder / "dev.jsonl", "".join(f"{line}\n" for line in lines))
    write_file(made.folder / "split.json", json.dumps(_shown(state), indent=1, sort_keys=True) + "\n")
    made.keep()
    return made


def alignments(study: Study) -> list[JudgeAlignment]:
    """List those that were begun in this study."""
    found = []
    for name, task in ALIGNED.items():
        text = study.ledger.meta(f"{_META}{name}")
        if text is not None:
            with reading(f"{study.folder}, its alignment of {name}"):
                state: AlignmentState = json.loads(text)
                found.append(JudgeAlignment(study, task, state))
    return found


def alignment_of(study: Study, task: str | None) -> JudgeAlignment:
    """The one of this task; without a name the only one there is."""
    known = {one.task.name: one for one in alignments(study)}
    if task is None and len(known) == 1:
        return next(iter(known.values()))
    if task is None and known:
        raise Misuse(f"{study.folder}: which one? --task {' or --task '.join(known)}")
    if task is None or task not in known:
        raise Misuse(
            f"{study.folder}: nothing is aligned here yet{f' for {task}' if task else ''};"
            f" `drr judges align new {study.folder} --labels FILE --task {task or 'quality'}` begins"
        )
    return known[task]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _taken(task: AlignedTask, labels: Iterable[AlignLabel]) -> list[AlignItem]:
    return items_of((label, parts) for label in labels if (parts := task.take(label)) is not None)


def _shown(state: AlignmentState) -> Mapping[str, object]:
    """Choose what lies beside the versions for people to read; of the test half only what is in it."""
    halves: Mapping[str, Sequence[str]] = {name: state[name]["items"] for name in ("dev", "test")}
    return {"task": state["task"], "seed": state["seed"], "seal": state["seal"], **halves}
