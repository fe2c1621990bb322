"""Checks tasks on disk by code: form, sizes, facts at their places, question and checklist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from drr.citations.files import file_place
from drr.env.drawer.form import FileProblem
from drr.env.errors import DrrError
from drr.env.text import folded_text, tokens
from drr.papers.dr3.form import DRAWER, MANIFEST
from drr.papers.dr3.making.manifest import TaskSetManifest, read_manifest, set_hash, task_hash
from drr.papers.dr3.making.ranking import (
    COUNTER,
    GUIDANCE_TOP,
    TOP,
    PageRanking,
    contains_value,
    states_term,
    token_count,
)
from drr.papers.dr3.making.task_files import StoredTask, document_of
from drr.papers.dr3.truth import TaskFact, read_truth


class Objection(NamedTuple):
    text: str
    of_question: bool = False
    """True if another wording of the question may pass."""


def guidance(task: StoredTask) -> Iterator[Objection]:
    """Check implicit guidance: the question leads to the needed pages at every size, but states no search term."""
    signals = [one.term for one in task.truth.terms if one.role == "signal"]
    for term in signals:
        if states_term(task.question.query, term):
            yield Objection(f"the question says the search term {term!r}", of_question=True)
    urls = {page.url for page in task.supportive}
    for name, size in task.sizes.sizes.items():
        ranking = PageRanking(sorted(task.pages[: size.pages], key=lambda page: page.url))
        if urls and not urls & set(ranking.best(task.question.query, GUIDANCE_TOP)):
            yield Objection(
                f"{name}: the question's own words find no supportive page among the first {GUIDANCE_TOP}",
                of_question=True,
            )
        found = {url for term in signals for url in ranking.best(term, TOP)}
        for url in sorted(urls - found):
            yield Objection(f"{name}: no signal term leads to {url} among the first {TOP}")


def necessity(task: StoredTask) -> Iterator[Objection]:
    """Check synthesis necessity: every file and every supportive page states a fact that no other document states.

    Every fact must stand in a file or a supportive page, and a page must state it in the words recorded. No document may state its
    value that is not among its places."""
    documents = task.documents()
    standing = {*task.question.files, *(page.url for page in task.supportive)}
    for fact in task.truth.facts:
        if not any(document_of(place.address) in standing for place in fact.places):
            yield Objection(f"fact {fact.id}: stands in no file and no supportive page")
    for name in sorted(standing):
        own = {fact.id for fact in documents.get(name, ())}
        others = {fact.id for other, facts in documents.items() if other != name for fact in facts}
        if not own - others:
            yield Objection(f"{name}: can be left out, as every fact that stands there stands elsewhere too")
    pages = {page.url: page.text for page in task.pages}
    for fact in task.truth.facts:
        names = {document_of(place.address) for place in fact.places}
        for place in fact.places if fact.source == "page" else ():
            name = document_of(place.address)
            quote = place.quote or ""
            folded = folded_text(quote)
            stated_there = contains_value(fact.value, folded) and folded_text(fact.subject) in folded
            if not quote or quote not in pages.get(name, "") or not stated_there:
                stated = f"{fact.value!r} of {fact.subject!r} in the words recorded"
                yield Objection(f"fact {fact.id}: {name} does not say {stated}")
        for name in sorted(task.texts):
            if name not in names and contains_value(fact.value, task.texts[name]):
                yield Objection(f"fact {fact.id}: {name} says {fact.value!r} too")


def novelty(task: StoredTask) -> Iterator[Objection]:
    """Check insight novelty: neither the question nor another page states a required fact."""
    question = folded_text(task.question.query)
    for fact in task.truth.facts:
        if contains_value(fact.value, question):
            yield Objection(f"fact {fact.id}: the question says {fact.value!r}", of_question=True)
        own = {document_of(place.address) for place in fact.places}
        subject = folded_text(fact.subject)
        for url, text in task.folded.items():
            if url not in own and subject in text and contains_value(fact.value, text):
                yield Objection(f"fact {fact.id}: {url} says {fact.value!r} of {fact.subject!r} too")


def unambiguity(task: StoredTask) -> Iterator[Objection]:
    """Check interpretative unambiguity: the question names the subject of each file, and no attribute has two values."""
    asked = set(tokens(task.question.query))
    first_of: dict[tuple[str, str], TaskFact] = {}
    for fact in task.truth.facts:
        first = first_of.setdefault((folded_text(fact.subject), folded_text(fact.attribute)), fact)
        if first.value != fact.value:
            text = f"{fact.attribute!r} of {fact.subject!r} is {first.value!r} and {fact.value!r}"
            yield Objection(f"facts {first.id} and {fact.id}: {text}")
        for place in fact.places:
            if missing := [word for word in tokens(place.names or "") if word not in asked]:
                text = f"the question does not call it {place.names!r} ({missing[0]!r} is missing)"
                yield Objection(f"fact {fact.id}: {text}", of_question=True)


FILTERS: dict[str, Callable[[StoredTask], Iterator[Objection]]] = {
    "guidance": guidance,
    "necessity": necessity,
    "novelty": novelty,
    "unambiguity": unambiguity,
}


NEAR = 0.02
"""Greatest allowed distance of a corpus from its size, as a share of the size."""
WORDS, POINTS = (50, 100), (8, 15)
"""Limits, least and most: the words of a question, and the points of a checklist."""


class FileTaskProblem(NamedTuple):
    task: str
    check: str
    told: str
    of_question: bool = False

    def document(self) -> dict[str, str]:
        return {"task": self.task, "check": self.check, "told": self.told}


def check_tasks(folders: list[Path]) -> Iterator[tuple[str, list[FileTaskProblem]]]:
    """Yield each task's name with its problems. A task that cannot be read has only that problem."""
    manifest = read_manifest(folders[0].parent) if folders else None
    hashes = manifest.hashes if manifest else {}
    yield from _set_problems(folders, manifest)
    for folder in folders:
        name = folder.name
        try:
            found = list(problems_of(StoredTask(folder)))
        except (DrrError, OSError) as error:
            found = [FileTaskProblem(name, "form", str(error).splitlines()[0])]
        if manifest is not None and not found and task_hash(folder) != hashes.get(name):
            known = "is not what its manifest says was written"
            found = [FileTaskProblem(name, "changed", known if name in hashes else "is not in its manifest")]
        yield name, found


