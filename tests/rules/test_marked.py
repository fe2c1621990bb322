"""Marks at the head of an item or a cell: what stands behind a cross is said not to hold, what stands behind a tick is."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

from benchmarks.planted import Scene
from tests.rules.test_other_values import SALT, SHREDDER, URL
from tests.rules.test_other_values import status as claims


def budget(scene: Scene, item: str) -> str:
    """What is said of an item that belongs to one product, whose price is 27 over a limit of 40."""
    product = next(one for one in scene.products if one.price and 55 < one.price < 80 and one.store)
    text = f"Your wish, held against one of ours:\n\n[{product.store}]({product.product_url})\n{item}".format(
        price=f"${product.price:.2f}"
    )
    subject = Subject(text, query="Something good for under $40?", shop=scene.shop)
    return check_report(subject)["budget"].status


@pytest.mark.parametrize("mark", ["❌", "✗", "✘", "🚫", "✖️"])
def test_a_cross_denies_that_a_limit_is_kept(scene: Scene, mark: str) -> None:
    assert budget(scene, f"- {mark} below $40 ({{price}})") != "fail"
    assert budget(scene, f"- {mark} below $90 ({{price}})") == "fail"


@pytest.mark.parametrize("mark", ["✅", "✓", "✔️"])
def test_a_tick_affirms_it(scene: Scene, mark: str) -> None:
    assert budget(scene, f"- {mark} below $90 ({{price}})") != "fail"
    assert budget(scene, f"- {mark} below $40 ({{price}})") == "fail"


def test_a_cross_goes_with_a_reason(scene: Scene) -> None:
    assert budget(scene, "- ❌ over $40 ({price})") != "fail"
    assert budget(scene, "- ❌ over $90 ({price})") == "fail"


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        (f"[Foolscap shredder]({URL}{SHREDDER})\n- {{mark}} {{said}}", "P-4", "P-5"),
        (f"[Foolscap shredder]({URL}{SHREDDER})\n\n1. {{mark}} **{{said}}**, as you asked", "P-4", "P-5"),
        (f"[Oakbalm salt]({URL}{SALT})\n- {{mark}} {{said}}", "eucalyptus", "lavender"),
    ],
)
def test_what_stands_behind_a_cross_is_denied(rules_shop: Shop, text: str, own: str, other: str) -> None:
    assert claims(rules_shop, text.format(mark="✅", said=own)) != "fail"
    assert claims(rules_shop, text.format(mark="❌", said=other)) != "fail"
    assert claims(rules_shop, text.format(mark="✅", said=other)) == "fail"


def test_a_thing_behind_a_cross_is_only_not_advised(rules_shop: Shop) -> None:
    text = f"- ❌ The Foolscap shredder ({URL}{SHREDDER}), {{}}, is loud."
    assert claims(rules_shop, text.format("P-4")) != "fail"
    assert claims(rules_shop, text.format("P-5")) == "fail"


def test_a_cell_begins_with_a_cross(rules_shop: Shop) -> None:
    text = f"| Thing | Security level |\n| --- | --- |\n| [Foolscap shredder]({URL}{SHREDDER}) | {{}} |\n"
    assert claims(rules_shop, text.format("❌ P-5")) != "fail"
    assert claims(rules_shop, text.format("✅ P-4")) != "fail"
    assert claims(rules_shop, text.format("✅ P-5")) == "fail"
