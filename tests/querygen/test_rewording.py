"""Other words for a checkable question name the same things, amounts and days."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.querygen.composing import QuestionMaker
from drr.querygen.rewording import reword_question

DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")


@pytest.mark.long
def test_a_thing_ordered_twice_keeps_the_day_that_the_question_names(sample_home: Path) -> None:
    settings = resolve({}, environ={}).settings
    with open_shop(str(sample_home / "shop"), settings) as shop:
        maker = QuestionMaker(shop, open_web(settings, shop=shop))
        days = []
        for seed, level in ((39, 2), (84, 5), (92, 1), (93, 2), (95, 4)):
            query = maker.make(seed, level)
            for luck in range(6):
                text = reword_question(maker, query, luck)
                assert text is not None
                days.append((sorted(DAY.findall(query.query)), sorted(DAY.findall(text))))
    assert all(days) and [old for old, _ in days] == [new for _, new in days]
