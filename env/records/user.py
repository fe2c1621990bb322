"""A user as the page a tool gives, and as the evidence a judge is shown."""

from __future__ import annotations

from drr.env.entities import User
from drr.env.records.lines import one_line


def person(user: User) -> str:
    return f"{one_line(user.first_name, 60)} {one_line(user.last_name, 60)}"


def place(user: User) -> str:
    address = user.address
    return (
        f"{one_line(address.address1, 100)}, {one_line(address.city, 60)},"
        f" {one_line(address.state, 30)} {one_line(address.zip, 12)}, {one_line(address.country, 30)}"
    )


def profile_page(user: User, address: str) -> str:
    return (
        f"{person(user)} | {one_line(user.email, 120)} | {one_line(user.phone_number, 40)}"
        f" | {place(user)} | account {user.account_status}\n{address}"
    )


def profile_evidence(user: User) -> str:
    address = user.address
    return "\n".join(
        (
            f"Customer: {user.first_name} {user.last_name}",
            f"E-mail: {user.email}",
            f"Phone: {user.phone_number}",
            f"Address: {address.address1}, {address.city}, {address.state} {address.zip}, {address.country}",
            f"Account: {user.account_status}",
        )
    )
