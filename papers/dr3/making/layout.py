"""DR3-Eval's own layout of a task, read and written. Anything that one form has and the other lacks is reported, never made up."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path

from drr.citations.files import file_address
from drr.env.errors import Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.papers.dr3.form import (
    DRAWER,
    CorpusPage,
    CorpusSize,
    CorpusSizes,
    FileQuestion,
    line,
    read_corpus,
    read_question,
    read_sizes,
)
from drr.papers.dr3.making.manifest import WrittenTask, parse_task_sizes
from drr.papers.dr3.making.ranking import COUNTER, token_count
from drr.papers.dr3.truth import (
    ChecklistPoint,
    FactPlace,
    KnownPage,
    PageKind,
    TaskFact,
    TaskTruth,
    read_truth,
    size_truths,
)
from pydantic import ValidationError

_CORPUS = "long_context_sampled_"
_USEFUL, _QUERY, _CHECKLIST = "useful_search.json", "query.jsonl", "checklist.json"
_OF_FILES, _OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
_CATEGORIES = ("content", "evidence", "analysis", "comparison", "conclusion")
_NOWHERE = "https://imported.example/"
LOST = "places of facts, kinds of distractors with their changes, search terms"
"""Parts that their layout has no room for. The day of the question and the dates of pages go along as fields
of ours."""


def dr3_folders(folder: Path) -> list[Path]:
    """One task's folder, or a folder of them."""
    if (folder / _QUERY).is_file():
        return [folder]
    found = sorted(one for one in folder.iterdir() if (one / _QUERY).is_file()) if folder.is_dir() else []
    if not found:
        raise Misuse(f"{folder}: holds no task in DR3-Eval's layout (a folder with {_QUERY})")
    return found


def import_task(folder: Path, today: str | None, now: str) -> tuple[WrittenTask, list[str]]:
    """Import a task, with what has to be reported of it. Asked on `today`, else on the day that was recorded, else `now`."""
    notes: list[str] = []
    query = _query(folder)
    day = today or _day(query.get("today"))
    if day is None:
        day = now
        notes.append(f"on which day it is asked nobody recorded: taken as {now}; --today gives another")
    pages, sizes = _corpora(folder, notes)
    files = {
        path.name: read_file(path)
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.is_symlink() and not _is_theirs(path.name)
    }
    supportive = _supportive(folder, pages, notes)
    facts = _facts(folder, set(files), supportive)
    folders: dict[str, list[str]] = {}
    for fact in facts:
        if fact.source == "page" and fact.places:
            folders.setdefault(fact.places[0].address, []).append(fact.id)
    known = tuple(
        KnownPage(url=page.url, kind="supportive", facts=tuple(folders.get(page.url, ())))
        for page in supportive
    )
    useful = {page.url for page in supportive}
    counted: list[tuple[PageKind, int, bytes]] = [
        ("supportive" if page.url in useful else "noise", token_count(page.title, page.text), line(page))
        for page in pages
    ]
    ends = {name: size.pages for name, size in sizes.sizes.items()}
    question = FileQuestion(
        task_id=folder.name, query=query["query"], today=day, files=tuple(files), rule_written=False
    )
    truth = TaskTruth(
        task_id=folder.name,
        intent="other",
        theme="imported",
        seed=0,
        shop_hash="",
        facts=facts,
        pages=known,
        terms=(),
        checklist=_checklist(folder),
        sizes=size_truths(parse_task_sizes(",".join(ends)), ends, counted),
        counter=sizes.counter,
    )
    return WrittenTask(question=question, files=files, pages=tuple(pages), sizes=sizes, truth=truth), notes


def _is_theirs(name: str) -> bool:
    return name.startswith((_CORPUS, ".")) or name in (
        _QUERY,
        _CHECKLIST,
        _OF_FILES,
        _OF_PAGES,
        _USEFUL,
        f"{_USEFUL}l",
    )


def _json(path: Path) -> object:
    """A document, or JSON lines as a list; `None` where the file is not there."""
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


