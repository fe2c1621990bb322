"""The weights of multiples by all their signs (`eval/checks/considered/multiples.toml`), and what they are worth to a writer unseen.

python -m benchmarks.considered_multiples_fit [--shop SHOP] [--until N] [--write] [--record]

Every multiple of a clean text is right; of each twin with a wrong one those are wrong that stand at the error. Of these there are a hundred, so
each right one is also read as another number (twice, half, three times it), which is wrong: to these a second set of trees is fitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, urls_in
from drr.eval.checks.accusing.weighed import raised_by
from drr.eval.checks.considered.multiples import MULTIPLES, TURNED, by_both, is_held, unraised
from drr.eval.checks.considered.ratios import RatioSigns
from drr.eval.checks.mentions import Mentions

from benchmarks.considered_fit import Considered, curves, fit, left_out, read_of, weights_text
from benchmarks.first_contact import StrangerText
from benchmarks.recorded_fit import planted_at
from benchmarks.results import record

HEADING = "Multiples by all signs"
VERSION, BAR = 1, 0.8
_OF = ("multiples.py", "considered_multiples_fit")
_KIND = "multiple"
_OTHERS, _OTHER_SHARES = (2, 1.5, 0.5, 1.6, 2 / 3, 1.35, 3), (0.6, 1.5, 2, 0.5)
_BESIDE = 60
Multiples = tuple[list[Considered], list[Considered]]


def multiples(shop: Shop, name: str, one: StrangerText) -> Iterator[tuple[Considered, Considered | None]]:
    """Of the clean text all, each also as another number; of its twin those at the error."""
    for twin in (False, True):
        text = one.twin if twin else one.text
        if text is None or (twin and (one.plant is None or one.plant.kind != _KIND)):
            continue
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        mentions = Mentions(subject)
        checks = {rule: code.check(subject, mentions) for rule, code in RULES.items()}
        signs = RatioSigns(mentions, raised_by(subject, mentions, checks))
        found = signs.every()
        if twin:
            low, high, changed = planted_at(one)
            at_it = [each for each in found if each.start < changed[1] and each.end > changed[0]]
            beside = [each for each in found if each.start < high + _BESIDE and each.end > low - _BESIDE]
            found = at_it or beside[:1]
        for said in found:
            told = signs.of(said)
            kept = Considered(name, one.id, one.form, twin, twin, is_held(told), told)
            if twin:
                yield kept, None
                continue
            times = Random(said.start).choice(_OTHER_SHARES if said.form == "percent" else _OTHERS)
            turned = unraised(signs.of(said._replace(many=said.many * times)))
            yield kept, Considered(name, one.id, one.form, True, True, False, turned)


def to_be_fitted(kept: Sequence[Considered], turned: Sequence[Considered]) -> Multiples:
    """To what the two are fitted: what readings bear out counts too, or nothing would show how that looks."""
    every = [one._replace(true=False) for one in kept]
    clean = [one._replace(signs=unraised(one.signs)) for one in every if not one.twin]
    return every, [*clean, *turned]


def chances_left_out(kept: Sequence[Considered], turned: Sequence[Considered]) -> list[float]:
    """Of those that stand there, by both, of weights that had not met their writer."""
    every, both = to_be_fitted(kept, turned)
    bare = [one._replace(signs=unraised(one.signs)) for one in every]
    witnesses = zip(kept, left_out(every), left_out(both, bare), strict=True)
    return [0.0 if one.true else by_both(first, second) for one, first, second in witnesses]


def write(kept: Sequence[Considered], turned: Sequence[Considered], rounds: Sequence[str]) -> None:
    for path, some in zip((MULTIPLES, TURNED), to_be_fitted(kept, turned), strict=True):
        path.write_text(weights_text(*fit(some), rounds, some, _OF, VERSION, BAR), encoding="utf-8")


def main() -> None:
    rounds, every, is_asked, is_kept = read_of(multiples, __doc__)
    kept, turned = [one for one, _ in every], [other for _, other in every if other is not None]
    if is_asked:
        write(kept, turned, rounds)
    told = curves(kept, chances_left_out(kept, turned), "multiples")
    print(told)
    if is_kept:
        record(HEADING, told)


if __name__ == "__main__":
    main()
