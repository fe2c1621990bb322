"""Reviewers' marks on verdicts and rule findings: right or wrong.

A mark applies to what the page showed, and counts as long as the judging run says the same of the same claim. Another verdict needs
a mark of its own. Reviewers see the verdict and choose what they mark, so marks are no random sample of labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, TypedDict

from drr.env.errors import DrrError
from drr.env.files import check_unlinked, read_file, short_name
from drr.env.jsonl import row_of
from drr.eval.stats.faithfulness import Support
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field, model_validator

SCHEMA = 1
FOLDER = "review"
"""Folder of the study with one file for each reviewer."""
MARKABLE: tuple[Support, ...] = ("full", "partial", "none")
"""Verdicts that can be right or wrong. An unreadable source has no such verdict."""
ReviewerName = Annotated[str, Field(pattern=r"^[\w-]{1,80}$")]
"""Name of a reviewer, which is also part of file names."""


class ReviewMark(BaseModel):
    """A reviewer's mark on one verdict or rule finding. `says` = `None` takes back the reviewer's last mark on the same thing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: int = SCHEMA
    reviewer: ReviewerName
    answer: str = Field(max_length=200)
    """Name of the answer's page."""
    of: Literal["verdict", "rule"]
    name: str = Field(max_length=200)
    """The item of the verdict (claim id and type of source), or the name of the rule."""
    claim: str | None = None
    judge: str | None = None
    """Judge of the verdict; `None` for a rule."""
    shown: str = Field(max_length=200)
    """The status that the page showed."""
    says: Literal["right", "wrong"] | None
    should: Support | None = None
    """The right verdict in place of a wrong one, where the reviewer gave it."""
    at: float | None = Field(None, allow_inf_nan=False)
    """Time in ms, by the reviewer's own clock."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> ReviewMark:
        if self.should is not None and (
            self.says != "wrong" or self.of == "rule" or self.should == self.shown
        ):
            raise ValueError("only a wrong verdict should be another")
        return self

    @property
    def place(self) -> tuple[str, str, str, str, str | None, str | None]:
        """Return what identifies the marked thing and its reviewer. Of several marks with the same place, the last counts."""
        return self.reviewer, self.answer, self.of, self.name, self.judge, self.claim

    @property
    def label(self) -> Support | None:
        """Return the verdict that the reviewer holds for right; `None` where the reviewer said only that it is wrong."""
        if self.says == "wrong":
            return self.should
        return next((one for one in MARKABLE if one == self.shown), None)


class ReviewerRow(TypedDict):
    right: int
    wrong: int


class MarksRow(TypedDict):
    """The counts of reviewers' marks on one judging run, as it stands now."""

    verdicts: dict[str, ReviewerRow]
    rules: dict[str, ReviewerRow]
    by_rule: dict[str, ReviewerRow]
    elsewhere: int
    """Marks on another judge's verdicts, or on verdicts that have changed since."""


def read_marks(study: Study) -> list[ReviewMark]:
    """Read the last mark of each reviewer on each thing, without those taken back, reviewer by reviewer."""
    last = {mark.place: mark for mark in _lines(study)}
    return [mark for mark in last.values() if mark.says is not None]


def _lines(study: Study) -> Iterator[ReviewMark]:
    folder = study.folder / FOLDER
    check_unlinked(study.folder, FOLDER)
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        try:
            text = read_file(path).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise DrrError(f"{path}: cannot be read ({error}); move it away") from error
        # What stands behind the last line feed was torn by a crash, and is no mark.
        for number, line in enumerate(text.split("\n")[:-1], 1):
            yield row_of(f"{path}, line {number}", line, ReviewMark, SCHEMA, "a mark")


def marks_still_valid(judged: Judged, marks: Iterable[ReviewMark]) -> list[tuple[str, ReviewMark]]:
    """Return the marks whose verdict or finding is unchanged, each with the full key of its answer."""
    keys = {short_name(answer.key): answer.key for answer in judged.answers}
    found = [(keys[mark.answer], mark) for mark in marks if mark.answer in keys]
    return [(key, mark) for key, mark in found if _holds(judged, key, mark)]


def _holds(judged: Judged, key: str, mark: ReviewMark) -> bool:
    """Tell whether what the reviewer saw still stands. A mark on another verdict or claim says nothing of this one."""
    if mark.of == "rule":
        rule = judged.rules.get(key, {}).get(mark.name)
        return rule is not None and rule["status"] == mark.shown
    verdict = judged.support.get(key, {}).get(mark.name) or judged.joint.get(key, {}).get(mark.name)
    if verdict is None or judged.judging is None or judged.judging.judge != mark.judge:
        return False
    found = judged.checked_claims(judged.by_key[key])
    texts = {claim["id"]: claim["text"] for claim in (found and found.claims) or ()}
    return verdict["status"] == mark.shown and texts.get(verdict["claim_id"]) == mark.claim


def marks_row(judged: Judged, marks: Sequence[ReviewMark]) -> MarksRow:
    counted = [mark for _, mark in marks_still_valid(judged, marks)]
    verdicts = [(mark.reviewer, mark) for mark in counted if mark.of == "verdict"]
    rules = [mark for mark in counted if mark.of == "rule"]
    return {
        "verdicts": _tally(verdicts),
        "rules": _tally((mark.reviewer, mark) for mark in rules),
        "by_rule": _tally((mark.name, mark) for mark in rules),
        "elsewhere": len(marks) - len(counted),
    }


def _tally(marks: Iterable[tuple[str, ReviewMark]]) -> dict[str, ReviewerRow]:
    counts = Counter((name, mark.says) for name, mark in marks)
    names = sorted({name for name, _ in counts})
    return {name: {"right": counts[name, "right"], "wrong": counts[name, "wrong"]} for name in names}
