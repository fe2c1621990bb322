"""The contexts of many persons. A shop is opened once, in this process or in several, and each person's files
are written where they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

from drr.env.errors import DrrError
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.papers.pdr.context import PersonContext
from drr.papers.pdr.context_build import build_context
from drr.papers.pdr.context_writer import BuiltContext, write_person
from drr.papers.pdr.history import history_of
from drr.papers.pdr.material import PersonMaterial
from drr.papers.pdr.person import Person
from drr.papers.pdr.wares import Wares


class ContextWorks:
    """A shop opened for building: its products are read once, then one person after the other is filled in."""

    def __init__(self, shop: Shop, persons: Sequence[Person], sizes: Mapping[str, int], seed: int) -> None:
        self._shop, self._sizes, self._seed = shop, sizes, seed
        self._wares = Wares(shop.store.iter_products(), seed, persons)

    def built(self, person: Person) -> BuiltContext:
        if person.shop_hash not in (None, self._shop.manifest.content_hash):
            raise DrrError(
                f"{self._shop.spec}: the person {person.person_id} was made of another shop; build persons of this one"
            )
        as_of = person.as_of or self._shop.manifest.as_of
        known = person.model_copy(update={"as_of": as_of})
        history = None if person.user_id is None else history_of(self._shop.store, person.user_id, as_of)
        reviews = [] if person.user_id is None else self._shop.store.reviews(person.user_id)
        rng = Random(f"material:{self._seed}:{person.person_id}")
        material = PersonMaterial(known, history, reviews, self._wares, rng)
        return build_context(
            known, material, None if history is None else history.user, self._sizes, self._seed
        )


_WORKS: list[ContextWorks] = []
"""Of a worker process: one, made when it starts."""


def start_worker(
    spec: str, settings: Settings, persons: Sequence[Person], sizes: Mapping[str, int], seed: int
) -> None:
    _WORKS.append(ContextWorks(open_shop(spec, settings), persons, sizes, seed))


def write_one(task: tuple[Path, Person]) -> tuple[str, PersonContext]:
    """Write a person's files in the worker process that built them, as they are large."""
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
    """Make the contexts for `write_made`, with the same bytes for any number of workers."""

    def made(folder: Path) -> Iterator[tuple[str, PersonContext]]:
        if workers == 1:
            with open_shop(spec, settings) as shop:
                works = ContextWorks(shop, persons, sizes, seed)
                for person in persons:
                    yield person.person_id, write_person(folder, works.built(person))
            return
        with ProcessPoolExecutor(
            workers,
            mp_context=get_context("spawn"),
            initializer=start_worker,
            initargs=(spec, settings, persons, sizes, seed),
        ) as pool:
            yield from pool.map(write_one, [(folder, person) for person in persons], chunksize=4)

    return made
