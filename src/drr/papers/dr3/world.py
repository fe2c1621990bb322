"""The environment of tasks with files: the files, the frozen pages of one size, and a calculator. A shop adds its nine tools.

A task's truth is in a module and a file that nothing here imports or opens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from drr.env.drawer.drawer import AttachedFiles
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.reach import WHOLE, KnownKinds, reach_of
from drr.env.session import Session
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import TOOLS, USER_TOOLS, ShopWorld
from drr.env.source import text_hash
from drr.env.web.base import Page, WebSearch
from drr.env.web.open import ShopWeb
from drr.env.world import Holdings, Site, SourceKind, check_user_ids, kinds_of
from drr.papers.dr3.corpus_web import VERSION, CorpusWeb, OpenCorpora
from drr.papers.dr3.folders import FileTask, open_tasks
from drr.papers.dr3.form import DRAWER, is_rejected, read_sizes

FILE_TOOLS = ("list_files", "read_file", "search_file", "view_image")
BARE_TOOLS = ("web_search", "calculator")
NOBODY = "nobody"
"""User id in the question of a task that names no user."""


class CorpusKey(TypedDict):
    size: str
    content_hash: str
    search: str
    version: str
    embedder: NotRequired[str]


class TaskKey(TypedDict):
    """The parts of a unit's key that a task decides, as they change the answer."""

    task: dict[str, str]
    corpus: CorpusKey
    shop: NotRequired[dict[str, Any]]
    """The shop with its address and search, if the shop's tools are offered too."""


@dataclass(frozen=True)
class CorpusBesideShop(ShopWeb):
    """Frozen pages beside a shop, which answers for its own addresses."""

    piece_chars: int = 0
    frozen: CorpusWeb | None = None

    def whole(self) -> list[Page]:
        return [] if self.frozen is None else self.frozen.whole()

    def piece_of(self, url: str, seen: str) -> int | None:
        return None if self.frozen is None else self.frozen.piece_of(url, seen)


@dataclass(frozen=True)
class FileWorld:
    """The environment of one unit of work: a task, with the corpus of the task at one size."""

    task: FileTask
    size: str
    corpus: CorpusWeb
    embedder: str | None
    place: str
    session: Session | None = None
    shop_url: str | None = None

    @property
    def files(self) -> AttachedFiles:
        return self.task.drawer

    @property
    def user_id(self) -> str | None:
        """Return the user id; `None` without a shop, as there are no records to look up."""
        return None if self.session is None else self.session.user_id

    @cached_property
    def web(self) -> WebSearch:
        if self.session is None:
            return self.corpus
        shop = self.session.shop
        money, piece = shop.manifest.money, self.corpus.piece_chars
        return CorpusBesideShop(self.corpus, shop.shop_url, shop.store, money, piece, self.corpus)

    @property
    def tools(self) -> Sequence[str]:
        own = FILE_TOOLS if self.task.question.files else ()
        if self.session is None:
            return (*own, *BARE_TOOLS)
        nine = TOOLS if self.session.user_id else tuple(name for name in TOOLS if name not in USER_TOOLS)
        return (*nine, *own)

    @cached_property
    def kinds(self) -> Sequence[SourceKind]:
        shop = None if self.session is None else self.session.shop
        spec = {"task_id": self.task.question.task_id}
        return kinds_of(Holdings(shop=shop, user_id=self.user_id, place=self.place, spec=spec))

    @cached_property
    def content_hash(self) -> str:
        return self.files.content_hash

    @property
    def today(self) -> date:
        return self.task.today

    def key_fields(self) -> TaskKey:
        question = self.task.question
        corpus = CorpusKey(
            size=self.size,
            content_hash=self.corpus.content_hash,
            search="dense" if self.corpus.dense else "bm25",
            version=VERSION,
        )
        if self.embedder is not None:
            corpus["embedder"] = self.embedder
        task = {"today": question.today, "files": self.content_hash, "question": text_hash(question.query)}
        key = TaskKey(task=task, corpus=corpus)
        if self.session is not None:
            beside = ShopWorld(self.session, self.web, self.shop_url).key_fields()
            key["shop"] = {name: value for name, value in beside.items() if name != "web"}
        return key


