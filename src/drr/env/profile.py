"""Summarises a shopper's profile for query writers, personalization judges and the viewer.

The summary is built only from what the user tools return (profile, orders, statistics) and holds no e-mail, phone or street.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Literal, NamedTuple

from drr.env.entities import Order, Product
from drr.env.errors import Misuse
from drr.env.shop import Store
from drr.env.source import text_hash
from drr.env.statistics import Share
from drr.wording.currency import DOLLARS, Currency
from pydantic import BaseModel, ConfigDict, Field


class Theme(NamedTuple):
    key: str
    label: str
    about: str
    """The text that completes "a shopper interested in ..."."""
    words: tuple[str, ...]
    """Beginnings of title words that belong to the theme."""


THEMES: tuple[Theme, ...] = (
    Theme("birds", "Backyard Birder", "backyard birds", ("bird", "suet", "nyjer", "hummingbird", "nesting", "finch", "sunflower seed", "mealworm", "squirrel baffle", "binocular")),
    Theme("dogs", "Dog Owner", "dogs", ("dog", "puppy", "canine")),
    Theme("cats", "Cat Owner", "cats", ("cats", "cat tree", "cat litter", "cat water", "cat scratch", "cat window", "cat toy", "cat food", "kitten", "litter", "catnip")),
    Theme("fish", "Aquarium Keeper", "fish", ("aquarium", "fish tank", "fish food")),
    Theme("small_pets", "Small-Pet Keeper", "small animals", ("hamster", "guinea pig", "rabbit", "small animal", "chinchilla", "reptile")),
    Theme("baby", "Parent of a Young Child", "babies and toddlers", ("baby", "infant", "toddler", "stroller", "diaper", "crib", "pacifier", "nursing", "bottle warmer")),
    Theme("gardening", "Keen Gardener", "gardening", ("garden bed", "gardening", "raised bed", "planter", "seed starting", "pruning", "pruner", "compost", "watering", "hose", "fertilizer", "trellis", "soil")),
    Theme("outdoor_living", "Patio Host", "patio evenings and grilling", ("patio", "grill", "fire pit", "hammock", "solar pathway", "citronella")),
    Theme("wellness", "Holistic Wellness Enthusiast", "aromatherapy and natural health", ("essential oil", "diffuser", "herbal", "magnesium", "turmeric", "elderberry", "aromatherapy", "vitamin d", "ashwagandha", "probiotic", "epsom")),
    Theme("skincare", "Skin-Care Devotee", "skin care", ("serum", "moistur", "sunscreen", "face mask", "cleanser", "facial", "face roller", "retinol", "toner", "lip balm", "body lotion")),
    Theme("haircare", "Hair-Care Devotee", "hair care", ("hair", "scalp", "shampoo", "conditioner", "curl", "satin pillowcase", "beard")),
    Theme("nails_makeup", "Make-Up Artist", "nails and make-up", ("nail polish", "gel nail", "nail art", "nail drill", "nail lamp", "makeup", "make-up", "mascara", "eyelash", "lipstick", "cuticle", "press-on")),
    Theme("recovery", "Active Recovery Shopper", "training and recovery", ("foam roller", "massage gun", "resistance band", "yoga", "heating pad", "knee brace", "compression", "electrolyte", "protein", "kinesiology", "ice pack")),
    Theme("cooking", "Home Cook", "cooking at home", ("skillet", "dutch oven", "knife", "cutting board", "saucepan", "air fryer", "food storage", "spice", "meat thermometer", "wok", "mandoline")),
    Theme("baking", "Home Baker", "baking", ("baking", "cake pan", "cake stand", "bread", "sourdough", "banneton", "rolling pin", "cookie", "mixing bowl", "kitchen scale", "piping")),
    Theme("coffee_tea", "Coffee-and-Tea Lover", "coffee and tea", ("coffee", "espresso", "loose tea", "tea infuser", "teapot", "kettle", "french press", "milk frother", "pour over", "mug")),
    Theme("clean_home", "Clean-Home Keeper", "cleaning", ("cleaner", "cleaning", "mop", "vacuum", "detergent", "microfiber", "stain remov", "trash bag", "dishwasher clean", "dishwasher tab", "descal", "scrub brush", "paper towel")),
    Theme("home_office", "Remote Worker", "working from home", ("standing desk", "monitor arm", "desk mat", "desk lamp", "office chair", "footrest", "laptop stand", "lumbar", "headphone", "keyboard", "webcam", "shredder")),
    Theme("stationery", "Stationery Lover", "paper, pens and teaching", ("notebook", "gel pen", "fountain pen", "highlighter", "planner", "sticky note", "laminat", "dry erase", "index card", "marker", "binder", "washi")),
    Theme("workshop", "Do-It-Yourselfer", "tools and repairs", ("cordless drill", "drill bit", "screwdriver", "socket set", "wrench", "circular saw", "sander", "clamp set", "bar clamp", "tape measure", "pliers", "caulk", "multimeter", "stud finder", "shop light")),
    Theme("smart_home", "Home-Safety Planner", "lighting and home safety", ("smoke", "carbon monoxide", "motion sensor", "light bulb", "smart plug", "smart lock", "doorbell", "flashlight", "water leak", "solar pathway")),
    Theme("sleep", "Better-Sleep Seeker", "sleep", ("pillow", "weighted blanket", "sleep", "white noise", "blackout", "mattress topper", "mattress pad", "melatonin", "sheet set", "sunrise alarm")),
    Theme("allergy_air", "Clean-Air Seeker", "clean air and allergies", ("air purifier", "hepa", "humidifier", "dehumidifier", "allergen", "allergy", "nasal", "saline", "furnace filter", "mold test", "air quality")),
    Theme("senior_care", "Caregiver", "caring for an older person", ("walker", "shower chair", "grab bar", "bed rail", "pill organizer", "raised toilet", "blood pressure", "incontinence", "reacher", "cane", "hearing", "oximeter")),
    Theme("organizing", "Home Organizer", "order at home", ("organizer", "storage bin", "wall shelf", "shelving", "drawer", "hanger", "label maker", "shoe rack", "pantry", "closet", "under-bed")),
)  # fmt: skip
BY_KEY = {theme.key: theme for theme in THEMES}


class Label(BaseModel):
    """A short description of a shopper, made by rule, and the themes behind it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    reasons: list[str]
    themes: list[str]
    """Keys of `THEMES`, strongest first; empty if the order history shows none."""


