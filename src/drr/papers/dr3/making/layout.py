"""The import and export of DR3-Eval's own task layout. Parts that one of the two forms lacks are reported, never made up."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import get_args

from drr.citations.files import file_address
from drr.env.errors import Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.eval.stats.question import grouped
from drr.papers.dr3.form import (
    DRAWER,
    CorpusPage,
    FileQuestion,
    corpus_pages,
    read_question,
    read_sizes,
)
from drr.papers.dr3.making.manifest import WrittenTask, parse_task_sizes
from drr.papers.dr3.making.ranking import COUNTER, counted_sizes
from drr.papers.dr3.making.task_files import document_of
from drr.papers.dr3.truth import (
    Category,
    ChecklistPoint,
    FactPlace,
    KnownPage,
    TaskFact,
    TaskTruth,
    read_truth,
)
from pydantic import ValidationError

_CORPUS = "long_context_sampled_"
_USEFUL, _QUERY, _CHECKLIST = "useful_search.json", "query.jsonl", "checklist.json"
_OF_FILES, _OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
_THEIRS = {_QUERY, _CHECKLIST, _OF_FILES, _OF_PAGES, _USEFUL, f"{_USEFUL}l"}
_NOWHERE = "https://imported.example/"
LOST = "places of facts, kinds of distractors with their changes, search terms"
"""Parts that DR3-Eval's layout has no place for. The day of the question and the dates of pages are written
as extra fields."""


def dr3_folders(folder: Path) -> list[Path]:
    """List the task folders in a folder, or the folder itself if it is a task."""
    if (folder / _QUERY).is_file():
        return [folder]
    found = sorted(one for one in folder.iterdir() if (one / _QUERY).is_file()) if folder.is_dir() else []
    if not found:
        raise Misuse(f"{folder}: holds no task in DR3-Eval's layout (a folder with {_QUERY})")
    return found


def import_task(folder: Path, today: str | None, now: str) -> tuple[WrittenTask, list[str]]:
    """Import a task; return it with notes to report. Its day is `today`, else the recorded day, else `now`."""
    notes: list[str] = []
    query = _query(folder)
    day = today or _day(query.get("today"))
    if day is None:
        notes.append(f"on which day it is asked nobody recorded: taken as {now}; --today gives another")
    pages, ends = _corpora(folder, notes)
    files = {
        path.name: read_file(path)
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.is_symlink() and not path.name.startswith((_CORPUS, "."))
        if path.name not in _THEIRS
    }
    supportive = _supportive(folder, pages, notes)
    facts = tuple(_facts(folder, set(files), supportive))
    stated = grouped((place.address, fact.id) for fact in facts for place in fact.places)
    known = [
        KnownPage(url=page.url, kind="supportive", facts=tuple(stated.get(page.url, ())))
        for page in supportive
    ]
    truths, sizes = counted_sizes(parse_task_sizes(",".join(ends)), ends, pages, known)
    truth = TaskTruth(
        task_id=folder.name,
        intent="other",
        theme="imported",
        seed=0,
        shop_hash="",
        facts=facts,
        pages=tuple(known),
        terms=(),
        checklist=tuple(_checklist_of(folder)),
        sizes=truths,
        counter=COUNTER,
    )
    question = FileQuestion(
        task_id=folder.name, query=query["query"], today=day or now, files=tuple(files), rule_written=False
    )
    return WrittenTask(question=question, files=files, pages=tuple(pages), sizes=sizes, truth=truth), notes


def _json(path: Path) -> object:
    """Read a JSON document, or JSON lines as a list; `None` if the file does not exist."""
    if not path.is_file():
        return None
    try:
        text = read_file(path).decode("utf-8-sig")
        try:
            return json.loads(text)
        except ValueError:
            return [json.loads(row) for row in text.split("\n") if row.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise Misuse(f"{path}: cannot be read as JSON ({error})") from error


def _rows(path: Path, key: str = "") -> Iterator[JsonObject]:
    """Yield the objects of a JSON file: those under `key`, or all."""
    found = _json(path)
    found = found.get(key) if key and isinstance(found, dict) else found
    yield from (row for row in (found if isinstance(found, list) else [found]) if isinstance(row, dict))


def _day(value: object) -> str | None:
    """Return a value as a date in ISO form; `None` if it is none."""
    try:
        return date.fromisoformat(value).isoformat() if isinstance(value, str) else None
    except ValueError:
        return None


def _query(folder: Path) -> JsonObject:
    for row in _rows(folder / _QUERY):
        if isinstance(query := row.get("query"), str) and query.strip():
            return {**row, "query": query.strip()}
    raise Misuse(f"{folder / _QUERY}: holds no line with a query")


def _corpora(folder: Path, notes: list[str]) -> tuple[list[CorpusPage], dict[str, int]]:
    """Return the pages, smallest size first, and each size's number of pages. Sizes are nested here: a larger size keeps
    the pages of a smaller one, even if its file lacks them."""
    paths = {path.stem.removeprefix(_CORPUS): path for path in folder.glob(f"{_CORPUS}*.json")}
    if not paths:
        raise Misuse(f"{folder}: holds no {_CORPUS}*.json")
    try:
        names = list(parse_task_sizes(",".join(paths)))
    except Misuse:
        raise Misuse(
            f"{folder}: the ends of {_CORPUS}*.json are sizes of 4k to 2000k, as in {_CORPUS}64k.json; these are "
            f"{', '.join(sorted(paths))}"
        ) from None
    order: dict[str, CorpusPage] = {}
    ends: dict[str, int] = {}
    empty = 0
    for name in names:
        found = [_page_of(row) for row in _rows(paths[name])]
        here = {page.url: page for page in found if page is not None}
        empty += found.count(None)
        if lost := len(order.keys() - here.keys()):
            notes.append(
                f"{name}: lacks {lost} pages of a smaller size; sizes are nested here, so it has them"
            )
        order = {**order, **here, **order}  # of several versions of a page the smallest size's is kept
        ends[name] = len(order)
    if empty:
        notes.append(f"{empty} pages without text were left out")
    return list(order.values()), ends


def _page_of(row: JsonObject) -> CorpusPage | None:
    text, title, url = (str(row.get(key) or "").strip() for key in ("page_body", "title", "url"))
    if not text:
        return None
    if not url.startswith(("http://", "https://")):
        url = _NOWHERE + sha256(f"{title}\n{text}".encode("utf-8", "replace")).hexdigest()[:24]
    try:
        return CorpusPage(url=url, title=title or "untitled", text=text, date=_day(row.get("date")))
    except ValidationError:
        return None


def _supportive(folder: Path, pages: Sequence[CorpusPage], notes: list[str]) -> list[CorpusPage]:
    """Find the supportive pages by address, else by a title that no other page has. If two pages share the
    title, neither counts."""
    found = _json(folder / _USEFUL)
    rows = _json(folder / f"{_USEFUL}l") if found is None else found
    named = dict.fromkeys(
        str(row.get("title", "")) if isinstance(row, dict) else str(row)
        for row in (rows if isinstance(rows, list) else [])
    )
    titles = Counter(_plain_title(page.title) for page in pages)
    doubtful = [name for name in named if titles[_plain_title(name)] > 1]
    for name in doubtful:
        many = f"{titles[_plain_title(name)]} pages have the title {name[:80]!r} of a supportive one"
        notes.append(f"{many}, so none of them counts as it")
    wanted = {_plain_title(name) for name in named if titles[_plain_title(name)] == 1}
    kept = [page for page in pages if page.url in named or _plain_title(page.title) in wanted]
    if named and not kept and not doubtful:
        notes.append("no page has the title of a supportive one")
    return kept


def _plain_title(title: str) -> str:
    return " ".join(title.casefold().split())


def _facts(folder: Path, files: set[str], supportive: Sequence[CorpusPage]) -> Iterator[TaskFact]:
    urls = {_plain_title(page.title): page.url for page in supportive}
    urls |= {page.url: page.url for page in supportive}
    rows = [(name, row) for name in (_OF_FILES, _OF_PAGES) for row in _rows(folder / name, "gold_insights")]
    stated = [(name, row, text) for name, row in rows if (text := str(row.get("insight") or "").strip())]
    for number, (name, row, text) in enumerate(stated, 1):
        source = str(row.get("source") or "").strip()
        if name == _OF_FILES:
            address = file_address(source) if source in files else None
        else:
            address = urls.get(source) or urls.get(_plain_title(source))
        yield TaskFact(
            id=f"{'f' if name == _OF_FILES else 'p'}{number}",
            subject=source or "unknown",
            attribute="insight",
            value=text,
            text=text,
            source="file" if name == _OF_FILES else "page",
            places=(FactPlace(address=address),) if address else (),
            made=False,
        )


def _checklist_of(folder: Path) -> Iterator[ChecklistPoint]:
    for number, row in enumerate(_rows(folder / _CHECKLIST, "checklist"), 1):
        category = str(row.get("category", "")).casefold()
        known = {
            "id": str(row.get("id") or number),
            "requirement": str(row.get("requirement") or ""),
            "category": category if category in get_args(Category) else "content",
        }
        yield ChecklistPoint.model_validate({**known, "decided_by": "judge"})


def export_task(folder: Path, out: Path, number: int) -> Path:
    """Write a task in DR3-Eval's layout into a new folder below `out`; return the folder."""
    question, truth, pages = read_question(folder), read_truth(folder), list(corpus_pages(folder))
    target = out / folder.name
    if target.exists():
        raise Misuse(f"{target}: is there already; name a new folder")
    target.mkdir(parents=True)
    for name in question.files:
        shutil.copyfile(folder / DRAWER / name, target / name)
    for name, size in read_sizes(folder).sizes.items():
        here = sorted(pages[: size.pages], key=lambda page: page.url)
        rows = [
            {"title": page.title, "url": page.url, "page_body": page.text, "date": page.date} for page in here
        ]
        known = [{key: value for key, value in row.items() if value is not None} for row in rows]
        _write_json(target / f"{_CORPUS}{name}.json", known)
    titles = _page_names(pages)
    _write_json(target / _USEFUL, [titles[page.url] for page in truth.pages if page.kind == "supportive"])
    asked = {"number": number, "query": question.query, "today": question.today}
    (target / _QUERY).write_text(f"{json.dumps(asked, ensure_ascii=False)}\n", encoding="utf-8")
    _write_json(target / _OF_FILES, {"gold_insights": [_insight(fact, titles) for fact in truth.of("file")]})
    _write_json(target / _OF_PAGES, {"gold_insights": [_insight(fact, titles) for fact in truth.of("page")]})
    points = [one.model_dump(include={"id", "requirement", "category"}) for one in truth.checklist]
    _write_json(target / _CHECKLIST, {"checklist": points})
    return target


def _page_names(pages: Sequence[CorpusPage]) -> dict[str, str]:
    """Map each address to the name of its page in the layout: the page's title. If another page has the same title,
    the name is the address."""
    titles = Counter(_plain_title(page.title) for page in pages)
    return {page.url: page.title if titles[_plain_title(page.title)] == 1 else page.url for page in pages}


def _insight(fact: TaskFact, titles: dict[str, str]) -> dict[str, str]:
    source = document_of(fact.places[0].address) if fact.places else fact.subject
    return {"insight": fact.text, "source": titles.get(source, source)}


def _write_json(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
