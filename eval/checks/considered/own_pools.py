"""How many orders there are of anything that a place may speak of: by its sentence, by what stands above, by time, of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, islice

from drr.eval.checks.considered.own_near import OwnNear, OwnPlace, firsts, ways
from drr.eval.checks.person.readings.sets import Mask

_JOINED = 8
_CUTS = 700


class OwnPools:
    """Of one report."""

    def __init__(self, near: OwnNear) -> None:
        self._near, self._sets = near, near.sets
        self._pools: dict[tuple[int, int], dict[str, set[int]]] = {}
        self._tops: dict[Mask, set[int]] = {}
        self._pieces: dict[Mask, set[int]] = {}

    def of(self, near: OwnPlace) -> dict[str, set[int]]:
        if near.span in self._pools:
            return self._pools[near.span]
        sets, sizes = self._sets, self._near.counted
        here, above = ways(near.things), ways(near.before)
        times = ways(near.times)
        every_time = list(dict.fromkeys([*times, *ways(near.times_before)]))
        first = firsts(near.things)
        named = [one.ways[0] for one in near.things if one.kind == "named"]
        joined = [a | b for a, b in combinations(first[:_JOINED], 2)]
        joined += [
            _union(some)
            for some in (first, named, firsts(near.before), [*first, *firsts(near.before)])
            if some
        ]
        rest = [sets.all & ~one for one in (*first[:_JOINED], *joined)]
        rest += [a & ~b for a in first[:_JOINED] for b in first[:_JOINED] if a != b]
        cut = [one & then for one in islice(dict.fromkeys([*here, *joined]), 60) for then in times[:12]]
        cut += [a & b for a, b in combinations(here[:20], 2)]
        cut += [one & then for one in rest[:_JOINED] for then in times[:12]]
        between = _spans(sets.all, [one.ways[0] for one in near.times])
        cut += [one & then for one in (*here[:24], sets.all) for then in between]
        pools = {
            "named": sizes(first),
            "sentence": sizes(here),
            "timed": sizes(islice(dict.fromkeys([*cut, *times]), _CUTS)),
            "joined": sizes([*joined, *rest]),
            "above": sizes(above),
            "above_timed": sizes(
                islice(dict.fromkeys(one & then for one in (*above, *here) for then in every_time), _CUTS)
            ),
            "report": self._report,
            "whole": self._whole,
            "years": sizes(every_time) | sizes(between),
            "titled": sets.titled(here[:8]),
            "calendar": sizes(islice(self._calendar(here[:16]), _CUTS)),
            "packs": self._packs([*first, *firsts(near.before)][: 2 * _JOINED]),
            "top": self._top([sets.all, *first[:_JOINED]]),
        }
        self._pools[near.span] = pools
        return pools

    def _calendar(self, here: Sequence[Mask]) -> Iterator[Mask]:
        """By months of all years, by quarters and by days of the week, of all and of what is named."""
        parts = self._parts_of_time
        yield from parts
        for one in here:
            yield from (one & each for each in parts)

    @cached_property
    def _parts_of_time(self) -> list[Mask]:
        months, week = [0] * 12, [0] * 7
        for at, day in enumerate(self._sets.days):
            months[day.month - 1] |= 1 << at
            week[day.weekday()] |= 1 << at
        two = [months[at] | months[(at + 1) % 12] for at in range(12)]
        three = [two[at] | months[(at + 2) % 12] for at in range(12)]
        return [*months, *week, *two, *three, week[5] | week[6], self._sets.all & ~(week[5] | week[6])]

    def _packs(self, masks: Sequence[Mask]) -> set[int]:
        """How many pieces come of some orders: each as often as its title counts, alone and together."""
        found = set[int]()
        for mask in [*masks, _union(masks)] if masks else []:
            if mask not in self._pieces:
                sizes, sums = self._near.sizes(mask), [0, 0]
                some = {number for number in self._sets.titled([mask]) if number > 1}
                for at in range(mask.bit_length()):
                    if mask >> at & 1 and (held := self._sets.titled([1 << at])):
                        order = self._sets.orders[at].order
                        sums = [sums[0] + order.quantity * max(held), sums[1] + order.quantity * min(held)]
                self._pieces[mask] = {*sums} | {a * b for a in sizes for b in some}
            found |= self._pieces[mask]
        return found

    def window(self, near: OwnPlace, newest: Iterable[int]) -> set[int]:
        """Of so many of the newest orders, how many are of what the sentence names or stands above."""
        every, whole = self._sets.all, len(self._sets.orders)
        things = [*ways(near.things)[:24], *firsts(near.before)[:_JOINED]]
        last = [every & ~((1 << max(0, whole - many)) - 1) for many in newest if many < whole]
        return self._near.counted(one & latest for one in things for latest in last)

    def _top(self, masks: Sequence[Mask]) -> set[int]:
        """How many the years, things and makers with the most and the fewest have."""
        found = set[int]()
        for mask in masks:
            if mask not in self._tops:
                years, things, makers = Counter[int](), Counter[str](), Counter[str]()
                for at in range(mask.bit_length()):
                    if mask >> at & 1:
                        order = self._sets.orders[at]
                        years[order.day.year] += 1
                        things[order.order.product_id] += 1
                        makers[(order.product.store if order.product else "") or ""] += 1
                self._tops[mask] = {
                    size
                    for tally in (years, things, makers)
                    for size in (*sorted(tally.values())[-3:], *sorted(tally.values())[:1], len(tally))
                }
            found |= self._tops[mask]
        return found

    @cached_property
    def _report(self) -> set[int]:
        """Of each thing that the report names, and of all together."""
        some = self._near.everything
        return self._near.counted([*some, _union(some)])

    @cached_property
    def _whole(self) -> set[int]:
        """Of all orders: how many, of how many things, makers, kinds and years, and how many things came again."""
        sets = self._sets
        often = Counter(one.order.product_id for one in sets.orders)
        years = Counter(day.year for day in sets.days)
        found = {*sets.sizes(sets.all), len(sets.store), len(sets.category), len(sets.roots), len(years)}
        found |= {sum(many >= least for many in often.values()) for least in (2, 3, 4)}
        found |= {sum(many == just for many in often.values()) for just in (1, 2, 3)}
        found |= {max(often.values(), default=0), max(years.values(), default=0), sets.priced.bit_count()}
        found.add(len(sets.orders) - sets.priced.bit_count())
        if years:
            found |= {max(years) - min(years), max(years) - min(years) + 1 - len(years)}
        return found


def _union(masks: Iterable[Mask]) -> Mask:
    found = 0
    for one in masks:
        found |= one
    return found


def _spans(every: Mask, times: Sequence[Mask]) -> list[Mask]:
    """From the first of one time to the last of another one."""
    found = []
    for a, b in combinations([one for one in times[:8] if one], 2):
        both = a | b
        low, high = (both & -both).bit_length() - 1, both.bit_length()
        found.append(((1 << high) - (1 << low)) & every)
        inner_low, inner_high = (
            min(a.bit_length(), b.bit_length()),
            max((a & -a).bit_length(), (b & -b).bit_length()) - 1,
        )
        if inner_high > inner_low:
            found.append(((1 << inner_high) - (1 << inner_low)) & every)
    return found