_START = re.compile(r"(?<!\w)\w\w")


@cache
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """Return the phrases of all themes, grouped by their first two letters, as (phrase, theme)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for theme in THEMES:
        for phrase in theme.words:
            found.setdefault(phrase[:2], []).append((phrase, theme.key))
    return found


def themes_of(title: str) -> list[str]:
    """Return every theme whose words occur in a product's title, in the order of `THEMES`."""
    text = title.casefold()
    phrases = _phrases()
    hit = {
        key
        for start in _START.finditer(text)
        for phrase, key in phrases.get(start[0], ())
        if text.startswith(phrase, start.start())
    }
    return [theme.key for theme in THEMES if theme.key in hit]


def shopper_label(bought: Sequence[tuple[str, str, int]]) -> Label:
    """Describe a shopper from (title, category, times bought). Up to two themes with a fifth of the purchases each are named, else the category."""
    total = sum(times for _, _, times in bought)
    if total < 3:
        return Label(
            name="New Shopper", reasons=[f"only {total} purchase{'s' * (total != 1)} on record"], themes=[]
        )
    counts: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    for title, category, times in bought:
        categories[category.replace("_", " ")] += times
        for key in themes_of(title):
            counts[key] += times
    order = {theme.key: place for place, theme in enumerate(THEMES)}
    ranked = sorted(counts, key=lambda key: (-counts[key], order[key]))
    strong = [key for key in ranked if counts[key] >= 2 and counts[key] >= 0.2 * total][:2]
    if not strong:
        name, count = min(categories.items(), key=lambda item: (-item[1], item[0]))
        return Label(
            name="Varied Shopper",
            reasons=[f"no theme holds a fifth of {total} purchases; most are in {name} ({count})"],
            themes=ranked[:2],
        )
    return Label(
        name=" and ".join(BY_KEY[key].label for key in strong),
        reasons=[f"{counts[key]} of {total} purchases are about {BY_KEY[key].about}" for key in strong],
        themes=ranked[:3],
    )


Activity = Literal["light", "regular", "frequent", "heavy"]
PriceLevel = Literal["budget", "moderate", "premium"]

_ORDERS_READ = 1000
_TOP = 5
_NOTABLE = 10
_TITLE = 90
_NAME = 40


class Bought(BaseModel):
    """A product in a shopper's order history."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    product_id: str
    order_id: str
    """The order of the latest purchase."""
    title: str
    category: str
    price: float | None
    times: int
    last: str
    """Date of the latest purchase, `YYYY-MM-DD`."""


class Spend(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    total: float | None
    mean_price: float | None
    quartiles: tuple[float, float, float] | None
    level: PriceLevel | None
    unknown_share: float = Field(ge=0, le=1)
    """The share of orders whose price is not in the catalogue."""


class ProfileSummary(BaseModel):
    """The summary of a shopper. Its size is limited for any history: lists keep only the most telling items."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str
    as_of: str
    city: str
    state: str
    country: str
    account_status: str
    label: Label
    orders: int
    items: int
    first_order: str | None
    last_order: str | None
    tenure_days: int | None
    days_since_last_order: int | None
    orders_last_year: int
    """The number of orders in the 365 days before `as_of`, among the newest thousand."""
    orders_per_year: float | None
    activity: Activity
    by_status: dict[str, int]
    spend: Spend
    categories: list[Share]
    stores: list[Share]
    repeated: list[Bought]
    notable: list[Bought]

    @property
    def sha256(self) -> str:
        """Return the hash of the summary, stored in a query record as `profile_hash`."""
        return text_hash(self.model_dump_json())


