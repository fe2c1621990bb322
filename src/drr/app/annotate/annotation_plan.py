"""Plans annotation: the pairs that people judge, and each annotator's order and sides. A plan is drawn and written once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random, SystemRandom
from secrets import token_hex
from typing import Literal

from drr.app.pages.serve import new_token
from drr.env.errors import DrrError
from drr.env.files import check_unlinked, make_folder, owner_only_mode, read_file, write_file
from drr.env.small_files import DOCUMENT
from drr.eval.labels import DIMENSIONS, Sample, pair_id
from pydantic import BaseModel, Field


class BlindReport(BaseModel):
    """An answer that can become part of a pair."""

    query_id: str
    query: str
    profile: str
    system: str
    trial: int
    text: str


class ShownCriterion(BaseModel):
    id: str
    """Hash of the criterion, which changes with any change of its text."""
    dimension: str
    text: str
    explanation: str


class BlindPair(BaseModel):
    """Two answers to compare; with `criteria`, a single answer (`answer_a`) to score under each criterion."""

    id: str
    """Random name, so that annotators, whose pages contain it, cannot infer the systems."""
    query_id: str
    query: str
    profile: str
    trial: int
    system_a: str
    system_b: str
    answer_a: str
    answer_b: str
    criteria: list[ShownCriterion] = []

    @property
    def label_id(self) -> str:
        """Return the id that labels of the two answers have."""
        return pair_id(self.query_id, self.system_a, self.system_b, self.trial)


class Turn(BaseModel):
    """A pair as shown to one annotator: which answer is on the left."""

    pair: str
    shown_first: Literal["a", "b"]


NAME = r"^[\w-]{1,80}$"


class Annotator(BaseModel):
    name: str = Field(pattern=NAME)
    """Name of the annotator, which is part of file names."""
    token: str
    turns: list[Turn]
    sheet: str
    """Random name of the annotator's list of turns, as marks are only valid for this list. Random because the page shows it."""


class AnnotationPlan(BaseModel):
    seed: int
    sample: Sample | None = None
    """Random draw of the pairs; `None` where pairs are spread evenly, which is not a random sample."""
    dimensions: list[str]
    owner_token: str
    pairs: list[BlindPair]
    annotators: list[Annotator]
    both_bad: bool = True
    """True where people may call both answers of a pair bad."""
    port: int | None = Field(None, ge=1, le=65535)
    """Port of the plan's last server; browsers keep unsent marks under that address."""

    def annotator(self, token: str) -> Annotator | None:
        return next((person for person in self.annotators if person.token == token), None)

    def renew(self) -> None:
        """Replace the secret tokens by new tokens and forget the port."""
        self.owner_token, self.port = new_token(), None
        for person in self.annotators:
            person.token = new_token()

    def asked(self, pair_id: str) -> list[str]:
        """Return the ids of the questions on a pair: the dimensions, or the criteria of the pair."""
        pair = self.pair(pair_id)
        return [one.id for one in pair.criteria] if pair and pair.criteria else self.dimensions

    def pair(self, pair_id: str) -> BlindPair | None:
        return next((pair for pair in self.pairs if pair.id == pair_id), None)


def make_plan(
    reports: Sequence[BlindReport],
    *,
    annotators: Sequence[str],
    pairs: int,
    seed: int,
    by_lot: bool = False,
    both_bad: bool = True,
) -> AnnotationPlan:
    """Return a plan with pairs spread evenly over systems and queries, or drawn at random.

    The seed decides the pairs; order and sides are secret, because anybody could guess a seed and run this code.
    """
    candidates = _candidates(reports)
    if not candidates:
        raise DrrError(
            "no query has answers by two systems; run another variant, or import reports of another system"
        )
    every = [pair for _, pairs_of in sorted(candidates.items()) for pair in pairs_of]
    drawn = Sample(seed=seed, drawn=min(pairs, len(every)), population=len(every)) if by_lot else None
    chosen = _spread(candidates, pairs, seed) if drawn is None else Random(seed).sample(every, drawn.drawn)
    plan = _plan(chosen, drawn, annotators, seed)
    return plan.model_copy(update={"dimensions": list(DIMENSIONS), "both_bad": both_bad})


