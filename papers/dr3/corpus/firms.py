"""Other models and other firms: what is called much like what a case is about, and is something else."""

from __future__ import annotations

from random import Random

from drr.papers.dr3.corpus.stock import About, stock
from drr.papers.dr3.planning.things import MODELS, words

_PLAIN = 0.5
"""How often the other one of a model with such a name is the one without."""
_JOINTS = frozenset(["and", "&"])
_LEAST = 3
"""Letters of the first half of a name in one word."""


def other_name(about: About, name: str, rng: Random) -> str:
    """Find another model of a thing, or another firm whose name begins alike and has the same form. `Muddy
    Heron` stands beside `Muddy Otter`, `Tidewick` beside `Tidewell`."""
    return _other_model(name, rng) if about == "thing" else _other_firm(name, rng)


def _other_model(name: str, rng: Random) -> str:
    """Choose another model. For a model with a name of its own, take the plain one as often as another."""
    plain, _, last = name.rpartition(" ")
    if last not in MODELS:
        return f"{name} {rng.choice(MODELS)}"
    if rng.random() < _PLAIN:
        return plain
    return f"{plain} {rng.choice([one for one in MODELS if one != last])}"


def _other_firm(name: str, rng: Random) -> str:
    names = stock().names
    for group in (words("seller_last"), names["shop_words"], names["field_words"]):
        for tail in group:
            if name.endswith(f" {tail}"):
                return f"{name.removesuffix(tail)}{_other(group, name, rng)}"
    *first, last = name.split()
    if first:
        group = names["shop_words"] if first[0] == "The" else names["second_words"]
        return " ".join([*first, _other(group, last, rng)])
    return _one_word(last, rng)


def _other(group: tuple[str, ...], name: str, rng: Random) -> str:
    *_, last = had = name.split()
    free = [word for word in group if word not in had and not name.endswith(word)]
    return rng.choice([word for word in free if not word.startswith(last)])


def _one_word(name: str, rng: Random) -> str:
    names = stock().names
    ends = sorted((*names["endings"], *names["found_endings"]), key=len, reverse=True)
    known = next((end for end in ends if name.endswith(end) and len(name) - len(end) >= _LEAST), None)
    head = name.removesuffix(known) if known else _head(name[: -(-len(name) * 3 // 5)])
    free = [end for end in names["endings"] if end != known and not name.startswith(head + end)]
    return head + rng.choice([end for end in free if end[0] != head[-1]] or free)


def _head(start: str) -> str:
    """Cut the vowels at its end, where it can be spoken without them: `Tumble` stays."""
    bare = start.rstrip("aeiouy")
    return start if len(bare) > 1 and not {*bare[-2:].casefold()} & set("aeiouy") else bare
