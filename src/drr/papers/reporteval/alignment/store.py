"""Stores an alignment in a study: the sealed split, the versions of the prompt as files, and each result.

The labels of the test half are copied nowhere: they stay in the file of labels, and the seal detects changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypedDict

from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file, write_file
from drr.env.small_files import DOCUMENT, read_within
from drr.eval.labels import read_align_labels
from drr.eval.metrics.rows import AlignmentRow, AlignmentRun
from drr.llm.prompts import Prompts
from drr.papers.reporteval import ALIGNMENTS
from drr.papers.reporteval.alignment.figures import Run, reason_to_end
from drr.papers.reporteval.alignment.tasks import (
    ALIGNED,
    AlignedTask,
    AlignItem,
    items_of,
    labels_hash,
    split_dev_test,
)
from drr.study.form import naming_errors
from drr.study.study import Study
from drr.study.unit import canonical_json

FOLDER = "align"


class HalfRow(TypedDict):
    items: list[str]
    labels: str
    """Hash of the experts' labels."""


class AlignmentState(TypedDict):
    schema: int
    task: str
    seed: int
    target: float
    labels: str
    """Path of the file of labels."""
    dev: HalfRow
    test: HalfRow
    seal: str
    made: dict[str, str]
    """Author of each version."""
    runs: list[Run]


class PromptVersion(NamedTuple):
    number: int
    folder: Path
    """Folder to give to `--prompts`."""
    hash: str


class JudgeAlignment:
    """The alignment of one judging task in one study."""

    def __init__(self, study: Study, task: AlignedTask, state: AlignmentState) -> None:
        self.study, self.task, self.state = study, task, state
        self.folder = study.folder / FOLDER / task.name

    def dev(self) -> list[AlignItem]:
        """Return the items of the dev half; raise `DrrError` if the files changed since they were sealed."""
        shown, labels = self.folder / "split.json", self.folder / "dev.jsonl"
        again = "put it back, or begin anew in another study"
        if not (shown.is_file() and labels.is_file()):
            raise DrrError(f"{self.folder}: split.json or dev.jsonl is missing; {again}")
        found = _read_items(self.task, labels)
        with naming_errors(str(shown)):
            document = json.loads(read_within(shown, DOCUMENT))
        if labels_hash(found) != self.state["dev"]["labels"] or document != _split_document(self.state):
            raise DrrError(f"{self.folder}: split.json or dev.jsonl is not what was sealed; {again}")
        return found

    def test(self, file: Path | None) -> list[AlignItem]:
        """Return the items of the test half from the file of labels. Raise `Misuse` if they differ from what was sealed."""
        path = Path(self.state["labels"]) if file is None else file
        if not path.is_file():
            raise Misuse(f"{path}: the labels are not there any more; say with --labels where they are")
        wanted = set(self.state["test"]["items"])
        found = [item for item in _read_items(self.task, path) if item.id in wanted]
        if labels_hash(found) != self.state["test"]["labels"]:
            raise Misuse(f"{path}: what it says of the test half is not what was sealed")
        return found

    def versions(self) -> list[PromptVersion]:
        found: list[PromptVersion] = []
        while (folder := self.folder / f"v{len(found) + 1}").is_dir():
            try:
                texts = {name: read_file(folder / f"{name}.md").decode() for name in self.task.prompts}
            except (OSError, UnicodeDecodeError) as error:
                raise DrrError(f"{folder}: a prompt cannot be read ({error}); put it back") from error
            hashed = sha256(canonical_json(texts).encode()).hexdigest()[:12]
            found.append(PromptVersion(len(found) + 1, folder, hashed))
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

    def check(self, version: PromptVersion) -> None:
        """Raise `Misuse` for a version that changed after it was run, or that has the texts of another one."""
        runs = [(run["version"], run["hash"]) for run in self.state["runs"]]
        if any(number == version.number and text != version.hash for number, text in runs):
            raise Misuse(
                f"{version.folder}: changed after it was run; put it back, and open the next version with"
                f" `drr judges align edit {self.study.folder} --task {self.task.name}`"
            )
        if other := [number for number, text in runs if text == version.hash and number != version.number]:
            files = ", ".join(f"{name}.md" for name in self.task.prompts)
            raise Misuse(
                f"{version.folder}: v{version.number} has the texts of v{other[0]}, which was run; change {files} first"
            )

    def was_run(self, version: PromptVersion) -> bool:
        return any(run["version"] == version.number for run in self.state["runs"])

    def open_next(self) -> PromptVersion:
        """Create a version with the prompts of the last one, and return it. If the last one was not run, it is returned."""
        last = self.versions()[-1]
        if self.was_run(last):
            number = last.number + 1
            self.write(
                number,
                {one: read_file(last.folder / f"{one}.md").decode() for one in self.task.prompts},
                "by hand",
            )
        return self.version(None)

    def write(self, number: int, prompts: Mapping[str, str], made_by: str) -> None:
        folder = self.folder / f"v{number}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in prompts.items():
            write_file(folder / f"{name}.md", text)
        self.state["made"][str(number)] = made_by
        self.keep()

    def record(self, run: Run) -> None:
        """Store the result of a version, half and judge. It replaces an earlier result of the same three."""
        runs = {(one["version"], one["half"], one["judge"]): one for one in [*self.state["runs"], run]}
        self.state["runs"] = [runs[key] for key in sorted(runs)]
        self.keep()

    def on_dev(self, judge: str | None = None) -> list[Run]:
        """Return the results of one judge on dev; without a name, of the judge who ran last. Results of two judges are not compared."""
        runs = [run for run in self.state["runs"] if run["half"] == "dev"]
        last = max(runs, key=lambda run: run["at"], default=None)
        return [run for run in runs if run["judge"] == (judge or (last and last["judge"]))]

    def on_test(self) -> list[Run]:
        return [run for run in self.state["runs"] if run["half"] == "test"]

    @property
    def ended(self) -> str | None:
        return reason_to_end(self.on_dev(), self.state["target"])

    def row(self) -> AlignmentRow:
        state = self.state
        return {
            "task": self.task.name, "seal": state["seal"], "target": state["target"], "range": list(self.task.ends),
            "dev": len(state["dev"]["items"]), "test": len(state["test"]["items"]), "test_read": len(self.on_test()),
            "ended": self.ended, "runs": [self._run_row(run) for run in state["runs"]],
        }  # fmt: skip

    def _run_row(self, run: Run) -> AlignmentRun:
        own, made_by = run["figures"], self.prompt_maker(run)
        return {
            "version": run["version"], "hash": run["hash"], "judge": run["judge"], "half": run["half"],
            "made_by": made_by, "items": run["items"], "mad": own["mad"], "mad_of_range": own["mad_of_range"],
            "bias": own["bias"], "pca": own["pca"], "pca_chance": own["pca"]["chance"],
            "rank": own["rank"], "rank_chance": own["rank"]["chance"],
        }  # fmt: skip

    def prompt_maker(self, run: Run) -> str:
        return self.state["made"].get(str(run["version"]), "?")

    def keep(self) -> None:
        self.study.ledger.set_meta(f"{ALIGNMENTS}{self.task.name}", json.dumps(self.state, sort_keys=True))


