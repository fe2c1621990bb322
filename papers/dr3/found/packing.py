"""Found pages packed into nested sizes. The first takes the supportive ones, a tenth is distractors as long
as there are any, and noise is the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from drr.papers.dr3.corpus.packing import DISTRACTORS
from drr.papers.dr3.found.gathering import FoundPage, bounded

WITHIN = 0.012
"""Of a size, where packing stops; what is promised is 2 %."""
_SHORTEST = 400
"""Characters of a page that was cut to fill a size."""


class TooFewPages(Exception):
    """Says what was reached."""


@dataclass
class _Filling:
    order: list[FoundPage]
    distractors: list[FoundPage]
    noise: list[FoundPage]
    taken: set[str] = field(default_factory=set)
    reached: int = 0
    against: int = 0

    def add(self, page: FoundPage) -> None:
        self.order.append(page)
        self.taken.add(page.url)
        self.reached += page.tokens

    def next(self, room: int) -> FoundPage | None:
        """The next that fits: a distractor where their share wants one and there is one."""
        wants = self.against < max(1, round(DISTRACTORS * (len(self.order) + 1)))
        for pages in (self.distractors, self.noise) if wants else (self.noise,):
            for page in pages:
                if page.tokens <= room and page.url not in self.taken:
                    self.against += pages is self.distractors
                    return page
        return None

    def cut(self, room: int) -> FoundPage | None:
        """A page of the noise, cut to what is left."""
        for one in self.noise:
            most = 4 * room - len(one.page.title)
            if one.url not in self.taken and most >= _SHORTEST:
                text = bounded(one.page.text, most)
                return one.model_copy(update={"page": one.page.model_copy(update={"text": text})})
        return None


def packed_pages(
    supportive: Sequence[FoundPage],
    distractors: Sequence[FoundPage],
    noise: Sequence[FoundPage],
    sizes: Mapping[str, int],
    rng: Random,
) -> tuple[list[FoundPage], dict[str, int]]:
    """The order, and by size how many pages of it; `TooFewPages` for a size that they do not fill."""
    filling = _Filling(
        [], rng.sample(list(distractors), len(distractors)), rng.sample(list(noise), len(noise))
    )
    ends: dict[str, int] = {}
    for page in supportive:
        filling.add(page)
    start = 0
    for name, target in sorted(sizes.items(), key=lambda item: item[1]):
        while target - filling.reached > target * WITHIN:
            room = target - filling.reached
            drawn = filling.next(room) or filling.cut(room)
            if drawn is None:
                break
            filling.add(drawn)
        if abs(target - filling.reached) > 0.02 * target:
            raise TooFewPages(
                f"{len(filling.order)} pages came to {filling.reached:,} tokens where {name} wants {target:,}"
            )
        part = filling.order[start:]
        rng.shuffle(part)
        filling.order[start:] = part
        start = len(filling.order)
        ends[name] = start
    return filling.order, ends
