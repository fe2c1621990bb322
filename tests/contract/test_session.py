"""A session sees its own writes; the shop and other sessions never do."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from drr.env.session import Change, Session
from drr.env.shop import Shop

from tests.cases import cases

if TYPE_CHECKING:
    from tests.contract.conftest import Data


def test_a_write_is_seen_by_its_session_only(shop: Shop, data: Data) -> None:
    user = data.users[3]
    mine, other = Session(shop, user.user_id), Session(shop, user.user_id)
    changes = mine.update_user(user.user_id, {"first_name": "Renée", "address": {"city": "Aurora"}})
    assert changes == [
        Change(user.user_id, "first_name", user.first_name, "Renée"),
        Change(user.user_id, "address.city", user.address.city, "Aurora"),
    ]
    seen = mine.user(user.user_id)
    assert seen is not None
    assert (seen.first_name, seen.address.city, seen.address.zip) == ("Renée", "Aurora", user.address.zip)
    assert other.user(user.user_id) == shop.store.user(user.user_id) == user
    assert (mine.changes(), other.changes()) == (changes, [])


def test_writes_add_up_and_equal_values_or_unknown_users_are_no_change(shop: Shop, data: Data) -> None:
    user = data.users[4]
    session = Session(shop, None)
    session.update_user(user.user_id, {"phone_number": "+1-555-0100"})
    assert session.update_user(user.user_id, {"phone_number": "+1-555-0100"}) == []
    session.update_user(user.user_id, {"phone_number": user.phone_number})
    assert session.user(user.user_id) == user
    assert [change.after for change in session.changes()] == ["+1-555-0100", user.phone_number]
    assert session.user("nobody") is None
    with pytest.raises(KeyError):
        session.update_user("nobody", {"first_name": "x"})


@pytest.mark.parametrize("fields", cases("contract", "test_a_wrong_shape_is_refused_and_changes_nothing"))
def test_a_wrong_shape_is_refused_and_changes_nothing(
    shop: Shop, data: Data, fields: dict[str, object]
) -> None:
    session = Session(shop, None)
    with pytest.raises(ValueError):
        session.update_user(data.users[0].user_id, fields)
    assert session.user(data.users[0].user_id) == data.users[0]
    assert session.changes() == []


def test_changed_users_are_found_by_what_they_are_now(shop: Shop, data: Data) -> None:
    user = data.users[5]
    session = Session(shop, None)
    session.update_user(user.user_id, {"email": "new@example.net", "last_name": "Newname"})
    changed = session.user(user.user_id)
    assert session.find_users(email="NEW@example.net") == [changed]
    assert session.find_users(name=(user.first_name, "newname")) == [changed]
    assert session.find_users(email=user.email) == []
    assert shop.store.find_users(email=user.email) == [user]
    assert changed not in session.find_users(name=(user.first_name, user.last_name))
    assert session.find_users() == []


def test_concurrent_writes_in_one_session_are_all_kept(shop: Shop, data: Data) -> None:
    session = Session(shop, None)
    user_id = data.users[6].user_id
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda n: session.update_user(user_id, {"phone_number": f"+1-555-{n:04d}"}), range(100))
        )
    changes = session.changes()
    assert len(changes) == 100
    assert all(a.after == b.before for a, b in itertools.pairwise(changes))