def items_to_split(task: AlignedTask, labels: Path) -> list[AlignItem]:
    """Return the items of a file of labels; raise `Misuse` if it has fewer than two questions for this task."""
    items, many = _read_items(task, labels), "for two questions or more are needed, for dev and for test"
    if len({item.query for item in items}) < 2:
        raise Misuse(f"{labels}: labels of {task.name} {many}")
    return items


def new_alignment(
    study: Study,
    task: AlignedTask,
    labels: Path,
    prompts: Prompts,
    *,
    seed: int,
    target: float | None,
) -> JudgeAlignment:
    """Begin an alignment: split the labels, seal both halves, and store the present prompts as the first version."""
    if study.ledger.meta(f"{ALIGNMENTS}{task.name}") is not None:
        raise Misuse(
            f"{study.folder}: {task.name} is split already, once and for all; `drr judges align status {study.folder}` tells"
        )
    halves = split_dev_test(items_to_split(task, labels), seed)
    dev, test = (HalfRow(items=[one.id for one in half], labels=labels_hash(half)) for half in halves)
    sealed = {"task": task.name, "seed": seed, "dev": dev, "test": test}
    state: AlignmentState = {
        "schema": 1, "task": task.name, "seed": seed, "labels": str(labels.resolve()), "dev": dev, "test": test,
        "target": task.target if target is None else target, "made": {}, "runs": [],
        "seal": sha256(canonical_json(sealed).encode()).hexdigest(),
    }  # fmt: skip
    made = JudgeAlignment(study, task, state)
    made.folder.mkdir(parents=True, exist_ok=True)
    lines = (label.model_dump_json(exclude_none=True) for item in halves[0] for label in item.labels)
    write_file(made.folder / "dev.jsonl", "".join(f"{line}\n" for line in lines))
    write_file(
        made.folder / "split.json", json.dumps(_split_document(state), indent=1, sort_keys=True) + "\n"
    )
    made.write(1, {name: prompts[name].written for name in task.prompts}, "the box")
    return made


def alignments(study: Study) -> list[JudgeAlignment]:
    """List the alignments begun in a study."""
    found = []
    for name, task in ALIGNED.items():
        if (text := study.ledger.meta(f"{ALIGNMENTS}{name}")) is not None:
            with naming_errors(f"{study.folder}, its alignment of {name}"):
                found.append(JudgeAlignment(study, task, json.loads(text)))
    return found


def alignment_of(study: Study, task: str | None) -> JudgeAlignment:
    """Return the alignment of a task; without a name the only one in the study."""
    known = {one.task.name: one for one in alignments(study)}
    if task is None and len(known) > 1:
        raise Misuse(f"{study.folder}: which one? --task {' or --task '.join(known)}")
    found = known.get(task or next(iter(known), ""))
    if found is None:
        none = f"nothing is aligned here yet{f' for {task}' if task else ''}"
        begins = f"`drr judges align new {study.folder} --labels FILE --task {task or 'quality'}` begins"
        raise Misuse(f"{study.folder}: {none}; {begins}")
    return found


def _read_items(task: AlignedTask, path: Path) -> list[AlignItem]:
    labels = read_align_labels(path)
    try:
        return items_of((label, parts) for label in labels if (parts := task.taken(label)) is not None)
    except Misuse as error:
        raise Misuse(f"{path}: {error}") from error


def _split_document(state: AlignmentState) -> Mapping[str, object]:
    """Return the content of `split.json`, for people to read; of the test half it has only the ids."""
    halves: Mapping[str, Sequence[str]] = {name: state[name]["items"] for name in ("dev", "test")}
    return {"task": state["task"], "seed": state["seed"], "seal": state["seal"], **halves}
