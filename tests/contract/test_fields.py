"""The search by fields on every catalogue: what it finds, what it orders, what it says; the same list from each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from drr.env.embedded import engine
from drr.env.entities import Product
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchPage, SearchRequest, Shop, open_shop, shop_writer

_ELECTRONICS = ["Electronics", "Headphones, Earbuds & Accessories", "Headphones & Earbuds"]


def _product(number: int, title: str, path: list[str], price: float | None, **more: object) -> Product:
    fields: dict[str, object] = {
        "product_id": f"B{number:09d}", "product_url": "", "title": title, "features": [], "description": [], "price": price,
        "store": None, "categories": path, "details": {}, "average_rating": 4.0, "rating_number": number, "category": "Electronics",
    }  # fmt: skip
    return Product.model_validate(fields | more)


def _products() -> Iterator[Product]:
    """As real rows are: long titles, the store nowhere in them, prices often unknown."""
    over_ear, stand = (
        [*_ELECTRONICS, "Over-Ear Headphones"],
        ["Electronics", "Headphone Accessories", "Headphone Stands"],
    )
    for number in range(1, 9):
        price = None if number % 2 else 100.0 + number
        title = (
            f"Wireless Bluetooth Over-Ear Headphones Model {number}, Noise Cancelling, 40 Hours, for Travel"
        )
        yield _product(number, title, over_ear, price, store="Soundly", features=["With a case and a cable."])
    for number in range(11, 15):
        title = f"Wooden Headphone Stand for Desk, Holder for All Headphones, Model {number}"
        yield _product(number, title, stand, 9.0 + number, store="Deskwise")
    for number in range(21, 24):
        title = "USB 3.0 to HDMI Display Adapter, 1080p, for Laptop and Monitor"
        yield _product(number, title, ["Electronics", "Adapters"], 20.0 + number, store="SIIG")
    for number in range(31, 37):
        title = f"Universal HDMI Adapter, Works with Everything, {number} Pack"
        yield _product(number, title, ["Electronics", "Adapters"], 3.0 + number, store="Generic")
    for number in range(41, 45):
        yield _product(
            number,
            f"Queen Satin Pillowcase for Hair and Skin, Pillow Cover for Any Pillow, Set {number}",
            ["Home & Kitchen", "Bedding", "Sheets & Pillowcases", "Pillowcases"],
            5.0 + number,
            features=["Fits every pillow.", "Soft pillow case for a bed pillow"],
        )
    for number in range(51, 54):
        yield _product(
            number,
            "Utopia Hotel Collection Bed Pillows for Sleeping, Queen Size, Set of 2, Cooling Down Alternative",
            ["Home & Kitchen", "Bedding", "Bed Pillows & Positioners", "Bed Pillows"],
            30.0 + number,
        )
    yield _product(61, "Cool Mist Humidifier for Bedroom", ["Home & Kitchen", "Humidifiers"], 44.0)
    yield _product(62, "Cedar Birdhouse for Small Birds", ["Patio", "Birdhouses"], 19.0)
    yield _product(
        63, "Photoelectric Smoke Detector, 10-Year Battery", [], 25.0, details={"Brand": "Firewise"}
    )
    yield _product(64, "Ladybird Diapers, Size 4, 120 Count", ["Baby", "Diapers"], 35.0)
    yield _product(65, "LED Flashlight 2000 Lumens", ["Tools", "Handheld Flashlights"], 15.0)
    yield _product(
        66, "Quiet Cooler", ["Kitchen", "Coolers"], 99.0, details={"Noise Level": "40 dB", "Portable": "Yes"}
    )


@pytest.fixture(scope="module")
def shop(spec_of: Callable[[str], str], settings: Settings) -> Iterator[Shop]:
    name = spec_of("fields")
    with shop_writer(name, settings) as writer:
        writer.write_products(_products())
        writer.write_users([])
        writer.write_orders([])
        writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}))
    with open_shop(name, settings) as opened:
        yield opened


def _search(shop: Shop, query: str, **more: object) -> SearchPage:
    return shop.catalog.search(SearchRequest(query, **more))  # type: ignore[arg-type]


def _numbers(page: SearchPage) -> list[int]:
    return [int(product_id[1:]) for product_id in page.product_ids]


@pytest.mark.parametrize("sort", ["relevance", "price_asc", "price_desc", "rating", "popularity"])
def test_every_order_holds_what_is_called_so_and_no_accessory(shop: Shop, sort: str) -> None:
    page = _search(shop, "headphones", sort=sort)
    assert sorted(_numbers(page)) == list(range(1, 9))
    assert page.aside == 4  # the stands


def test_names_and_stores_find_what_is_called_so(shop: Shop) -> None:
    assert _numbers(_search(shop, "headphones", sort="price_asc")) == [2, 4, 6, 8, 1, 3, 5, 7]
    page = _search(shop, "headphones", match="any", limit=50)
    assert set(_numbers(page)) >= {*range(1, 9), *range(11, 15)} and page.aside == 0
    assert set(_numbers(_search(shop, "pillow"))[:3]) == {51, 52, 53}
    assert set(_numbers(_search(shop, "pillow", sort="price_asc"))) == {51, 52, 53}
    assert set(_numbers(_search(shop, "SIIG"))) == {21, 22, 23}
    assert set(_numbers(_search(shop, "siig adapter", sort="price_asc"))) == {21, 22, 23}
    assert set(_numbers(_search(shop, "hdmi adapter", brand="siig"))) == {21, 22, 23}
    assert _search(shop, "hdmi adapter", brand="nobody").total == 0
    assert _numbers(_search(shop, "smoke detector", brand="Firewise")) == [63]
    assert set(_numbers(_search(shop, "headphones cable case", match="all"))) == set(range(1, 9))
    assert _search(shop, "headphones zeppelin", match="all").total == 0
    assert _search(shop, "SIIG", search="plain").total == 0
    assert _search(shop, "headphones", search="plain").total == 12
    assert _search(shop, "zzqx").total == 0 == _search(shop, "zzqx", match="any").total
    assert _search(shop, "headphones zzqx", match="all").total == 0
    assert set(_numbers(_search(shop, "headphones zzqx"))) == set(range(1, 9))


@pytest.mark.parametrize(
    ("query", "number", "said"),
    [
        ("humidifer", 61, ('for "humidifer": humidifier',)),
        ("humdifir", 61, ('for "humdifir": humidifier',)),
        ("bird house", 62, ()),
        ("smoke alarm", 63, ()),
        ("fire alarm", 63, ()),
        ("nappies", 64, ()),
        ("torch", 65, ()),
        ("portable 40 db cooler", 66, ()),
        ("What is a good, quiet cooler that I could use?", 66, ()),
    ],
)
def test_words_as_people_write_them(shop: Shop, query: str, number: int, said: tuple[str, ...]) -> None:
    page = _search(shop, query)
    assert _numbers(page)[:1] == [number]
    assert page.notes == said


def test_a_price_in_the_query_is_a_filter_and_cheapest_an_order(shop: Shop) -> None:
    page = _search(shop, "headphones under $105")
    assert set(_numbers(page)) == {2, 4}
    assert page.unpriced == 4
    assert page.notes == ("price up to $105.00",)
    assert page.request is not None and page.request.max_price == 105
    wide = _search(shop, "headphones", max_price=105.0, unknown_price=True)
    assert (set(_numbers(wide)), wide.unpriced) == ({1, 2, 3, 4, 5, 7}, 0)
    assert set(_numbers(_search(shop, "headphones under $105", max_price=103.0))) == {2}
    page = _search(shop, "headphones under $20")
    assert (page.total, page.unpriced) == (0, 4)
    assert page.aside == 1  # a stand
    page = _search(shop, "cheapest hdmi adapter")
    assert _numbers(page)[0] == 31 and page.notes == ('"cheapest": sort price_asc',)


@pytest.mark.parametrize(
    ("category", "numbers"),
    [
        ("Over-Ear Headphones", set(range(1, 9))),
        ("Headphones", set(range(1, 9))),
        ("electronics > headphones", set(range(1, 9))),
        ("Stands", {11, 12, 13, 14}),
        ("Electronics > Stands", {11, 12, 13, 14}),
        ("Bedding > Stands", set()),
        ("no such place", set()),
    ],
)
def test_a_category_filter_takes_a_leaf_an_end_or_steps(shop: Shop, category: str, numbers: set[int]) -> None:
    assert set(_numbers(_search(shop, "headphone", category=category, match="any", limit=50))) == numbers


def test_the_pages_of_a_search_fit_together(shop: Shop) -> None:
    whole = _search(shop, "hdmi adapter", limit=50)
    assert whole.total == len(whole.product_ids) == 9
    for offset in (0, 4, 8, 9, 50):
        part = _search(shop, "hdmi adapter", limit=4, offset=offset)
        assert part.product_ids == whole.product_ids[offset : offset + 4]
        assert (part.total, part.aside) == (whole.total, whole.aside)


@pytest.mark.parametrize("query", ["", "!!!", "🐦", "zzzzqqq xxyyzz", "x" * 5000])
def test_odd_queries_are_answered(shop: Shop, query: str) -> None:
    assert _search(shop, query).total == 0


@pytest.mark.parametrize("match", ["well", "any", "all"])
def test_little_is_ranked_as_much(shop: Shop, monkeypatch: pytest.MonkeyPatch, match: str) -> None:
    """A folder's index asks in two ways, by how much there is to rank; a store's name is in no text of its products."""
    queries = (
        "soundly wireless headphones for travel",
        "siig usb hdmi adapter 1080p laptop",
        "queen pillow cover zzqx",
        "smoke alarm",
    )

    def pages() -> list[SearchPage]:
        return [_search(shop, query, match=match, limit=30) for query in queries]

    few = pages()
    monkeypatch.setattr(engine, "_LITTLE", -1)
    for one, other in zip(few, pages(), strict=True):
        assert one.product_ids == other.product_ids and one[2:] == other[2:]
        assert one.scores == pytest.approx(other.scores, rel=1e-5)
    assert few[0].product_ids and few[1].product_ids
