"""Builds a person's context: first five items for each attribute, then more up to each size, in fixed
proportions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from drr.env.entities import KeptReview, User
from drr.env.errors import DrrError
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.text import Run
from drr.eval.stats.question import grouped
from drr.papers.pdr.context import (
    CONVERSATIONAL,
    LEAST,
    OFF,
    BuiltContext,
    ContextItem,
    ItemTruth,
    PersonContext,
    line_of,
    write_person,
)
from drr.papers.pdr.context_check import Opposed
from drr.papers.pdr.material import ItemDraft, PersonMaterial, ProductSample
from drr.papers.pdr.person import Person, own_data, private_data_kinds
from drr.papers.pdr.records import history_of

TALK, NOISE = 0.35, 0.25
"""Shares of the items: conversational ones (the standard asks for 20 to 50%), and noise, which expresses no attribute."""
LEAST_TALK = 0.22
"""Share of conversational items from which on notes may fill up a size."""
CLOSE = 0.995
"""Share of its tokens from which on a size counts as full."""
_TRIES = 40
"""Limit on consecutive drafts of a stream that are refused; after them the stream counts as exhausted."""
_TOO_LARGE = 5
"""Limit on consecutive drafts that do not fit, after which short notes close a size."""
_DRAWN = 40
"""Number of short notes drawn, of which the longest that fits is taken."""


class _Room:
    """The context so far: its admitted items, and the check of further drafts."""

    def __init__(self, person: Person, user: User | None, says: Mapping[str, frozenset[Run]]) -> None:
        self._person, self._user, self._says = person, user, says
        self._opposed = Opposed(person)
        self._seen: set[str] = set()
        self.items: list[ContextItem] = []
        self.truths: list[ItemTruth] = []
        self.shown = dict.fromkeys((one.id for one in person.attributes), 0)
        self.bytes = -1  # n lines are joined by n - 1 line breaks
        self.talk = self.noise = 0

    def item(self, draft: ItemDraft) -> ContextItem | None:
        """Make an item of a draft; `None` if a context must not contain it. Forbidden are repeated texts, private data,
        attributes stated or denied outright, and dates in the future."""
        if draft.text in self._seen or (self._person.as_of and draft.date >= self._person.as_of):
            return None
        number = f"{self._person.person_id}\n{draft.date}\n{draft.text}"
        named = blake2b(number.encode(), digest_size=6).hexdigest()
        item = ContextItem(id=named, date=draft.date, kind=draft.kind, text=draft.text)
        free = draft.text
        for ware in draft.quoted:
            if ware.product_id not in self._says:
                continue  # a purchase from outside the pool: its page was not checked
            if self._opposed.outright(self._says[ware.product_id]):
                return None
            free = free.replace(ware.long, "").replace(ware.short, "")
        private = private_data_kinds(free) or own_data(draft.text, self._user)
        return None if private or self._opposed.stated_in(free) or self._opposed.contradicted(item) else item

    @staticmethod
    def size(draft: ItemDraft) -> int:
        """Return the bytes of a draft's line in the context, with the line break before it."""
        return len(line_of(draft.date, draft.kind, draft.text).encode()) + 1

    def admit(self, draft: ItemDraft, limit: int) -> bool | None:
        """Admit a draft and tell whether it is in. `None` if it does not fit into `limit` bytes."""
        item = self.item(draft)
        if item is None:
            return False
        size = self.size(draft)
        if self.bytes + size > limit:
            return None
        self._seen.add(draft.text)
        self.items.append(item)
        self.truths.append(ItemTruth(id=item.id, expresses=draft.expresses, noise=not draft.expresses))
        for key in draft.expresses:
            self.shown[key] += 1
        self.bytes += size
        self.talk += draft.kind in CONVERSATIONAL
        self.noise += not draft.expresses
        return True

    @property
    def wants_talk(self) -> bool:
        return self.talk < TALK * (len(self.items) + 1)

    @property
    def wants_noise(self) -> bool:
        return self.noise < NOISE * (len(self.items) + 1)