@dataclass(frozen=True)
class FileRealm:
    """All tasks of a folder, opened once in a process."""

    tasks: Mapping[str, FileTask]
    corpora: OpenCorpora
    place: str
    shop: Shop | None = None
    shop_url: str | None = None
    kinds: Mapping[str, KnownKinds] = field(default_factory=dict)
    """Kinds of pages by task id, if the study withholds pages."""

    def world(self, spec: Mapping[str, Any]) -> FileWorld:
        return self._world(spec, None if self.shop is None else Session(self.shop, spec["user_id"]))

    def strangers_world(self, spec: Mapping[str, Any]) -> FileWorld:
        return self._world(spec, None if self.shop is None else Session(self.shop, None))

    def _world(self, spec: Mapping[str, Any], session: Session | None) -> FileWorld:
        task, size = self.tasks[spec["task_id"]], str(spec["size"])
        reach = reach_of(spec.get("reach") or WHOLE.name)
        corpus = self.corpora.of(task.folder, size, reach, self.kinds.get(spec["task_id"]))
        embedder = self.corpora.embedder_name(reach)
        return FileWorld(task, size, corpus, embedder, self.place, session, self.shop_url)

    def check(self, queries: Sequence[Query]) -> None:
        """Raise `Misuse` unless every query is a question of the tasks, in its exact words."""
        check_user_ids(queries)
        for query in queries:
            if (wrong := self._why_unanswerable(query)) is not None:
                raise Misuse(wrong)

    def _why_unanswerable(self, query: Query) -> str | None:
        task = self.tasks.get(query.task_id or "")
        if task is None or query.size is None:
            return f"{query.id}: is no question of the tasks in {self.place}; a study of tasks takes its questions from --tasks"
        if query.query != task.question.query:
            return f"{query.id}: the task of that id in {self.place} asks another question now; begin a new study"
        for name in task.question.files:
            if not (task.folder / DRAWER / name).is_file():
                return f"{task.folder}: its question has the file {name}, which is not in {DRAWER}/"
        if query.size not in read_sizes(task.folder).sizes:
            return f"{query.id}: {task.folder} has no corpus of {query.size}"
        if self.shop is not None and self.shop.store.user(query.user_id) is None:
            return f"{query.id}: is asked by the user {query.user_id}, whom the shop does not know; was the task made of another shop?"
        return None


@contextmanager
def open_files(site: Site) -> Iterator[FileRealm]:
    if site.place is None:
        raise Misuse("the world `files` needs its tasks; give the folder with --tasks DIR")
    tasks = open_tasks(Path(site.place))
    with ExitStack() as stack:
        shop = None if site.shop is None else stack.enter_context(open_shop(site.shop, site.settings))
        yield FileRealm(
            tasks, OpenCorpora(site.settings), site.place, shop, site.settings.shop_url, site.kinds
        )


def queries_of(place: Path, sizes: Sequence[str] | None = None) -> list[Query]:
    """Return a query for each task and size, without rejected tasks. `None` means all sizes of a task."""
    tasks = {task_id: task for task_id, task in open_tasks(place).items() if not is_rejected(task.folder)}
    if not tasks:
        raise Misuse(f"{place}: every task was rejected in review; none is left to ask")
    found: list[Query] = []
    for task_id, task in tasks.items():
        known, asked = read_sizes(task.folder).sizes, task.question
        if missing := [size for size in sizes or () if size not in known]:
            raise Misuse(f"{task.folder}: has no corpus of {missing[0]}; it has {', '.join(known)}")
        given = {"query": asked.query, "user_id": asked.user_id or NOBODY, "rule_written": asked.rule_written}
        found += [
            Query(id=f"{task_id}@{size}", task_id=task_id, size=size, **given) for size in sizes or known
        ]
    return found
