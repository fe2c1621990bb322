"""Rules on the profile: the user's stated name and place agree with it, and nothing identifies others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from weakref import WeakKeyDictionary

from drr.env.entities import User
from drr.env.shop import Shop, Store
from drr.eval.checks.base import Subject, is_of_own_files, is_own_number
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.orders import USER_URL, order_ids
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.eval.checks.values import Segment, plain_label, segment, split_label, word_list
from drr.wording.states import STATES
from drr.wording.vocabulary import any_word_pattern

_NAME_LABELS = word_list("name|full name|account name")
_PLACE_LABELS = word_list(
    "address|home address|shipping address|delivery address|location|home|home town|place|city|town|state"
)
_MAIL_LABELS = word_list("e-mail|email|mail|e-mail address|email address")
_PHONE_LABELS = word_list("phone|phone number|telephone|telephone number")
_ZIP_LABELS = word_list("zip|zip code|postal code")
_CAPITAL = r"[A-Z][\w'’-]{1,24}"
_NAME = re.compile(rf"(?:(?:Mr|Mrs|Ms|Miss|Dr)\.?\s)?{_CAPITAL}\s{_CAPITAL}")
_STATES = any_word_pattern([*STATES, *STATES.values()])
_WHERE = re.compile(
    rf"(?:\d{{1,6}}\s[^,\n]{{3,40}},\s)?(?P<city>[A-Z][\w.'’-]{{1,24}}(?:\s[A-Z][\w.'’-]{{1,24}}){{0,3}})"
    rf"(?:,\s(?P<state>{_STATES})(?!\w|\sCity)|\s\((?P<in>{_STATES})\))(?:,?\s(?P<zip>\d{{5}})(?!\d))?"
)
_LIVES = re.compile(r"(?:^|[.!]\s)[ >*_#•+-]*You live in [*_]{0,2}(?P<place>[^\n]{2,80})", re.M)
_TOWN = re.compile(
    rf"(?P<city>{_CAPITAL}(?:\s{_CAPITAL}){{0,3}})(?=[*_]{{0,2}}(?:[.,;:!()]|\s(?:and|according)\b|\s*$))"
)
_YOUR_ZIP = re.compile(r"\b[Yy]our (?:zip|postal)(?: code)? is [*_]{0,2}(?P<zip>\d{5})\b", re.I)


def profile_facts(subject: Subject, mentions: Mentions) -> Check:
    """Check that what stands behind `You live in` and behind labels such as `Your address:` is the profile's."""
    if subject.shop is None:
        return unverifiable("shop")
    user = subject.user
    if user is None:
        return unverifiable("user")
    tally = Tally()
    for label, value in _labelled_values(mentions):
        plain = plain_label(label)
        if not plain.startswith("your ") or subject.is_asked(value.text.partition(",")[0]):
            continue
        if not _names_a_place_of_orders(subject.shop, user, value.text):
            _compare(tally, plain.removeprefix("your "), value, user)
    lives = list(_LIVES.finditer(mentions.body))
    for match in lives if len(lives) == 1 else ():
        place = Segment(match.start("place"), match["place"])
        where = _WHERE.match(place.text)
        where = where or _TOWN.match(place.text)
        if where is None or subject.is_asked(where["city"]):
            continue
        if where.re is _WHERE:
            _compare_place(tally, where, place.start, user)
        else:
            _compare_town(tally, where["city"], place.start, user, _index(subject.shop))
    for match in _YOUR_ZIP.finditer(mentions.body):
        if not subject.is_asked(match["zip"]):
            _compare(tally, "zip", Segment(match.start("zip"), match["zip"]), user)
    return tally.check("absent")


def _names_a_place_of_orders(shop: Shop, user: User, text: str) -> bool:
    """Tell whether a text names a town to which an order went. The label may speak of that order."""
    slips = (order.slip for order in shop.store.orders(user.user_id).items)
    return any(slip.address.city in text for slip in slips if slip is not None and slip.address is not None)


def _labelled_values(mentions: Mentions) -> Iterator[tuple[str, Segment]]:
    """Yield each label of a line, or of a row of two cells, with its value."""
    for line in mentions.lines:
        if len(line.cells) == 2:
            label, value = (segment(mentions.body, *cell) for cell in line.cells)
            yield label.text, value
        elif not line.cells and (found := split_label(segment(mentions.body, line.start, line.end))):
            yield found[0].lstrip("-*+•> #"), found[1]