def _set_problems(
    folders: list[Path], manifest: TaskSetManifest | None
) -> Iterator[tuple[str, list[FileTaskProblem]]]:
    """Yield problems of the set: a wrong content hash, and tasks of the manifest missing in the folder. Nothing is compared if one task of a larger set is checked alone."""
    if manifest is None or len(folders) == 1 < len(manifest.hashes):
        return
    if manifest.complete and set_hash(manifest.hashes) != manifest.content_hash:
        text = "its content hash is not that of its tasks"
        yield MANIFEST, [FileTaskProblem(MANIFEST, "changed", text)]
    for name in sorted(set(manifest.hashes) - {folder.name for folder in folders}):
        yield name, [FileTaskProblem(name, "missing", "the manifest has it, the folder has not")]


def problems_of(task: StoredTask) -> Iterator[FileTaskProblem]:
    """Yield the problems of a task. The quality filters see only tasks that pass the other checks and were made by this program."""
    sound = True
    for checks in (CHECKS, FILTERS):
        if checks is FILTERS and not (sound and task.is_made):
            return
        for name, check in checks.items():
            for one in check(task):
                sound = False
                yield FileTaskProblem(task.name, name, *one)


def _form(task: StoredTask) -> Iterator[Objection]:
    drawer = task.folder / DRAWER
    lying = {path.name for path in drawer.glob("*")} if drawer.is_dir() else set()
    for name in task.question.files:
        if name not in lying:
            yield Objection(f"{name}: the question has this file, the folder has not")
    for name in sorted(lying - set(task.question.files)):
        yield Objection(f"{name}: lies in {DRAWER}/, and the question has no such file")
    if task.question.task_id != task.truth.task_id:
        yield Objection(f"the question is of task {task.question.task_id}, the truth of {task.truth.task_id}")
    if task.is_made and not 1 <= len(task.question.files) <= 6:
        yield Objection(f"{len(task.question.files)} files; a drawer has one to six")


