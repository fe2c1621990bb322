"""Masks what a shop's records say of people, wherever it stands in a bundle of imported answers.

`Ann Lee, ann@post.example` becomes `███ ███, ████████████████`: places and numbers of words stay, so figures do too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote

from drr.env.entities import Address, User
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.shop import Shop
from drr.eval.foreign.shoppers import addresses_in_text, users_in_addresses
from drr.eval.foreign.traces import json_or_text
from drr.study.bundle.parcel import MASK
from drr.study.study import Study
from drr.study.unit import canonical_json

_PUBLIC = {"user_id", "address", "account_status", "state", "country"}
_PERSONAL = {*User.model_fields, *Address.model_fields, "recipient"} - _PUBLIC
_BETWEEN = r"(?:[\W_]|&#?\w{1,8};|\\+[nrt]|\\+u[0-9a-f]{4})"
"""Signs, entities and escapes that may stand between the words of a value."""
_NUMBER = re.compile(r"\d(?:[\W_]{0,3}\d){9,20}")
_TELEPHONE = 10  # last digits by which a telephone is known
Mask = Callable[..., Any]


def mask_of(study: Study, shop: Shop | None) -> Mask:
    """Return a function that masks the personal fields of all people whom imported answers name."""
    values = {value for document in _documents(study, shop) for value in _fields(document)}
    forms = {form for value in values for form in _forms(value)}
    if not forms:
        return lambda value, of_judges=False: value
    texts = f"(?<![^\\W_])(?:{'|'.join(sorted(forms, key=len, reverse=True))})(?![^\\W_])"
    found = re.compile("|".join([*map(_telephone, sorted(filter(_is_telephone, values))), texts]), re.I)

    def mask(value: Any, of_judges: bool = False) -> Any:
        if isinstance(value, str):
            if of_judges and value.islower() and value.isidentifier():
                return value  # a word of ours, such as `price`, and no Mr Price
            return found.sub(lambda match: re.sub(r"\S", MASK, match[0]), value)
        if isinstance(value, dict):
            # A key is a stranger's too; those of ours are plain words.
            return {
                name if name.islower() and name.isidentifier() else mask(name): mask(inner, of_judges)
                for name, inner in value.items()
            }
        return [mask(inner, of_judges) for inner in value] if isinstance(value, list) else value

    return mask


def _documents(study: Study, shop: Shop | None) -> Iterator[JsonObject]:
    """Yield what was imported with the records kept of it, and the shop's records of all whom it names."""
    named, everything = set[str](), list[str]()
    for record in study.records("answer", None, current=False):
        if not record.made_elsewhere:
            continue
        if shop is None and (spec := study.config.get("run", {}).get("shop")):
            raise Misuse(
                f"the shop {spec!r} is not here, and only its records say what is personal; name it with --shop"
            )
        texts = [study.kept_text(record, name) or "" for name in record.blobs if name.startswith("text:")]
        document = {"spec": dict(record.spec), "texts": texts}
        yield document
        text = canonical_json(document)
        named |= {str(record.spec.get("user_id")), *addresses_in_text(text, shop).values()}
        everything.append(text)
    if shop and everything:
        named |= _named("\n".join(everything), shop)
    for store, user_id in ((shop.store, user_id) for user_id in sorted(named) if shop):
        if user := store.user(user_id):
            yield user.document()
            yield from (one.document() for one in store.orders(user_id).items if one.slip)


def _named(text: str, shop: Shop) -> set[str]:
    """Return the users whom a text names by address, by first and last name, or by telephone."""
    found = {unquote(user) for user in users_in_addresses(text)}
    words = re.sub(r"\\+[nrt]|[\W_]+", " ", text.casefold()).split()
    pairs = set(pairwise(words))
    digits = ("".join(filter(str.isdigit, one)) for one in _NUMBER.findall(text))
    numbers = {one[at : at + _TELEPHONE] for one in digits for at in range(len(one) - _TELEPHONE + 1)}
    for user in shop.store.iter_users():
        name = f"{user.first_name} {user.last_name}".casefold().split()
        number = "".join(filter(str.isdigit, user.phone_number))[-_TELEPHONE:]
        if number in numbers or (len(name) > 1 and pairs.issuperset(pairwise(name))):
            found.add(user.user_id)
    return found


def _fields(document: Any) -> Iterator[str]:
    """Yield the personal fields of the records in a document, those in texts of JSON too."""
    document = json_or_text(document)
    if isinstance(document, dict) and {"first_name", "last_name"} <= document.keys():
        yield f"{document['first_name']} {document['last_name']}"
    for name, value in document.items() if isinstance(document, dict) else ():
        if name in _PERSONAL and isinstance(value, str) and value.strip():
            yield value.strip()
        else:
            yield from _fields(value)
    for value in document if isinstance(document, list) else ():
        yield from _fields(value)


def _forms(value: str) -> Iterator[str]:
    """Yield regular expressions of a value as texts, JSON and addresses write it, whatever signs stand between its words.

    A telephone's marks may be missing.
    """
    escaped, words = json.dumps(value)[1:-1], value.split()
    # A claim may end within a street: `5975 Sarah Wall Apt.`
    streets = (" ".join(words[:count]) for count in range(2, len(words)) if words[0].isdecimal())
    for form in (value, escaped, json.dumps(escaped)[1:-1], quote(value), *streets):
        yield rf"{_BETWEEN}{{0,8}}".join(map(re.escape, form.split()))


def _is_telephone(value: str) -> bool:
    return sum(map(str.isdigit, value)) >= _TELEPHONE and not any(map(str.isalpha, value))


def _telephone(value: str) -> str:
    """Return the regular expression of a telephone with or without its country, marks and extension."""
    digits = "".join(filter(str.isdigit, value))[-_TELEPHONE:]
    wide = (f"[{one}{chr(0xFF10 + int(one))}]" for one in digits)
    return (
        rf"(?<!\d)(?:\d{{1,3}}{_BETWEEN}{{0,4}})?{f'{_BETWEEN}{{0,4}}'.join(wide)}(?!\d)(?:\s?x\s?\d{{1,6}})?"
    )