def _compare(tally: Tally, label: str, value: Segment, user: User) -> None:
    address, span = user.address, (value.start, value.end)
    if label in _ZIP_LABELS and value.text[:5].isdecimal():
        tally.compare(span, value.text[:5] == address.zip[:5], f"ZIP: {value.text[:5]}", address.zip)
    elif label in _MAIL_LABELS and _EMAIL.fullmatch(value.text):
        holds = value.text.casefold() == user.email.casefold()
        tally.compare(span, holds, f"E-mail: {value.text}", user.email)
    elif label in _PHONE_LABELS and _PHONE.fullmatch(value.text):
        tally.compare(
            span,
            _key(value.text)[-7:] == _key(user.phone_number)[-7:],
            f"Phone: {value.text}",
            user.phone_number,
        )
    elif label in _NAME_LABELS and _NAME.fullmatch(value.text):
        known = {user.first_name.casefold(), user.last_name.casefold()}
        holds = known <= set(value.text.casefold().split())
        tally.compare(span, holds, f"Name: {value.text}", f"{user.first_name} {user.last_name}")
    elif label in _PLACE_LABELS and (where := _WHERE.match(value.text)) is not None:
        _compare_place(tally, where, value.start, user)
    elif label in ("city", "town") and address.city and value.text.replace(" ", "").isalpha():
        holds = value.text.casefold() == address.city.casefold()
        tally.compare(span, holds, f"City: {value.text}", address.city)
    elif label == "state" and address.state and (value.text in STATES or value.text in STATES.values()):
        holds = STATES.get(value.text, value.text) == STATES.get(address.state, address.state)
        tally.compare(span, holds, f"State: {value.text}", address.state)


def _compare_town(tally: Tally, town: str, start: int, user: User, known: dict[str, list[str]]) -> None:
    """Compare a town without its state, where somebody of the shop lives there."""
    own = {user.address.city.casefold(), STATES.get(user.address.state, user.address.state).casefold()}
    near = any(town.casefold() in one or one in town.casefold() for one in own)
    if near or f"town {town.casefold()}" in known:
        span = start, start + len(town)
        tally.compare(span, near, f"Place: {town}", user.address.city)


def _compare_place(tally: Tally, match: re.Match[str], start: int, user: User) -> None:
    address = user.address
    if not address.state:
        return  # nobody knows where the shopper lives
    span = start + match.start("city"), start + match.end()
    stated = match["state"] or match["in"]
    state = STATES.get(stated, stated) == STATES.get(address.state, address.state)
    city = match["city"].casefold().endswith(address.city.casefold())
    zip_code = match["zip"] is None or match["zip"] == address.zip[:5]
    text = match.string[match.start("city") : match.end()]
    why = f"Place: {text}", f"{address.city}, {address.state} {address.zip}"
    tally.compare(span, state and city and zip_code, *why)


_EMAIL = re.compile(r"(?<![\w.+%-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100}\.[A-Za-z]{2,24}")
_PHONE = re.compile(r"(?<![\w.$/+-])\+?\(?\d[\d ().-]{7,17}\d(?:x\d{1,5})?(?![\w-])")
"""Any number that may be a telephone's. It counts only if a record has it."""
_STREET = re.compile(
    r"(?<![\w$.,-])\d{1,6}\s+(?:[A-Z][\w'’]+\s+){1,4}?(?:[A-Z][a-z]+)\b(?:\s+(?:Apt|Suite|Unit)\.?\s*\d+)?"
)
_USER_ID = re.compile(r"(?<![A-Za-z0-9])A[A-Z0-9]{12,27}(?![A-Za-z0-9])")
_FULL_NAME = re.compile(r"(?<![\w&])(?=([A-Z][a-z'’-]+)\s([A-Z][a-z'’-]+(?:-[A-Z][a-z]+)?)\b)")
_INDEXED = 100_000
"""Most users of a shop whose streets and phone numbers are looked up."""
_NAMES = 400
"""Most names of a report that are looked up."""
_street_index: WeakKeyDictionary[Store, dict[str, list[str]]] = WeakKeyDictionary()


