"""Places for a provider's calls, shared out to workers: never more than allowed, nobody starves, one 429 slows all of them once."""

from __future__ import annotations

import random

import pytest
from drr.extras.ray.limits import CallReport, Sharing


class Town:
    """Workers that say how they stand, and hear of their shares later; each takes as many calls as it may, and wants."""

    def __init__(self, seed: int, most: int) -> None:
        self.chance = random.Random(seed)
        self.most, self.now = most, 100.0
        self.sharing = Sharing(lambda: self.now)
        self.shares: dict[str, int] = {}
        self.running: dict[str, int] = {}
        self.waiting: dict[str, int] = {}
        self.done: dict[str, int] = {}
        self.told: dict[str, list[int]] = {}
        self.highest = 0

    def join(self, *names: str, calls: int) -> None:
        for name in names:
            self.shares[name] = self.running[name] = self.done[name] = 0
            self.waiting[name], self.told[name] = calls, []

    def say(self, name: str, *refusals: tuple[float, float], answered: int = 0) -> None:
        wanted = self.running[name] + self.waiting[name]
        stand = CallReport(self.running[name], wanted, answered, refusals)
        self.told[name].append(self.sharing.hear(name, name[0], self.most, stand))

    def step(self) -> None:
        name = self.chance.choice(sorted(self.shares))
        if self.told[name]:
            if self.chance.random() < 0.5:
                self.shares[name] = self.told[name].pop(0)
        else:
            self.say(name)
        if self.running[name] and self.chance.random() < 0.4:
            self.running[name] -= 1
            self.done[name] += 1
        while self.waiting[name] and self.running[name] < self.shares[name] and self.chance.random() < 0.8:
            self.waiting[name] -= 1
            self.running[name] += 1
        self.highest = max(self.highest, sum(self.running.values()))


@pytest.mark.parametrize("most", [1, 3, 50])
@pytest.mark.parametrize("seed", range(5))
def test_no_more_calls_than_allowed_and_every_one_gets_its_turn(seed: int, most: int) -> None:
    town = Town(seed, most)
    town.join("a1", "a2", "b1", "b2", calls=50)
    for _ in range(20_000):
        town.step()
    assert town.done == dict.fromkeys(town.shares, 50)
    assert town.highest == most


@pytest.mark.parametrize("wanted", [6, 40])
def test_nobody_starves_beside_one_that_always_wants_more(wanted: int) -> None:
    sharing, shares = Sharing(lambda: 0.0), {"a": 0, "b": 0}
    seen = {"a": 0, "b": 0}
    for _ in range(40):
        for name, count in (("a", wanted), ("b", 5)):
            shares[name] = sharing.hear(name, name, 1, CallReport(shares[name], count, shares[name]))
            seen[name] += shares[name]
    assert min(seen.values()) >= 8


def test_each_run_keeps_to_its_own_and_what_one_does_not_want_is_anothers() -> None:
    sharing, shares = Sharing(lambda: 0.0), {"few-1": 0, "few-2": 0, "many-1": 0, "many-2": 0}
    for _ in range(4):
        for name, most, wanted in (("few-1", 2, 3), ("few-2", 2, 3), ("many-1", 9, 1), ("many-2", 9, 90)):
            shares[name] = sharing.hear(name, name.split("-")[0], most, CallReport(shares[name], wanted))
    assert shares == {"few-1": 1, "few-2": 1, "many-1": 1, "many-2": 6}


def test_who_is_not_heard_any_more_holds_nothing_and_a_share_counts_until_its_calls_have_ended() -> None:
    now = [0.0]
    sharing = Sharing(lambda: now[0])
    assert sharing.hear("a", "a", 4, CallReport(0, 4)) == 4
    assert sharing.hear("b", "b", 4, CallReport(0, 4)) == 0
    assert sharing.hear("a", "a", 4, CallReport(4, 4)) == 2
    assert sharing.hear("b", "b", 4, CallReport(0, 4)) == 0, "all four are under way"
    assert sharing.hear("a", "a", 4, CallReport(2, 4)) == 2
    assert sharing.hear("a", "a", 4, CallReport(2, 4)) == 2
    assert sharing.hear("b", "b", 4, CallReport(0, 4)) == 2
    now[0] += 60.0
    assert sharing.hear("b", "b", 4, CallReport(2, 4)) == 4


def test_one_429_slows_all_workers_once_and_answers_bring_the_pace_back() -> None:
    now = [100.0]
    sharing = Sharing(lambda: now[0])
    assert sharing.hear("a", "r", 8, CallReport(0, 8)) == 8
    late = tuple((2.0, 5.0) for _ in range(3))  # all of them were under way when the first came
    assert sharing.hear("a", "r", 8, CallReport(0, 8, refusals=late)) == 0
    assert sharing.hear("b", "r", 8, CallReport(0, 8)) == 0, "nothing is asked before the pause is over"
    now[0] += 5.0
    for _ in range(3):
        shares = [sharing.hear(name, "r", 8, CallReport(0, 8)) for name in "ab"]
    assert shares == [2, 2]
    for _ in range(20):
        shares = [sharing.hear(name, "r", 8, CallReport(0, 8, answered=4)) for name in "ab"]
    assert shares == [4, 4]