def build_context(
    person: Person, material: PersonMaterial, user: User | None, sizes: Mapping[str, int], seed: int
) -> BuiltContext:
    """Build a person's context. Sizes are given in tokens of four bytes, smallest first."""
    rng = Random(f"context:{seed}:{person.person_id}")
    room = _Room(person, user, material.wares.says)
    drafts = _drafts(person, material, room, rng)
    waiting: deque[ItemDraft] = deque()
    counts: dict[str, int] = {}
    short: dict[str, str] = {}
    for size, tokens in sizes.items():
        _fill(room, drafts, waiting, 4 * tokens)
        why = _close(room, material, 4 * tokens)
        counts[size] = len(room.items)
        if why is not None and room.bytes < (1 - OFF) * 4 * tokens:
            short[size] = why
    return BuiltContext(person, room.items, room.truths, counts, short)


def _fill(room: _Room, drafts: Iterator[ItemDraft], waiting: deque[ItemDraft], limit: int) -> None:
    """Admit drafts until a size is full. Drafts that do not fit wait for a larger size."""
    for _ in range(len(waiting)):
        draft = waiting.popleft()
        if room.admit(draft, limit) is None:
            waiting.append(draft)
    too_large = 0
    while room.bytes < CLOSE * limit and too_large < _TOO_LARGE:
        further = next(drafts, None)
        if further is None:
            return
        admitted = room.admit(further, limit)
        if admitted is None and not further.quoted:  # drafts about products never run out
            waiting.append(further)
        too_large = too_large + 1 if admitted is None else 0


def _close(room: _Room, material: PersonMaterial, limit: int) -> str | None:
    """Fill the rest of a size with short notes; return why if it stays open. Noise is used if no other
    note fits."""
    while room.bytes < CLOSE * limit:
        noise = room.wants_noise
        enough = room.talk >= LEAST_TALK * (len(room.items) + 1)
        if not enough or not any(_admit_note(room, material, limit, own=own) for own in (not noise, noise)):
            one_more = room.size(material.short(own=False)) <= limit - room.bytes
            return "all that can be said of the person is there" if one_more else "no note is that short"
    return None


def _admit_note(room: _Room, material: PersonMaterial, limit: int, *, own: bool) -> bool:
    """Admit the longest of several notes that leaves either nothing or enough for another one; tell whether one was admitted."""
    drawn = {draft.text: draft for draft in (material.short(own=own) for _ in range(_DRAWN))}
    sizes = {text: room.size(draft) for text, draft in drawn.items()}
    least, rest, slack = min(sizes.values()), limit - room.bytes, limit - CLOSE * limit
    fitting = ((slack < rest - size < least, -size, text) for text, size in sizes.items() if size <= rest)
    placed = sorted(fitting, key=lambda one: one[:2])
    return any(room.admit(drawn[text], limit) for _, _, text in placed)


def _drafts(person: Person, material: PersonMaterial, room: _Room, rng: Random) -> Iterator[ItemDraft]:
    """Yield drafts for each attribute in turn until five items express it, then drafts by proportion."""
    plain = material.orders() + material.reviews()
    showing = grouped((key, draft) for draft in plain for key in draft.expresses)
    by_attribute: dict[
        str, dict[bool, list[ItemDraft]]
    ] = {}  # by `True` if conversational, taken from the end
    for one in person.attributes:
        pool = (
            showing.get(one.id, [])[: 2 * LEAST]
            + material.traits(one)
            + material.talk_of_theme(one, 2 * LEAST)
        )
        rng.shuffle(pool)
        own = grouped((draft.kind in CONVERSATIONAL, draft) for draft in pool)
        by_attribute[one.id] = {spoken: own.get(spoken, []) for spoken in (False, True)}
    for times in range(1, LEAST + 1):
        for key, pools in by_attribute.items():
            while room.shown[key] < times:
                wanted = pools[room.wants_talk] or pools[not room.wants_talk]
                if not wanted:
                    break
                yield wanted.pop()
    yield from _drafts_by_share(material, room, rng, plain)


