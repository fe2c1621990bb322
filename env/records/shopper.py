"""A shopper's summary as query writers and judges read it, and the purchases that a query writer may build on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.records.lines import count, dollars, price
from drr.env.statistics import Share
from drr.wording.states import STATES

if TYPE_CHECKING:
    from drr.env.profile import Bought, ProfileSummary, Spend


def shopper_summary(profile: ProfileSummary) -> str:
    """Never longer than about 4,000 characters: the summary's lists are short."""
    lines = [
        f"Shopper: {profile.label.name} ({'; '.join(profile.label.reasons)})",
        f"Region: {profile.city}, {_state(profile.state)}, {profile.country}; account {profile.account_status}",
    ]
    return "\n".join([*lines, *(_history(profile) if profile.orders else ["Orders: none yet"])])


def _history(profile: ProfileSummary) -> list[str]:
    lines = [
        f"Orders: {count(profile.orders)} {_between(profile)}, about "
        f"{profile.orders_per_year:g} a year ({profile.activity}); {count(profile.orders_last_year)} in the last 365 days; last one "
        f"{profile.days_since_last_order} days before {profile.as_of}",
        "Status: " + ", ".join(f"{name} {count(n)}" for name, n in profile.by_status.items() if n),
        "Spend: " + _spend(profile.spend),
        "Favourite categories: " + "; ".join(_share(share) for share in profile.categories),
        "Favourite stores: " + ("; ".join(_share(share) for share in profile.stores) or "unknown"),
    ]
    if profile.repeated:
        lines.append("Buys again and again:")
        lines += [
            f"- {item.title} ({item.times} times, last {item.last}, {price(item.price)})"
            for item in profile.repeated
        ]
    lines.append("Recent and notable purchases:")
    lines += [
        f"- {item.last}: {item.title} ({item.category}, {price(item.price)})" for item in profile.notable
    ]
    return lines


def _between(profile: ProfileSummary) -> str:
    if profile.first_order == profile.last_order:
        return f"on {profile.first_order}"
    return f"between {profile.first_order} and {profile.last_order}"


def _state(code: str) -> str:
    return f"{STATES[code]} ({code})" if code in STATES else code


def _spend(spend: Spend) -> str:
    if spend.total is None or spend.mean_price is None:
        return "unknown (no price on record for anything bought)"
    text = f"{dollars(spend.total)} at known prices, {dollars(spend.mean_price)} on average"
    if spend.quartiles:
        text += f", quartiles {' / '.join(map(dollars, spend.quartiles))} ({spend.level})"
    return text + f"; the price of {spend.unknown_share:.0%} of the orders is unknown"


def _share(share: Share) -> str:
    return f"{share.name} ({count(share.orders)} order{'s' * (share.orders != 1)}, {price(share.spend)})"


def purchase_row(item: Bought) -> str:
    """One purchase in the list that a query writer is given; its price has no thousands separator."""
    cost = price(None) if item.price is None else f"${item.price:.2f}"
    return (
        f"order {item.order_id} | product {item.product_id} | {item.last} | {cost} | {item.times} times"
        f" | {item.category} | {item.title}"
    )