def make_criteria_plan(
    reports: Sequence[BlindPair], *, annotators: Sequence[str], count: int, seed: int
) -> AnnotationPlan:
    """Return a plan with randomly drawn reports, each to be scored under its criteria."""
    if not reports:
        raise DrrError("no report has criteria of a person")
    drawn = Sample(seed=seed, drawn=min(count, len(reports)), population=len(reports))
    return _plan(Random(seed).sample(list(reports), drawn.drawn), drawn, annotators, seed)


def _plan(
    chosen: list[BlindPair], drawn: Sample | None, annotators: Sequence[str], seed: int
) -> AnnotationPlan:
    secret, owner_token, people = SystemRandom(), new_token(), []
    for name in annotators:
        own = secret.sample(chosen, len(chosen))
        turns = [Turn(pair=pair.id, shown_first=secret.choice(("a", "b"))) for pair in own]
        people.append(Annotator(name=name, token=new_token(), turns=turns, sheet=token_hex(8)))
    return AnnotationPlan(
        seed=seed, sample=drawn, dimensions=[], owner_token=owner_token, pairs=chosen, annotators=people
    )


def _candidates(reports: Sequence[BlindReport]) -> dict[tuple[str, str], list[BlindPair]]:
    by_place: dict[tuple[str, int], dict[str, BlindReport]] = defaultdict(dict)
    for report in reports:
        by_place[report.query_id, report.trial][report.system] = report
    found: dict[tuple[str, str], list[BlindPair]] = defaultdict(list)
    for (query_id, trial), answers in sorted(by_place.items()):
        for a, b in combinations(sorted(answers), 2):
            one, other = answers[a], answers[b]
            found[a, b].append(
                BlindPair(
                    id=f"p-{token_hex(8)}",
                    query_id=query_id,
                    query=one.query,
                    profile=one.profile,
                    trial=trial,
                    system_a=a,
                    system_b=b,
                    answer_a=one.text,
                    answer_b=other.text,
                )
            )
    return found


def _spread(candidates: dict[tuple[str, str], list[BlindPair]], count: int, seed: int) -> list[BlindPair]:
    rng = Random(seed)
    queues = [rng.sample(pairs, len(pairs)) for _, pairs in sorted(candidates.items())]
    used: dict[str, int] = defaultdict(int)
    chosen: list[BlindPair] = []
    while len(chosen) < count and any(queues):
        for queue in queues:
            if queue and len(chosen) < count:
                best = min(range(len(queue)), key=lambda i: used[queue[i].query])
                pair = queue.pop(best)
                used[pair.query] += 1
                chosen.append(pair)
    return chosen


def load(folder: Path) -> AnnotationPlan | None:
    """Return the plan stored in the folder, or `None`."""
    path = folder / "plan.json"
    if not path.exists():
        return None
    check_unlinked(folder, *(file.name for file in folder.iterdir()))
    try:
        plan = AnnotationPlan.model_validate_json(read_file(path, DOCUMENT))
    except (OSError, ValueError) as error:
        reasons = str(error).splitlines()[:3]
        raise DrrError(
            f"{path}: not an annotation plan ({' '.join(reasons)}); move it away to start anew"
        ) from error
    if len({person.name for person in plan.annotators}) < len(plan.annotators) or not plan.annotators:
        raise DrrError(
            f"{path}: not an annotation plan (annotators have one name each); move it away to start anew"
        )
    return plan


def save(plan: AnnotationPlan, folder: Path) -> None:
    """Write the plan into the folder, readable by its owner only. The plan contains the tokens and the systems' names."""
    make_folder(folder, owner_only_mode(0o777))
    write_file(folder / "plan.json", plan.model_dump_json(indent=1), 0o600)
