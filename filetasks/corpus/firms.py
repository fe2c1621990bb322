"""Other models and other firms: what is called much like what a case is about, and is something else."""

from __future__ import annotations

from random import Random

from drr.filetasks.corpus.stock import About, stock
from drr.filetasks.planning.things import words

SISTERS = ("Mini", "Junior", "Classic", "Travel", "Plus", "Select", "Second Edition")
"""What another model is called: products have models, firms have none."""
_JOINTS = frozenset(["and", "&", "of", "in", "the"])


def other_name(about: About, name: str, rng: Random) -> str:
    """Another model of a thing; a firm that shares a part of its name with another."""
    if about == "thing":
        return f"{name} {rng.choice(SISTERS)}"
    partner = rng.choice(stock().names["partners"])
    return f"{_stem(name)} & {partner}"


def _stem(name: str) -> str:
    """`Maple Crossing` of `Maple Crossing Home Store`."""
    for tail in words("seller_last"):
        if name.endswith(f" {tail}"):
            return name.removesuffix(f" {tail}")
    said = name.split()
    joint = next((at for at, word in enumerate(said) if word.casefold() in _JOINTS and at), None)
    if joint is not None:
        return " ".join(said[:joint])
    return " ".join(said[:-1]) if len(said) > 1 and said[0].casefold() not in _JOINTS else name
