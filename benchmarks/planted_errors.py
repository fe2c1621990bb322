"""The kinds of error that are planted: each takes a clean case and returns it with one thing wrong, or `None` where it
does not apply. Written before the rules were tuned, and left alone since."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from drr.env.entities import User
from drr.env.shop import Shop
from drr.eval.canaries.planted import WEB
from drr.wording.states import STATES

from benchmarks.planted_reports import MEASURE, Case, short_title


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
def product_of_nowhere(case: Case, world: World) -> Case | None:
    name = world.rng.choice(
        ["Quillmoor Deluxe Bath Caddy", "Zentrix Pro Hedge Trimmer 3000", "Marrowby Heated Cat Igloo"]
    )
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f"- **{name}** - ${world.rng.randrange(15, 90)}.99\n\n{paragraph}")


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
def another_maker(case: Case, world: World) -> Case | None:
    name = one_of(case, "name", world)
    if not name or len(name.split()) < 3:
        return None
    return everywhere(case, name.split()[0] + " ", world.rng.choice(["Vornado ", "Quillmoor ", "Zentrix "]))


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


@plant("price")
def price_rounded_wrongly(case: Case, world: World) -> Case | None:
    price = one_of(case, "price", world)
    return once(case, price, f"about ${round(float(price[1:].replace(',', ''))) + 4}") if price else None


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
def heading_amount_wrong(case: Case, world: World) -> Case | None:
    heading = one_of(case, "heading", world)
    return once(case, f"- {heading})", f"- {other_digit(heading, world, 0)})") if heading else None


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


@plant("budget")
def each_over_the_limit(case: Case, world: World) -> Case | None:
    dearest = max(product.price or 0 for product in case.products)
    return (
        replace(case, query=f"Find things for my home, each under ${int(dearest * 0.8) + 1}.")
        if dearest > 12
        else None
    )


@plant("budget")
def month_over_the_limit(case: Case, world: World) -> Case | None:
    if case.layout != "phases":
        return None
    most = max(float(one[1:].replace(",", "")) for one in case.said["heading"])
    return replace(case, query=f"Plan this over two months with ${int(most * 0.85)} a month.")


# -- order_facts


@plant("order_facts")
def order_never_made(case: Case, world: World) -> Case | None:
    order_id = case.said["order_id"][0]
    return everywhere(case, order_id, "".join(world.rng.choice("0123456789") for _ in range(16)))


@plant("order_facts")
def order_in_another_year(case: Case, world: World) -> Case | None:
    when = case.said["order_date"][0]
    year = re.search(r"\d{4}", when)
    assert year is not None
    return once(case, when, when.replace(year[0], str(int(year[0]) - world.rng.choice([1, 2, 3]))))


@plant("order_facts")
def order_on_another_day(case: Case, world: World) -> Case | None:
    when = case.said["order_date"][0]
    if "-" in when:
        return once(case, when, when[:-2] + f"{int(when[-2:]) % 27 + 1:02d}")
    return once(case, when, re.sub(r" (\d+),", lambda match: f" {int(match[1]) % 27 + 1},", when))


@plant("order_facts")
def bought_something_else(case: Case, world: World) -> Case | None:
    name = case.said["order_name"][0]
    if any(name in other for other in case.said.get("name", ())):
        return None
    other = world.rng.choice(sorted(world.titles.values()))
    return once(case, name, other) if not set(other.lower().split()) & set(name.lower().split()) else None


@plant("order_facts")
def order_in_another_state(case: Case, world: World) -> Case | None:
    status = case.said["order_status"][0]
    return once(case, f"was {status}", "was returned" if status != "returned" else "was cancelled")


@plant("order_facts")
def quantity_invented(case: Case, world: World) -> Case | None:
    name = case.said["order_name"][0]
    return (
        once(case, f"the {name}", f"{world.rng.choice(['three', '4', 'five'])} {name}")
        if f"you bought the {name}" in case.report.lower() or f"bought the {name}" in case.report
        else None
    )


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


@plant("profile_facts")
def somebody_elses_name(case: Case, world: World) -> Case | None:
    name = one_of(case, "first_name", world)
    return (
        once(case, name, world.rng.choice([one for one in ("Harriet", "Desmond", "Ottilie") if one != name]))
        if name
        else None
    )


# -- statistics


@plant("statistics")
def orders_miscounted(case: Case, world: World) -> Case | None:
    said = case.said["order_count"][0]
    return once(case, said, f"{int(said.split()[0]) + world.rng.choice([2, 7, 30])} orders")


@plant("statistics")
def spend_wrong(case: Case, world: World) -> Case | None:
    said = one_of(case, "spend", world)
    return once(case, said, other_digit(said, world, 0)) if said else None


@plant("statistics")
def mean_wrong(case: Case, world: World) -> Case | None:
    said = one_of(case, "mean", world)
    return once(case, f"is {said}", f"is {other_digit(said, world, 0)}") if said else None


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


# -- numbers_in_evidence


@plant("numbers_in_evidence")
def figure_not_in_the_source(case: Case, world: World) -> Case | None:
    said = case.said["web"][0]
    numbers = re.findall(r"\d+", said)
    return (
        once(
            case, said, said.replace(numbers[0], str(int(numbers[0]) + world.rng.choice([17, 103, 1009])), 1)
        )
        if numbers
        else None
    )


@plant("numbers_in_evidence")
def words_not_in_the_source(case: Case, world: World) -> Case | None:
    quote = case.said["quote"][0]
    words = quote.split()
    words[1] = world.rng.choice(["hardly", "rarely", "seldom"])
    return once(case, quote, " ".join(words))


@plant("numbers_in_evidence")
def figure_of_another_source(case: Case, world: World) -> Case | None:
    said, url = case.said["web"][0], case.said["url"][0]
    other = (
        world.rng.choice([text for address, text in sorted(WEB.items()) if address != url])
        .split(". ")[0]
        .rstrip(".")
    )
    own = set(re.findall(r"\d+", WEB[url]))
    return once(case, said, other) if set(re.findall(r"\d+", other)) - own else None


# -- product_claims


@plant("product_claims")
def measure_off(case: Case, world: World) -> Case | None:
    feature = one_of(case, "feature", world)
    if not feature:
        return None
    match = MEASURE.search(feature)
    assert match is not None
    number = re.match(r"[\d.]+", match[0])
    assert number is not None
    wrong = f"{float(number[0]) * 2 + 3:g}"
    return once(case, feature, feature.replace(match[0], match[0].replace(number[0], wrong, 1), 1))


@plant("product_claims")
def another_material(case: Case, world: World) -> Case | None:
    said = one_of(case, "name", world) and next(
        (one for one in case.said.get("material", ()) if one in case.report), None
    )
    if not said:
        return None
    wrong = next(
        one
        for one in ("bamboo", "cast iron", "cotton")
        if one.split()[-1] not in said
        and not any(one.split()[-1] in str(p.model_dump()).lower() for p in case.products)
    )
    return once(case, said, f"made of {wrong}")


@plant("product_claims")
def price_in_words(case: Case, world: World) -> Case | None:
    price = one_of(case, "price", world)
    return once(case, price, f"{round(float(price[1:].replace(',', ''))) + 7} dollars") if price else None


# -- process_text


@plant("process_text")
def thoughts_left_in(case: Case, world: World) -> Case | None:
    return case.with_report(
        "<think>The shopper wants something sturdy. I should compare.</think>\n\n" + case.report
    )


@plant("process_text")
def search_talk(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f"Let me search for more options in this price range.\n\n{paragraph}")


@plant("process_text")
def tool_id_left_in(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, paragraph.rstrip(".") + " [41-23].")


@plant("process_text")
def tool_name_left_in(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f'{paragraph} get_product_details({{"product_id": "x"}})')


@plant("process_text")
def chinese_search_talk(case: Case, world: World) -> Case | None:
    paragraph = case.said["paragraph"][0]
    return once(case, paragraph, f"让我继续搜索更多产品。\n\n{paragraph}")