class _Stream:
    """A stream of drafts of one kind, which ends after too many were refused in a row."""

    def __init__(self, drafts: Iterator[ItemDraft], room: _Room) -> None:
        self._drafts, self._room = drafts, room
        self._left, self._held = _TRIES, -1

    def next(self) -> ItemDraft | None:
        count = len(self._room.items)
        self._left = _TRIES if count > self._held >= 0 else self._left - 1
        self._held = count
        return next(self._drafts, None) if self._left >= 0 else None


def _drafts_by_share(
    material: PersonMaterial, room: _Room, rng: Random, plain: list[ItemDraft]
) -> Iterator[ItemDraft]:
    """Yield orders and reviews while there are any, alternating with notes; dialogues up to their share.

    If a stream is exhausted, that of the other share of noise goes on, then that of the other kind.
    """
    records = {noise: [one for one in plain if bool(one.expresses) != noise] for noise in (True, False)}
    makers = (material.dialogues, material.notes)
    dialogues, notes = (
        {noise: _Stream(made(own=not noise), room) for noise in (True, False)} for made in makers
    )
    while True:
        noise = room.wants_noise
        if not room.wants_talk and records[noise] and rng.random() < 0.6:
            yield records[noise].pop()
            continue
        kinds = (dialogues, notes) if room.wants_talk else (notes, dialogues)
        streams = (kind[share] for kind in kinds for share in (noise, not noise))
        draft = next((draft for stream in streams if (draft := stream.next()) is not None), None)
        if draft is None:
            return
        yield draft


class ContextWorks:
    """A shop opened for building contexts: its products are read once for all persons."""

    def __init__(self, shop: Shop, persons: Sequence[Person], sizes: Mapping[str, int], seed: int) -> None:
        self._shop, self._sizes, self._seed = shop, sizes, seed
        self._wares = ProductSample(shop.store.iter_products(), seed, persons, currency=shop.manifest.money)

    def built(self, person: Person) -> BuiltContext:
        store, manifest = self._shop.store, self._shop.manifest
        if person.shop_hash not in (None, manifest.content_hash):
            raise DrrError(
                f"{self._shop.spec}: the person {person.person_id} was made of another shop; build persons of this one"
            )
        known = person.model_copy(update={"as_of": person.as_of or manifest.as_of})
        history, reviews = None, list[KeptReview]()
        if person.user_id is not None:
            history = history_of(store, person.user_id, known.as_of or "", manifest.money)
            reviews = store.reviews(person.user_id)
        rng = Random(f"material:{self._seed}:{person.person_id}")
        material = PersonMaterial(known, history, reviews, self._wares, rng)
        return build_context(
            known, material, None if history is None else history.user, self._sizes, self._seed
        )


_WORKS: list[ContextWorks] = []
"""The builder of a worker process, made when the process starts."""


def start_worker(spec: str, settings: Settings, *what: Any) -> None:
    _WORKS.append(ContextWorks(open_shop(spec, settings), *what))


def write_one(task: tuple[Path, Person]) -> tuple[str, PersonContext]:
    """Build and write one person's files in a worker process; return the id and the entry. The files are too large to send."""
    folder, person = task
    return person.person_id, write_person(folder, _WORKS[0].built(person))


def made_contexts(
    spec: str,
    settings: Settings,
    persons: Sequence[Person],
    sizes: Mapping[str, int],
    seed: int,
    workers: int,
) -> Callable[[Path], Iterator[tuple[str, PersonContext]]]:
    """Return the function that `write_made` needs. The bytes are the same for any number of workers."""

    def made(folder: Path) -> Iterator[tuple[str, PersonContext]]:
        if workers == 1:
            with open_shop(spec, settings) as shop:
                works = ContextWorks(shop, persons, sizes, seed)
                for person in persons:
                    yield person.person_id, write_person(folder, works.built(person))
            return
        given, spawned = (spec, settings, persons, sizes, seed), get_context("spawn")
        with ProcessPoolExecutor(workers, spawned, initializer=start_worker, initargs=given) as pool:
            yield from pool.map(write_one, [(folder, person) for person in persons], chunksize=4)

    return made
