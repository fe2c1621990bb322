"""Ids of shops of several forms: what only looks like one is not accused, and an invented one is found where an id alone stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from asked import failing
from drr.env.settings import resolve
from drr.env.shop import Shop, open_shop

from tests.commands import drr

SCHEMES = {
    "letter": ("A100", "W123", "B250", "K777"),
    "mark": ("WD-41", "HX-12", "BK-93"),
    "digits": ("100234", "100777", "204411"),
    "hex": ("7f3a9c", "11b0de", "a90c44"),
    "short": ("BZ2", "CC0", "DP3"),
    "slug": ("blue-kettle-2", "red-mug-14", "pan-3"),
    "lead": ("SKU-1001", "SKU-1002", "SKU-2210"),
}
INVENTED = {
    "letter": "H999",
    "mark": "ZQ-77",
    "digits": "999123",
    "hex": "9e9e00",
    "short": "ZZ9",
    "slug": "old-kettle-9",
    "lead": "SKU-9999",
}


@pytest.fixture(scope="module")
def shop_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Shop]]:
    made: dict[str, Shop] = {}
    with ExitStack() as stack:

        def of(name: str) -> Shop:
            if name not in made:
                folder: Path = tmp_path_factory.mktemp(name)
                rows = [f"{one};Halbach Kettle {n};USD 4{n}.90" for n, one in enumerate(SCHEMES[name])]
                (folder / "p.csv").write_text("\n".join(["id;title;price", *rows, ""]), encoding="utf-8")
                assert drr("data", "ingest", folder / "p.csv", "--shop", folder / "shop", "--quiet") == 0
                settings = resolve({}, environ={}).settings
                made[name] = stack.enter_context(open_shop(str(folder / "shop"), settings))
            return made[name]

        yield of


PLACES = (
    "[Glow Kettle](http://ecommerce.example/{})",
    "| Product | SKU |\n|---|---|\n| Glow Kettle | {} |\n",
    "| Product | Ref |\n|---|---|\n| Halbach Kettle | {known} |\n| Glow Kettle | `{}` |\n",
    "| | Glow Kettle |\n|---|---|\n| Product ID | {} |\n",
    "### Glow Kettle\n- **Product ID:** {}\n- Price: $20.00\n",
    "- Glow Kettle (SKU: {}), $20.00\n",
    "Glow Kettle (item no. {}) is the one.\n",
)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_invented_id_is_found_where_an_id_alone_stands(
    shop_of: Callable[[str], Shop], scheme: str
) -> None:
    shop, known, invented = shop_of(scheme), SCHEMES[scheme][0], INVENTED[scheme]
    for place in PLACES:
        assert "in_catalogue" not in failing(place.format(SCHEMES[scheme][1], known=known), shop=shop)
        told = failing(place.format(invented, known=known), shop=shop)
        assert told.get("in_catalogue") == [f"Id: {invented}; catalogue: no such product"], place


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("letter", "Vitamin B120 and an N100 chip, as in the H100 (or A200) cards."),
        ("letter", "| Lamp | Socket |\n|---|---|\n| Glow | G120 |\n"),
        ("letter", "- Model: X900\n- Part number: Z100\n"),
        ("letter", "The shop has no such thing: SKU: H999 is not sold here.\n\n| SKU | |\n|---|---|\n| H999 | not found |\n"),
        ("lead", "| SKU | Im Laden |\n|---|---|\n| SKU-9999 | nicht vorhanden |\n"),
        ("mark", "Loosen it with WD-40, then wrap it in PE-10 film (PE-10)."),
        ("mark", "- Certified to EN-71, battery LR-44"),
        ("digits", "Ring 555123 with your order 123456, ID: 2.0 of 1.299"),
        ("hex", "The paint is c0ffee, the cover 1a2b3c (4d5e6f)."),
        ("lead", "It meets ISO-9001 and EAN-1234 (ISO-9001)."),
        ("lead", "We have no SKU-9999 here. I couldn't find `SKU-9999`."),
    ],
)  # fmt: skip
def test_what_only_looks_like_an_id_is_none(shop_of: Callable[[str], Shop], scheme: str, text: str) -> None:
    assert failing(text, shop=shop_of(scheme)) == {}


def test_an_id_in_prose_is_one_where_all_ids_of_the_shop_begin_alike(
    shop_of: Callable[[str], Shop], rules_shop: Shop
) -> None:
    for shop, invented in ((shop_of("lead"), "SKU-9999"), (rules_shop, "B0ZZZZZZZZ")):
        assert "in_catalogue" in failing(f"Take {invented} for the kitchen.", shop=shop)
        assert failing(f"There is no {invented} in this shop.", shop=shop) == {}
        # No list of a language other than English says what denies.
        assert failing(f"Ein {invented} gibt es nicht.", shop=shop, language="de") == {}
