"""What a figure is with one slip of the pen put right."""

from __future__ import annotations

from collections.abc import Iterator

from drr.wording.numbers import number


def slips(digits: str) -> Iterator[float]:
    """With one digit another, one more or less in front or at the end, or two in each other's place."""
    whole, point, _ = digits.partition(".")
    for at, old in enumerate(digits):
        if old.isdigit():
            yield from (number(digits[:at] + new + digits[at + 1 :]) for new in "0123456789" if new != old)
    rest = digits[1:].lstrip(",")
    if rest and rest[0].isdigit():
        yield number(rest)
    if len(whole) <= 3:
        yield from (number(f"{new}{digits}") for new in "123456789")
    if not point and len(whole) > 1 and "," not in whole:
        yield number(whole[:-1])
        yield from (number(f"{whole}{new}") for new in "0123456789")
    for at in range(len(digits) - 1):
        one, other = digits[at], digits[at + 1]
        if one.isdigit() and other.isdigit() and one != other:
            yield number(digits[:at] + other + one + digits[at + 2 :])