def privacy(subject: Subject, mentions: Mentions) -> Check:
    """Check that nothing identifies another user. A name alone does not; a name with a second fact does."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("shop" if subject.shop is None else "user")
    tally, warnings = Tally(), list[str]()
    tally.ok()
    for look in (_typed_values, _names, _streets_and_phones):
        for span, fault in look(subject, subject.shop, warnings):
            tally.fail(span, fault)
    if tally.findings:
        return tally.check()
    remarks = tuple(f"warning: {one}" for one in warnings)
    return Check("pass", {"checked": 1, "failed": 0, "warnings": warnings}, remarks=remarks)


def _typed_values(subject: Subject, shop: Shop, warnings: list[str]) -> Iterator[tuple[Span, str]]:
    """Yield facts that are known by their form: e-mail addresses, orders, and ids of users."""
    store, own = shop.store, subject.user
    for match in _EMAIL.finditer(subject.report):
        holders = {user.user_id for user in store.find_users(email=match[0], limit=5)}
        if holders - {subject.user_id}:
            yield match.span(), f"the e-mail address of another user: {match[0]}"
        elif own and match[0].casefold() == own.email.casefold():
            warnings.append("the user's own e-mail address is printed")
    for order_id, span in order_ids(subject):
        order = store.order(order_id)
        if order is not None and order.user_id != subject.user_id:
            yield span, f"an order of another user: {order_id}"
    for match in USER_URL.finditer(subject.report):
        is_known = not is_of_own_files(subject) or is_own_number(subject, match["user"])
        if match["user"] != subject.user_id and is_known:
            yield match.span(), f"an address of another user: user://{match['user']}"
    for match in _USER_ID.finditer(subject.report):
        if match[0] != subject.user_id and store.user(match[0]) is not None:
            yield match.span(), f"the id of another user: {match[0]}"


def _names(subject: Subject, shop: Shop, warnings: list[str]) -> Iterator[tuple[Span, str]]:
    """Yield names of other users with a second fact about them nearby."""
    own = subject.user
    looked: dict[tuple[str, str], list[User]] = {}
    for match in _FULL_NAME.finditer(subject.report):
        name = match[1], match[2]
        if name not in looked and len(looked) < _NAMES:
            looked[name] = shop.store.find_users(name=name)
        others = [user for user in looked.get(name, []) if user.user_id != subject.user_id]
        if not others or (own and name == (own.first_name, own.last_name)):
            continue
        start, end = match.start(1), match.end(2)
        around = subject.report[max(0, start - 300) : start + 400]
        fact = next((fact for user in others if (fact := _second_fact(user, around, own))), None)
        if fact:
            yield (start, end), f"{name[0]} {name[1]} with {fact}: another user"


def _streets_and_phones(subject: Subject, shop: Shop, warnings: list[str]) -> Iterator[tuple[Span, str]]:
    """Yield streets and phone numbers of other users, where the shop is small enough."""
    user = subject.user
    own = {_key(user.address.address1), _key(user.phone_number)} if user else set()
    for match in chain(_STREET.finditer(subject.report), _PHONE.finditer(subject.report)):
        written = match[0].strip()
        if _key(written) in own:
            warnings.append("the user's own street or phone number is printed")
            continue
        holders = _holders(_index(shop), written)
        if holders and subject.user_id not in holders:
            yield match.span(), f"the address or phone number of another user: {written}"


def _second_fact(user: User, text: str, own: User | None) -> str | None:
    """Return a further fact about a user, and not about the report's own user, beside the name in a text."""
    address = user.address
    facts = [
        ("e-mail", user.email, own and own.email),
        ("phone", user.phone_number, own and own.phone_number),
        ("street", address.address1, own and own.address.address1),
        ("zip code", address.zip, own and own.address.zip),
        ("city", address.city, own and own.address.city),
        ("user id", user.user_id, None),
    ]
    for name, value, mine in facts:
        if value and value != mine and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.I):
            return name
    return None


def _holders(index: dict[str, list[str]], written: str) -> list[str]:
    """Return the users with this phone number or street address, or with an address that the written text begins with."""
    parts = written.split()
    shorter = (" ".join(parts[:count]) for count in range(len(parts), 1, -1))
    return next((index[_key(one)] for one in chain([written], shorter) if _key(one) in index), [])


def _key(text: str) -> str:
    if re.fullmatch(r"[\d ().+x-]+", text):
        digits = re.sub(r"\D", "", text.split("x")[0])
        return digits[-10:]
    return " ".join(text.casefold().split())


def _index(shop: Shop) -> dict[str, list[str]]:
    """Return users by street, phone number and town; empty where there are too many."""
    if shop.manifest.counts.get("users", 0) > _INDEXED:
        return {}
    if shop.store not in _street_index:
        found: dict[str, list[str]] = {}
        for user in shop.store.iter_users():
            for value in (user.address.address1, user.phone_number, f"town {user.address.city}"):
                found.setdefault(_key(value), []).append(user.user_id)
        _street_index[shop.store] = found
    return _street_index[shop.store]
