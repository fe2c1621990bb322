"""The kinds of error that are planted. Each takes a clean case and returns it with one thing wrong, or `None`
where it does not apply. They are of the kinds that rules promise to find: literal things, and values in a
table, a list item or behind a label. What running text says wrong is a judge's to find
(`benchmarks.mistakes`)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from drr.env.entities import User
from drr.env.shop import Shop
from drr.wording.states import STATES

from benchmarks.planted_reports import Case, short_title


@dataclass
class World:
    shop: Shop
    users: list[User]
    titles: dict[str, str]
    """Short titles of other products, by id."""
    rng: random.Random


Plant = Callable[[Case, World], Case | None]
KINDS: dict[str, tuple[str, Plant]] = {}
"""Name -> (the rule that must notice, how it is planted)."""


def plant(rule: str) -> Callable[[Plant], Plant]:
    def keep(function: Plant) -> Plant:
        KINDS[function.__name__] = (rule, function)
        return function

    return keep


def once(case: Case, old: str, new: str) -> Case | None:
    """The first place only."""
    return case.with_report(case.report.replace(old, new, 1)) if old != new and old in case.report else None


def everywhere(case: Case, old: str, new: str) -> Case | None:
    return case.with_report(case.report.replace(old, new)) if old != new and old in case.report else None


def one_of(case: Case, kind: str, world: World) -> str | None:
    words = case.said.get(kind)
    return world.rng.choice(words) if words else None


def other_digit(text: str, world: World, position: int) -> str:
    digits = [index for index, letter in enumerate(text) if letter.isdigit()]
    index = digits[position % len(digits)]
    choices = [d for d in "123456789" if d != text[index]]
    return text[:index] + world.rng.choice(choices) + text[index + 1 :]


def some_id(case: Case, world: World) -> str:
    return world.rng.choice(case.products).product_id


# -- in_catalogue


@plant("in_catalogue")
def letter_o_for_zero(case: Case, world: World) -> Case | None:
    product_id = some_id(case, world)
    return everywhere(case, product_id, product_id.replace("0", "O"))


@plant("in_catalogue")
def invented_id(case: Case, world: World) -> Case | None:
    letters = "".join(world.rng.choice("ACDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(8))
    return everywhere(case, some_id(case, world), "B0" + letters)


@plant("in_catalogue")
def one_character_of_an_id(case: Case, world: World) -> Case | None:
    product_id = some_id(case, world)
    index = world.rng.randrange(2, len(product_id))
    return everywhere(
        case,
        product_id,
        product_id[:index] + ("7" if product_id[index] != "7" else "X") + product_id[index + 1 :],
    )


@plant("in_catalogue")
def id_cut_short(case: Case, world: World) -> Case | None:
    product_id = some_id(case, world)
    return everywhere(case, product_id, product_id[:-1])


# -- outside_shop


@plant("outside_shop")
def amazon_link(case: Case, world: World) -> Case | None:
    product_id = some_id(case, world)
    return everywhere(case, f"{world.shop.shop_url}/{product_id}", f"https://www.amazon.com/dp/{product_id}")


@plant("outside_shop")
def same_path_at_another_shop(case: Case, world: World) -> Case | None:
    product_id = some_id(case, world)
    return everywhere(
        case, f"{world.shop.shop_url}/{product_id}", f"https://bargain-store.example/{product_id}"
    )


@plant("outside_shop")
def shop_recommended_by_link(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(
        case, paragraph, f"{paragraph} You can also look at [this one](https://www.walmart.com/ip/88213)."
    )


# -- name_matches_id


@plant("name_matches_id")
def name_of_another_product(case: Case, world: World) -> Case | None:
    name = one_of(case, "name", world)
    other = world.rng.choice(sorted(world.titles.values()))
    return (
        everywhere(case, name, other)
        if name and not set(other.lower().split()[1:]) & set(name.lower().split()[1:])
        else None
    )


@plant("name_matches_id")
def two_addresses_swapped(case: Case, world: World) -> Case | None:
    if len(case.products) < 2:
        return None
    one, two = world.rng.sample(case.products, 2)
    if short_title(one).split()[-1] == short_title(two).split()[-1]:
        return None
    report = (
        case.report.replace(one.product_id, "\0")
        .replace(two.product_id, one.product_id)
        .replace("\0", two.product_id)
    )
    return case.with_report(report)


# -- price


@plant("price")
def price_first_digit(case: Case, world: World) -> Case | None:
    price = one_of(case, "price", world)
    return once(case, price, other_digit(price, world, 0)) if price else None


@plant("price")
def price_last_digit(case: Case, world: World) -> Case | None:
    price = one_of(case, "price", world)
    return once(case, price, other_digit(price, world, -1)) if price else None


@plant("price")
def price_ten_times(case: Case, world: World) -> Case | None:
    price = one_of(case, "price", world)
    return once(case, price, f"${float(price[1:].replace(',', '')) * 10:,.2f}") if price else None


# -- rating


@plant("rating")
def stars_off(case: Case, world: World) -> Case | None:
    said = one_of(case, "rating", world)
    if not said:
        return None
    value = float(said.split()[0])
    wrong = round(value - 0.4 if value > 4.5 else value + 0.3, 1)
    return once(case, said, said.replace(said.split()[0], f"{wrong}", 1))


@plant("rating")
def count_off(case: Case, world: World) -> Case | None:
    said = one_of(case, "reviews", world)
    return once(case, said, other_digit(said.split()[0], world, 0) + " " + said.split()[1]) if said else None


@plant("rating")
def count_ten_times(case: Case, world: World) -> Case | None:
    said = one_of(case, "reviews", world)
    return (
        once(case, said, f"{int(said.split()[0].replace(',', '')) * 10:,} {said.split()[1]}")
        if said
        else None
    )


@plant("rating")
def rating_cell_off(case: Case, world: World) -> Case | None:
    said = one_of(case, "rating_cell", world)
    numbers = re.findall(r"[\d.,]+", said) if said else []
    if not said or len(numbers) < 2:
        return None
    return once(case, said, f"| {round(float(numbers[0]) - 0.6, 1)} | {numbers[1]} |")


# -- total


@plant("total")
def total_plus_ten(case: Case, world: World) -> Case | None:
    total = case.said["total"][0]
    return everywhere(case, total, f"${float(total[1:].replace(',', '')) + 10:,.2f}")


@plant("total")
def total_one_digit(case: Case, world: World) -> Case | None:
    total = case.said["total"][0]
    return everywhere(case, total, other_digit(total, world, world.rng.randrange(3)))


@plant("total")
def subtotal_wrong(case: Case, world: World) -> Case | None:
    subtotal = one_of(case, "subtotal", world)
    return once(case, f"Total: {subtotal}", f"Total: {other_digit(subtotal, world, 0)}") if subtotal else None


@plant("total")
def row_left_out_of_total(case: Case, world: World) -> Case | None:
    cell = one_of(case, "cell", world)
    if not cell:
        return None
    line = next((one for one in case.report.splitlines() if one.endswith(f"| {cell} |")), None)
    return once(case, line + "\n", "") if line else None


# -- budget


@plant("budget")
def budget_below_the_total(case: Case, world: World) -> Case | None:
    limit = max(1, int(float(str(case.extra["total"])) * world.rng.uniform(0.6, 0.95)))
    return replace(case, query=re.sub(r"\$\d+", f"${limit}", case.query))


# -- order_facts


@plant("order_facts")
def order_never_made(case: Case, world: World) -> Case | None:
    order_id = case.said["order_id"][0]
    return everywhere(case, order_id, "".join(world.rng.choice("0123456789") for _ in range(16)))


@plant("order_facts")
def order_in_another_state(case: Case, world: World) -> Case | None:
    status = case.said["order_status"][0]
    return once(case, f"was {status}", "was returned" if status != "returned" else "was cancelled")


# -- privacy


def stranger(case: Case, world: World) -> User:
    return world.rng.choice([user for user in world.users if user.user_id != case.user.user_id])


@plant("privacy")
def order_of_another_user(case: Case, world: World) -> Case | None:
    other = stranger(case, world)
    orders = world.shop.store.orders(other.user_id, limit=3).items
    return everywhere(case, case.said["order_id"][0], orders[0].order_id) if orders else None


@plant("privacy")
def address_of_another_user(case: Case, world: World) -> Case | None:
    other = stranger(case, world)
    paragraph = case.said["paragraph"][1]
    return once(
        case,
        paragraph,
        f"{other.first_name} {other.last_name} of {other.address.address1}, {other.address.city}, liked it too. {paragraph}",
    )


@plant("privacy")
def email_of_another_user(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][1]
    return once(case, paragraph, f"{paragraph} Questions go to {stranger(case, world).email}.")


@plant("privacy")
def phone_of_another_user(case: Case, world: World) -> Case | None:
    other = stranger(case, world)
    paragraph = case.said["paragraph"][1]
    return once(
        case,
        paragraph,
        f"{paragraph} A neighbour, {other.first_name} {other.last_name} ({other.phone_number}), can tell more.",
    )


@plant("privacy")
def records_of_another_user(case: Case, world: World) -> Case | None:
    return everywhere(
        case, f"user://{case.user.user_id}/statistics", f"user://{stranger(case, world).user_id}/statistics"
    )


# -- profile_facts


@plant("profile_facts")
def somebody_elses_state(case: Case, world: World) -> Case | None:
    state = case.said["state"][0]
    return everywhere(case, state, world.rng.choice([one for one in STATES.values() if one != state]))


@plant("profile_facts")
def somebody_elses_city(case: Case, world: World) -> Case | None:
    city = case.said["city"][0]
    return everywhere(case, city, world.rng.choice(["Springvale", "Port Ellery", "Kettleford", "Duluth"]))


# -- duplicates


@plant("duplicates")
def paragraph_twice(case: Case, world: World) -> Case | None:
    first, second = case.said["paragraph"]
    return once(case, second, f"{second}\n\n{first}")


@plant("duplicates")
def paragraph_twice_reworded_a_little(case: Case, world: World) -> Case | None:
    first, second = case.said["paragraph"]
    words = first.split()
    words[len(words) - 2] = "quite " + words[len(words) - 2]
    return once(case, second, f"{second}\n\n{' '.join(words)}")


# -- citation_hygiene


@plant("citation_hygiene")
def number_without_entry(case: Case, world: World) -> Case | None:
    if case.form in ("links", "numbered_links"):
        return None
    mark = {"numbered": " [38]", "footnotes": "[^38]", "full_width": "【38】"}[case.form]
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, paragraph.rstrip(".") + mark + ".")


@plant("citation_hygiene")
def entry_without_url(case: Case, world: World) -> Case | None:
    if case.form != "numbered":
        return None
    number = world.rng.randrange(1, 4)
    return case.with_report(
        re.sub(rf"^(\[{number}\] .*?):? (?:https?|user)://\S+$", r"\1", case.report, count=1, flags=re.M)
    )


@plant("citation_hygiene")
def backward_range(case: Case, world: World) -> Case | None:
    if case.form != "numbered":
        return None
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, paragraph.rstrip(".") + " [4-2].")


@plant("citation_hygiene")
def link_without_end(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f"{paragraph} See [the guide](https://extension.example/backyard/birds")


@plant("citation_hygiene")
def everything_cited_at_once(case: Case, world: World) -> Case | None:
    if case.form != "numbered":
        return None
    lines = case.report.rstrip().splitlines()
    number = int(lines[-1].split("]")[0].lstrip("["))
    more = [f"[{number + n}] Further guide {n}: https://extension.example/more/{n}" for n in range(1, 10)]
    paragraph = case.said["paragraph"][0]
    changed = once(case, paragraph, paragraph.rstrip(".") + f" [1-{number + 9}].")
    return changed.with_report(changed.report.rstrip() + "\n" + "\n".join(more) + "\n") if changed else None


@plant("citation_hygiene")
def source_listed_twice(case: Case, world: World) -> Case | None:
    if case.form != "numbered":
        return None
    last = case.report.rstrip().splitlines()[-1]
    number = int(last.split("]")[0].lstrip("["))
    return case.with_report(
        case.report.rstrip() + "\n" + last.replace(f"[{number}]", f"[{number + 1}]", 1) + "\n"
    )


# -- fabricated_citation


@plant("fabricated_citation")
def invented_page(case: Case, world: World) -> Case | None:
    url = case.said["url"][0]
    return everywhere(case, url, url + world.rng.choice(["/2023-update", "/study", "-guide"]))


@plant("fabricated_citation")
def product_never_opened(case: Case, world: World) -> Case | None:
    other = world.rng.choice(
        [one for one in sorted(world.titles) if not any(one in url for url in case.returned)]
    )
    return everywhere(case, some_id(case, world), other)


# -- process_text


@plant("process_text")
def thoughts_left_in(case: Case, world: World) -> Case | None:
    return case.with_report(
        "<think>The shopper wants something sturdy. I should compare.</think>\n\n" + case.report
    )


@plant("process_text")
def tool_name_left_in(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f'{paragraph} get_product_details({{"product_id": "x"}})')
