"""Where a reader sees a passage of a report, in whatever manner it is laid out: headings, rules, lists and tables, five languages and more."""

from __future__ import annotations

import pytest
from drr.papers.reporteval.judging.passages import passages_of

ENGLISH = (
    "The cedar feeder takes five pounds of seed and its roof slides off for cleaning, which owners with small balconies mention "
    "again and again; the clamp fits rails up to two inches wide and needs no tools at all."
)
OTHER = (
    "Of the four models that stay under forty dollars only the steel one has a warranty longer than a year, and its maker sells "
    "single perches, so that a broken part does not mean a new feeder after a hard winter."
)
GERMAN = (
    "Das Futterhaus aus Zedernholz fasst gut zwei Kilo Kerne, und das Dach lässt sich zum Reinigen abziehen, was Besitzer kleiner "
    "Balkone immer wieder loben; die Klemme passt auf Geländer bis fünf Zentimeter."
)
CHINESE = (
    "这款雪松木喂鸟器可以装下大约两公斤葵花籽，顶盖能够整个抽出来清洗，住小阳台的用户一再提到这一点；夹具适合五厘米以内的栏杆，"
    "安装时不需要任何工具，拆下来也只要几分钟，冬天可以收进室内，第二年春天再装回去。"
)
JAPANESE = (
    "この杉材のバードフィーダーは約二キロの種が入り、屋根が引き抜けるので掃除が簡単だという声が小さなベランダの利用者から繰り返し寄せられています。"
    "クランプは五センチまでの手すりに合い、工具はまったく要りません。冬は室内にしまえます。"
)
Cut = list[tuple[str, str, bool]]
"""Heading, text, of a summary."""

MANNERS: dict[str, tuple[str, Cut]] = {
    "ruled headings": (
        f"Feeders\n=======\n\n{ENGLISH}\n\nSummary\n---\n\n{OTHER}\n",
        [("Feeders", ENGLISH, False), ("Summary", OTHER, True)],
    ),
    "a rule is no heading of the sentence above it": (
        f"# Feeders\n\nPrices are of today.\n---\n{ENGLISH}\n\n***\n\n{OTHER}\n",
        [("# Feeders", ENGLISH, False), ("# Feeders", OTHER, False)],
    ),
    "a rule ends a list": (
        f"- {ENGLISH}\n- five colours\n---\n{OTHER}\n",
        [("", f"- {ENGLISH}\n- five colours", False), ("", OTHER, False)],
    ),
    "a rule is no row": (
        f"| a | b |\n|---|---|\n| {ENGLISH} | 1 |\n---\n{OTHER}\n",
        [("", f"| a | b |\n|---|---|\n| {ENGLISH} | 1 |", False), ("", OTHER, False)],
    ),
    "capitals": (
        f"OVERVIEW\n\n{ENGLISH}\n\nBOTTOM LINE:\n{OTHER}\n",
        [("OVERVIEW", ENGLISH, False), ("BOTTOM LINE:", OTHER, True)],
    ),
    "shouting is no heading": (f"{ENGLISH}\nBUY THIS ONE\n", [("", f"{ENGLISH}\nBUY THIS ONE", False)]),
    "german": (f"## Fazit\n\n{GERMAN}\n", [("## Fazit", GERMAN, True)]),
    "chinese": (
        f"# 报告\n\n## 摘要\n\n{CHINESE}\n\n## 一、LED 款\n\n维护时要注意：\n\n1. {CHINESE}\n2. 冬天收起来\n",
        [("## 摘要", CHINESE, True), ("## 一、LED 款", f"维护时要注意：\n\n1. {CHINESE}\n2. 冬天收起来", False)],
    ),
    "japanese": (f"## まとめ\n\n{JAPANESE}\n\n・{JAPANESE}\n・赤\n", [
        ("## まとめ", JAPANESE, True), ("## まとめ", f"・{JAPANESE}\n・赤", True),
    ]),
    "short ones are none": ("## 一\n\n冬天收起来。\n\nA short remark.\n", []),
}  # fmt: skip


@pytest.mark.parametrize("manner", MANNERS)
def test_a_report_is_cut_as_it_is_read(manner: str) -> None:
    report, wanted = MANNERS[manner]
    assert [(one.heading, one.text, one.summary) for one in passages_of(report)] == wanted
