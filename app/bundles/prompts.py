"""The prompts that units were given, by their hashes: this program's, or those that a bundle shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from itertools import combinations

from drr.agents import brief
from drr.agents.runner import asking_for_form, load_prompts
from drr.app.giving import PERSONS, PersonPlaces, open_giving
from drr.env.errors import Misuse
from drr.env.given import setting_of
from drr.env.settings import Settings
from drr.eval.asking.conversation import box_prompts
from drr.eval.evidence.answers import questions
from drr.eval.tasks.desk import text_id
from drr.llm.prompts import Prompt, Prompts
from drr.study.bundle.parcel import PromptLine
from drr.study.study import Study

_WORDINGS = (
    brief.WITHOUT_REASON,
    brief.WITHOUT_PAGE_WARNING,
    brief.WITHOUT_RECORDS,
    brief.WITHOUT_SHOP,
    brief.WITH_FILES,
    brief.OF_FILES,
    brief.WITH_PROFILE,
)
"""Words that `agents.runner.agent_prompts` may choose."""


def by_hash(prompts: Prompts) -> dict[str, Prompt]:
    """Map the hash of every wording that an agent may be given to the prompt."""
    found, wordings = {}, (*_WORDINGS, asking_for_form(prompts))
    for size in range(len(wordings) + 1):
        for chosen in combinations(wordings, size):
            choices = {name: words for one in chosen for name, words in one.items()}
            worded = prompts.chosen(choices)
            found.update({worded[name].sha256: worded[name] for name in worded.names})
    return found


@cache
def box_texts() -> dict[str, str]:
    """This program's own prompts for agents, by hash."""
    return {digest: prompt.text for digest, prompt in by_hash(load_prompts()).items()}


def given_to(study: Study) -> dict[str, str]:
    """Map the hash of each prompt that an agent of this study was given to the prompt's name."""
    return {
        str(digest): str(name)
        for record in study.records("answer", None, current=False)
        for name, digest in (record.key_fields.get("prompts") or {}).items()
    }


def person_texts(study: Study) -> dict[str, str]:
    """Map the content of each person whom the study keeps to what its agents are told of that person."""
    from drr.app.models import models_of

    if not (study.folder / PERSONS).is_file():
        return {}
    setting, own = setting_of("persona"), Settings()
    giving = open_giving([setting], PersonPlaces(persons=study.folder / PERSONS), own, models_of(own))
    found = dict[str, str]()
    for name in {query.person_id for query in questions(study).values()}:
        with suppress(Misuse):  # of whom the study keeps nothing
            found[giving.key_fields(setting, name)["person"]] = giving.given(setting, name, "").text
    return found


def shown_prompts(study: Study, settings: Settings) -> Iterator[PromptLine]:
    """Yield the prompts of this study: all of agents, and of judges those that are not this program's."""
    from drr.app.models import prompts_of

    known = by_hash(prompts_of(settings, "agents"))
    for digest, name in sorted(given_to(study).items(), key=lambda item: (item[1], item[0])):
        if digest in known:
            yield {"of": "agents", "name": name, "sha256": digest, "text": known[digest].text}
    judges, own = prompts_of(settings, "eval"), box_prompts()
    for name in judges.names:
        if name not in own.names or judges[name].sha256 != own[name].sha256:
            text = judges[name].written
            yield {"of": "judges", "name": name, "sha256": text_id(text), "text": text}


def lacking(study: Study, shown: Iterable[PromptLine]) -> list[str]:
    """List prompts that agents were given and that are neither this program's nor shown."""
    known = box_texts().keys() | {line["sha256"] for line in shown}
    return sorted({name for digest, name in given_to(study).items() if digest not in known})