def _rows(found: object) -> Iterator[JsonObject]:
    rows = found if isinstance(found, list) else [found]
    yield from (row for row in rows if isinstance(row, dict))


def _supportive(folder: Path, pages: list[CorpusPage], notes: list[str]) -> list[CorpusPage]:
    """Find the supportive pages by address, else by a title that no other page has. Of two pages with one
    title nobody knows which is the right one."""
    named = dict.fromkeys(_titles(folder))
    titles = Counter(_key(page.title) for page in pages)
    doubtful = [name for name in named if titles[_key(name)] > 1]
    for name in doubtful:
        notes.append(
            f"{titles[_key(name)]} pages have the title {name[:80]!r} of a supportive one, so none of them counts as it"
        )
    wanted = {_key(name) for name in named if titles[_key(name)] == 1}
    found = [page for page in pages if page.url in named or _key(page.title) in wanted]
    if named and not found and not doubtful:
        notes.append("no page has the title of a supportive one")
    return found


def _day(value: object) -> str | None:
    """Return what stands there, where it is a day, else `None`."""
    try:
        return date.fromisoformat(value).isoformat() if isinstance(value, str) else None
    except ValueError:
        return None


def _query(folder: Path) -> JsonObject:
    for row in _rows(_json(folder / _QUERY)):
        if isinstance(query := row.get("query"), str) and query.strip():
            return {**row, "query": query.strip()}
    raise Misuse(f"{folder / _QUERY}: holds no line with a query")


def _corpora(folder: Path, notes: list[str]) -> tuple[list[CorpusPage], CorpusSizes]:
    """Read the corpora, the smallest size first. Where a larger one lacks a page of a smaller one, ours has it all the same."""
    paths = {path.stem.removeprefix(_CORPUS): path for path in folder.glob(f"{_CORPUS}*.json")}
    if not paths:
        raise Misuse(f"{folder}: holds no {_CORPUS}*.json")
    order: dict[str, CorpusPage] = {}
    sizes: dict[str, CorpusSize] = {}
    empty = 0
    try:
        names = list(parse_task_sizes(",".join(paths)))
    except Misuse:
        raise Misuse(
            f"{folder}: the ends of {_CORPUS}*.json are sizes of 4k to 2000k, as in {_CORPUS}64k.json; these are "
            f"{', '.join(sorted(paths))}"
        ) from None
    for name in names:
        before, here = set(order), set()
        for row in _rows(_json(paths[name])):
            page = _page(row)
            if page is None:
                empty += 1
                continue
            here.add(page.url)
            order.setdefault(page.url, page)
        if before - here:
            notes.append(
                f"{name}: lacks {len(before - here)} pages of a smaller size; sizes are nested here, so it has them"
            )
        tokens = sum(token_count(page.title, page.text) for page in order.values())
        sizes[name] = CorpusSize(pages=len(order), tokens=tokens)
    if empty:
        notes.append(f"{empty} pages without text were left out")
    return list(order.values()), CorpusSizes(counter=COUNTER, sizes=sizes)


def _page(row: JsonObject) -> CorpusPage | None:
    text, title, url = (str(row.get(key) or "").strip() for key in ("page_body", "title", "url"))
    if not text:
        return None
    if not url.startswith(("http://", "https://")):
        url = _NOWHERE + sha256(f"{title}\n{text}".encode("utf-8", "replace")).hexdigest()[:24]
    try:
        return CorpusPage(url=url, title=title or "untitled", text=text, date=_day(row.get("date")))
    except ValidationError:
        return None


def _titles(folder: Path) -> list[str]:
    found = _json(folder / _USEFUL)
    found = _json(folder / f"{_USEFUL}l") if found is None else found
    rows = found if isinstance(found, list) else []
    return [str(row.get("title", "")) if isinstance(row, dict) else str(row) for row in rows]


def _key(title: str) -> str:
    return " ".join(title.casefold().split())


