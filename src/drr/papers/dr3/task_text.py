"""The text of a task with files, for a person to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from drr.env.drawer.form import FileProblem
from drr.papers.dr3.form import DRAWER
from drr.papers.dr3.making.task_files import StoredTask
from drr.papers.dr3.truth import KnownPage, StatementChange, TaskTruth
from drr.plugin import plain, screen
from drr.wording.excerpt import excerpt

_WIDE, _CHANGES, _FILE = 100, 6, 1_500
"""Limits: characters of a line, distractors shown one by one, characters shown of a file."""


def asked_text(task: StoredTask) -> str:
    """Return the question and the text of the files; for a picture the path is given."""
    question = task.question
    lines = [f"{task.name}  asked on {question.today}", "", _fill_text(question.query), "", "files"]
    for name in question.files:
        path = task.folder / DRAWER / name
        lines.append(f"  {name:<28} {path.stat().st_size if path.is_file() else 0:>9,} bytes")
    for name in question.files:
        lines += ["", f"{name}:", *(f"  | {line}" for line in _content(task, name))]
    return "\n".join(lines)


def _content(task: StoredTask, name: str) -> list[str]:
    try:
        content = task.drawer.content(name)
    except FileProblem as problem:
        return [problem.message]
    if content.picture is not None:
        return [f"a picture: look at {task.folder / 'files' / name}"]
    text = "\n".join(part.text for part in content.parts())
    cut = text[:_FILE] + ("\n[... cut]" if len(text) > _FILE else "")
    return [plain(line) for line in cut.splitlines() if line.strip()]


def heading(truth: TaskTruth) -> str:
    return f"{truth.intent}  {truth.theme}  {truth.review.status}"


def truth_text(task: StoredTask) -> str:
    """Return the truth as text: facts with places, corpus, terms, answer, checklist."""
    truth, lines = task.truth, [heading(task.truth)]
    for source in ("file", "page"):
        lines += ["", f"facts of {source}s"]
        for fact in truth.facts:
            if fact.source == source:
                lines.append(f"  {fact.id:<4} {fact.text}")
                lines += [f"       {place.address}  {place.quote or ''}".rstrip() for place in fact.places]
    lines += ["", f"corpus ({truth.counter})"]
    for name, size in truth.sizes.items():
        counts = ", ".join(f"{kind} {count}" for kind, count in size.counts.items())
        lines.append(f"  {name:<6} {size.tokens:>9,} tokens of {size.target:,}; {counts}")
    changed = [(page, page.change) for page in truth.pages if page.change is not None]
    for page, change in changed[:_CHANGES]:
        lines += _distractor(task, page, change)
    if (more := len(changed) - _CHANGES) > 0:
        lines.append(f"  ... {more} more distractor{'s' * (more > 1)}; --json has all")
    for role in ("signal", "noise"):
        terms = [f"  {term.term}" for term in truth.terms if term.role == role]
        lines += ["", f"{role} terms", *terms] if terms else []
    if truth.answer:
        lines += ["", "how the facts combine", *map(_fill_text, truth.answer)]
    rows = [
        f"  {one.id:<4} {one.category:<11} {one.decided_by:<6} {one.requirement}" for one in truth.checklist
    ]
    return "\n".join([*lines, "", "checklist", *rows])


def _distractor(task: StoredTask, page: KnownPage, change: StatementChange) -> Iterator[str]:
    after = "left out" if change.after is None else repr(change.after)
    yield f"  distractor ({change.kind}) of {change.fact}: {change.before!r} -> {after}"
    yield f"       {page.url}"
    text = next((one.text for one in task.pages if one.url == page.url), "")
    sentence = next((line for line in text.splitlines() if change.stated and change.stated in line), None)
    if sentence is not None:
        yield f"       {excerpt(sentence.strip(), 240)}"


def _fill_text(text: str) -> str:
    return fill(text, min(_WIDE, screen() or _WIDE), initial_indent="  ", subsequent_indent="    ")
