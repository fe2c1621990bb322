"""A person as people read it."""

from __future__ import annotations

from drr.env.records.lines import one_line
from drr.papers.pdr.person import Attribute, Ground, Person

_NAMED = 3


def person_text(person: Person) -> str:
    head = person.person_id
    if person.as_of is not None:
        head += f", known before {person.as_of}"
    if any(one.basis == "invented" for one in person.attributes):
        head += "\n  ** what is marked invented is drawn by seed and true of nobody **"
    return "\n".join([head, *(_line(one) for one in person.attributes)])


def _line(attribute: Attribute) -> str:
    rests = ", ".join(_ground(ground) for ground in attribute.evidence[:_NAMED])
    more = len(attribute.evidence) - _NAMED
    told = f"  {attribute.block:<14}{one_line(attribute.statement, 200)}  [{attribute.basis}"
    return f"{told}{': ' + rests if rests else ''}{f', {more} more' if more > 0 else ''}]"


def _ground(ground: Ground) -> str:
    if ground.quote is not None:
        return f'"{one_line(ground.quote, 80)}"'
    return f"order {ground.order_id}" if ground.order_id is not None else str(ground.record)


def persona_text(person: Person) -> str:
    """Write the text that the `persona` settings give: the statements by block. It has neither who it is nor what they rest on."""
    blocks: dict[str, list[str]] = {}
    for attribute in person.attributes:
        blocks.setdefault(attribute.block, []).append(attribute.statement)
    return "\n\n".join(
        "\n".join([f"{block.replace('_', ' ').capitalize()}:", *(f"- {one}" for one in statements)])
        for block, statements in blocks.items()
    )