def build_profile(store: Store, user_id: str, as_of: str, currency: Currency = DOLLARS) -> ProfileSummary:
    """Build the summary of one user; `as_of` is the shop's current date, `currency` that of its prices."""
    user, statistics = store.user(user_id), store.statistics(user_id)
    if user is None or statistics is None:
        raise Misuse(f"no user {user_id!r} in this shop; `drr shop info` counts them, ids are 28 characters")
    orders = store.orders(user_id, limit=_ORDERS_READ).items
    bought = _latest_purchases(store, orders)
    today = date.fromisoformat(as_of)
    first = _day(statistics.first_order)
    tenure = (today - first).days if first else None
    years = max((tenure or 0) / 365.25, 0.25)
    per_year = round(statistics.orders / years, 1) if first else None
    return ProfileSummary(
        user_id=user_id,
        as_of=as_of,
        city=_line(user.address.city, _NAME),
        state=_line(user.address.state, _NAME),
        country=_line(user.address.country, _NAME),
        account_status=user.account_status,
        label=shopper_label([(item.title, item.category, item.times) for item in bought]),
        orders=statistics.orders,
        items=statistics.items,
        first_order=_iso(first),
        last_order=_iso(_day(statistics.last_order)),
        tenure_days=tenure,
        days_since_last_order=statistics.days_since_last_order,
        orders_last_year=sum(0 <= (today - order.placed_at.date()).days <= 365 for order in orders),
        orders_per_year=per_year,
        activity=_activity(per_year),
        by_status=statistics.by_status,
        spend=Spend(
            total=statistics.spend,
            mean_price=statistics.mean_price,
            quartiles=statistics.price_quartiles,
            level=_level(statistics.price_quartiles) if currency == DOLLARS else None,
            unknown_share=round(statistics.orders_without_price / statistics.orders, 3)
            if statistics.orders
            else 0.0,
        ),
        categories=[_shortened_share(share) for share in statistics.by_category[:_TOP]],
        stores=[_shortened_share(share) for share in statistics.favourite_stores[:_TOP]],
        repeated=sorted((b for b in bought if b.times > 1), key=lambda b: (-b.times, b.product_id))[:_TOP],
        notable=_notable(bought),
    )


def _latest_purchases(store: Store, orders: Sequence[Order]) -> list[Bought]:
    """Return each product once, by its latest purchase, newest first. A cancelled or returned order is no purchase."""
    kept = [order for order in orders if order.order_status not in ("Cancelled", "Returned")]
    times = Counter(order.product_id for order in kept)
    latest: dict[str, Order] = {}
    for order in kept:
        latest.setdefault(order.product_id, order)
    known: dict[str, Product] = {product.product_id: product for product in store.products(list(latest))}
    return [
        Bought(
            product_id=product_id,
            order_id=order.order_id,
            title=_line(product.title, _TITLE) or "(untitled)",
            category=product.category,
            price=product.price,
            times=times[product_id],
            last=order.order_date[:10],
        )
        for product_id, order in latest.items()
        if (product := known.get(product_id)) is not None
    ]


def _notable(bought: list[Bought]) -> list[Bought]:
    """Return the latest six purchases, then the most expensive purchases, each once."""
    dearest = sorted((b for b in bought if b.price), key=lambda b: (-(b.price or 0), b.product_id))
    chosen = {item.product_id: item for item in [*bought[:6], *dearest[:8]]}
    return list(chosen.values())[:_NOTABLE]


def _activity(per_year: float | None) -> Activity:
    if per_year is None or per_year < 2:
        return "light"
    if per_year < 6:
        return "regular"
    return "frequent" if per_year < 15 else "heavy"


def _level(quartiles: tuple[float, float, float] | None) -> PriceLevel | None:
    """Return the price level of a median price. The bounds are in dollars: the quartiles of Health & Household's prices in the data set."""
    if quartiles is None:
        return None
    return "budget" if quartiles[1] < 12 else "moderate" if quartiles[1] < 33 else "premium"


def _shortened_share(share: Share) -> Share:
    return share.model_copy(update={"name": _line(share.name, _NAME)})


def _line(text: str, limit: int) -> str:
    """Shorten a text of the shop to one line without control characters, because it was written by strangers."""
    flat = " ".join(
        re.sub(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]", " ", text).split()
    )
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _day(moment: str | None) -> date | None:
    return date.fromisoformat(moment[:10]) if moment else None


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