def _sizes(task: StoredTask) -> Iterator[Objection]:
    """Check the tokens and the hash of every size by counting again."""
    ends = sorted(task.sizes.sizes.items(), key=lambda item: item[1].pages)
    kinds = {page.url: page.kind for page in task.truth.pages}
    urls = [page.url for page in task.pages]
    if len(set(urls)) < len(urls):
        yield Objection(f"the address {Counter(urls).most_common(1)[0][0]} is of two pages")
    for name, size in ends:
        if size.pages > len(task.pages):
            yield Objection(f"{name}: {size.pages} pages, the corpus has {len(task.pages)}")
            continue
        yield from map(Objection, _size_faults(task, name, size.pages, kinds))
        if missing := {page.url for page in task.supportive} - set(urls[: size.pages]):
            yield Objection(f"{name}: lacks the supportive page {min(missing)}")


def _size_faults(task: StoredTask, name: str, end: int, kinds: Mapping[str, str]) -> Iterator[str]:
    truth = task.truth.sizes.get(name)
    if truth is None:
        yield f"{name}: the truth knows no such size"
        return
    tokens = sum(token_count(page.title, page.text) for page in task.pages[:end])
    if task.sizes.counter == COUNTER and tokens != truth.tokens:
        yield f"{name}: holds {tokens:,} tokens, the truth says {truth.tokens:,}"
    if task.is_made and abs(truth.tokens - truth.target) > NEAR * truth.target:
        yield f"{name}: {truth.tokens:,} tokens are not within 2 % of {truth.target:,}"
    counts = Counter(kinds.get(page.url, "noise") for page in task.pages[:end])
    sizes = {kind: number for kind, number in truth.counts.items() if number}
    if dict(counts) != sizes:
        yield f"{name}: holds {dict(sorted(counts.items()))}, the truth says {dict(sorted(sizes.items()))}"
    if sha256(b"".join(task.lines[:end])).hexdigest() != truth.sha256:
        yield f"{name}: its pages are not those that were written"


def _places(task: StoredTask) -> Iterator[Objection]:
    """Check that every fact is stated at its recorded places; in a picture the region must exist."""
    pages = {page.url: page for page in task.pages}
    for fact in task.truth.facts if task.is_made else ():
        if not fact.places:
            yield Objection(f"fact {fact.id}: has no place")
        for place in fact.places:
            if fact.source == "file":
                told = _in_file(task, fact.value, place.address)
            else:
                page = pages.get(place.address)
                stated = page is not None and fact.value in f"{page.title}\n{page.text}"
                told = None if stated else f"{place.address} does not say {fact.value!r}"
            if told is not None:
                yield Objection(f"fact {fact.id}: {told}")


def _in_file(task: StoredTask, value: str, address: str) -> str | None:
    place = file_place(address)
    if place is None or place.name not in task.question.files:
        return f"{address} is in no file of the drawer"
    try:
        content = task.drawer.content(place.name)
    except FileProblem as problem:
        return problem.message
    if content.picture is not None:
        box = place.box
        outside = (
            box is None or box.right > content.picture["width"] or box.bottom > content.picture["height"]
        )
        return f"{address} is no region of the picture" if outside else None
    stated = value in " ".join((content.at(place) or "").split())
    return None if stated else f"{address} does not say {value!r}"


def _question(task: StoredTask) -> Iterator[Objection]:
    text, (least, most) = task.question.query, WORDS
    if not task.is_made:
        return
    if not least <= len(text.split()) <= most:
        yield Objection(f"{len(text.split())} words; a question has {least} to {most}", of_question=True)
    for name in task.question.files:
        if name not in text:
            yield Objection(f"the question does not name {name}", of_question=True)


def _checklist(task: StoredTask) -> Iterator[Objection]:
    count, (least, most) = len(task.truth.checklist), POINTS
    if task.is_made and not least <= count <= most:
        yield Objection(f"{count} points; a checklist has {least} to {most}")


def is_unconfirmed(folder: Path) -> bool:
    """Tell whether the kind of any of a task's pages was proposed by a model and confirmed by no person."""
    try:
        return bool(read_truth(folder).open_proposals())
    except DrrError:
        return False  # `check` says of it what it is


def _kinds(task: StoredTask) -> Iterator[Objection]:
    """Object to pages whose proposed kind a person refuted."""
    for url, action in task.truth.judged_pages().items():
        if action == "refute":
            yield Objection(f"{url}: is not what it was proposed as, a reviewer says")


CHECKS: dict[str, Callable[[StoredTask], Iterator[Objection]]] = {
    "form": _form,
    "sizes": _sizes,
    "places": _places,
    "question": _question,
    "checklist": _checklist,
    "kinds": _kinds,
}
"""Checks of a task by itself, by name; the quality filters follow them."""