def _facts(folder: Path, files: set[str], supportive: list[CorpusPage]) -> tuple[TaskFact, ...]:
    by_name = {_key(page.title): page.url for page in supportive} | {
        page.url: page.url for page in supportive
    }
    facts: list[TaskFact] = []
    for name in (_OF_FILES, _OF_PAGES):
        for row in _rows_in(_json(folder / name), "gold_insights"):
            text, source = str(row.get("insight") or "").strip(), str(row.get("source") or "").strip()
            if not text:
                continue
            of_file = name == _OF_FILES
            address = (
                (file_address(source) if source in files else None)
                if of_file
                else by_name.get(source) or by_name.get(_key(source))
            )
            facts.append(
                TaskFact(
                    id=f"{'f' if of_file else 'p'}{len(facts) + 1}",
                    subject=source or "unknown",
                    attribute="insight",
                    value=text,
                    text=text,
                    source="file" if of_file else "page",
                    places=(FactPlace(address=address),) if address else (),
                    made=False,
                )
            )
    return tuple(facts)


def _rows_in(found: object, key: str) -> Iterator[JsonObject]:
    """Yield the rows of a document, which are under a key or all of it."""
    rows = found.get(key) if isinstance(found, dict) else found
    yield from _rows(rows if rows is not None else [])


def _checklist(folder: Path) -> tuple[ChecklistPoint, ...]:
    points = []
    for number, row in enumerate(_rows_in(_json(folder / _CHECKLIST), "checklist"), 1):
        category = str(row.get("category", "")).casefold()
        points.append(
            ChecklistPoint.model_validate(
                {
                    "id": str(row.get("id") or number),
                    "requirement": str(row.get("requirement") or ""),
                    "category": category if category in _CATEGORIES else "content",
                    "decided_by": "judge",
                }
            )
        )
    return tuple(points)


def export_task(folder: Path, out: Path, number: int) -> Path:
    """Export a task into a folder of its own that must not exist yet."""
    question, truth = read_question(folder), read_truth(folder)
    target = out / folder.name
    if target.exists():
        raise Misuse(f"{target}: is there already; name a new folder")
    target.mkdir(parents=True)
    for name in question.files:
        shutil.copyfile(folder / DRAWER / name, target / name)
    pages: dict[str, CorpusPage] = {}
    for size in read_sizes(folder).sizes:
        here = read_corpus(folder, size)
        pages |= {page.url: page for page in here}
        _put(target / f"{_CORPUS}{size}.json", [_row(page) for page in here])
    titles = _names(pages.values())
    supportive = [page for page in truth.pages if page.kind == "supportive"]
    _put(target / _USEFUL, [titles[page.url] for page in supportive])
    asked = {"number": number, "query": question.query, "today": question.today}
    row = json.dumps(asked, ensure_ascii=False)
    (target / _QUERY).write_text(f"{row}\n", encoding="utf-8")
    _put(target / _OF_FILES, {"gold_insights": [_insight(fact, titles) for fact in truth.of("file")]})
    _put(target / _OF_PAGES, {"gold_insights": [_insight(fact, titles) for fact in truth.of("page")]})
    points = [
        {"id": one.id, "requirement": one.requirement, "category": one.category} for one in truth.checklist
    ]
    _put(target / _CHECKLIST, {"checklist": points})
    return target


def _row(page: CorpusPage) -> dict[str, str]:
    row = {"title": page.title, "url": page.url, "page_body": page.text}
    return row if page.date is None else {**row, "date": page.date}


def _names(pages: Iterable[CorpusPage]) -> dict[str, str]:
    """Map each address to what a page is called. That is its title, which is all that their layout knows, or
    its address where another has that title."""
    pages = list(pages)
    titles = Counter(_key(page.title) for page in pages)
    return {page.url: page.title if titles[_key(page.title)] == 1 else page.url for page in pages}


def _insight(fact: TaskFact, titles: dict[str, str]) -> dict[str, str]:
    address = fact.places[0].address if fact.places else fact.subject
    source = (
        address.removeprefix("file://").partition("#")[0]
        if fact.source == "file"
        else titles.get(address, address)
    )
    return {"insight": fact.text, "source": source}


def _put(path: Path, document: object) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
