"""Questions name every file, ask for every part, say no fact, and do not read alike; checklists have 8 to 15 points."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from drr.papers.dr3.asking import checklist, question
from drr.papers.dr3.asking.checklist import written_checklist
from drr.papers.dr3.asking.question import written_question
from drr.papers.dr3.case import TaskCase

from tests.filetasks.reading import says


def test_a_question_has_50_to_100_words_and_names_every_file(hundred: list[TaskCase]) -> None:
    for case in hundred:
        text = written_question(case)
        assert question.FEWEST <= len(text.split()) <= question.MOST, text
        assert [file.name for file in case.files if file.name not in text] == []
        assert "{" not in text and "  " not in text


def test_a_question_says_no_fact(hundred: list[TaskCase]) -> None:
    for case in hundred:
        text = written_question(case)
        assert [fact for fact in case.facts if says(text, fact.value)] == []


def test_a_hundred_questions_do_not_read_alike(hundred: list[TaskCase]) -> None:
    """No two begin alike, no sentence but short ones is in more than three of them, and few share a run of twelve words."""
    texts = [written_question(case) for case in hundred]
    assert len({" ".join(text.split()[:12]) for text in texts}) >= 97
    sentences = Counter(one for text in texts for one in set(re.split(r"(?<=[.?!])\s+", text)))
    assert [one for one, times in sentences.items() if times > 3 and len(one.split()) > 7] == []
    runs = Counter(
        run
        for text in texts
        for run in {" ".join(text.split()[at : at + 12]) for at in range(len(text.split()) - 11)}
    )
    assert max(runs.values()) <= 5, runs.most_common(3)


def test_every_slot_is_filled_and_every_part_and_story_asks_in_its_own_words() -> None:
    words = Path(question.__file__).parent / "words"
    slots = {
        slot for path in words.glob("*.toml") for slot in re.findall(r"\{(\w+)\}", path.read_text("utf-8"))
    }
    frames = {"f", "a", "b", "c", "list"}
    named = set(re.findall(r'"(\w+)"', Path(question.__file__).read_text("utf-8")))
    assert slots - frames - named == set()
    for intent in (
        "replace_under_warranty",
        "refill",
        "fit_into_space",
        "compare_with_owned",
        "return_or_keep",
    ):
        words = question.tomllib.loads(
            (Path(question.__file__).parent / "words" / f"{intent}.toml").read_text("utf-8")
        )
        assert len(set(words["stories"])) >= 20
        for part, said in words["parts"].items():
            assert len(set(said["wants"])) >= 4 and len(set(said["asks"])) >= 6, part
            assert all(one.endswith("?") for one in said["asks"])
            assert not re.search(r"\d", " ".join((*said["asks"], *said["wants"])))
    for path in (Path(question.__file__).parent / "words").glob("*_*.toml"):
        words = question.tomllib.loads(path.read_text("utf-8"))
        fits = path.stem == "fit_into_space"
        for story in words["stories"]:
            assert ("{rival}" if fits else "{name}") in story
            assert not fits or "{place}" in story or "{at}" in story
            assert path.stem != "return_or_keep" or "{seller}" in story.casefold()
            assert not re.search(r"\b[Ss]hould I\b|keep or|or change\b", story)


def test_what_a_verdict_hangs_on_is_asked_whole(hundred: list[TaskCase]) -> None:
    """A day or a margin and whether it is past or fits, in one breath."""
    both = {
        "term": r"today|still|already|past|ahead|end",
        "claim": r"still|too late|too long|missed|pass|past|blown|come and gone|let it pass|time",
        "window": r"still|too late|past|passed|missed|time|already|ahead|end",
        "width": r"fit|wide|width|go(?:es)? in", "height": r"how much|how many|margin|left",
        "load": r"how much|how many|margin", "trunk": r"how much|how many|how close|left|short",
        "keeping": r"what date|which date|what(?:'s| is) the|last day|what date|date",
    }  # fmt: skip
    for path in (Path(question.__file__).parent / "words").glob("*_*.toml"):
        parts = question.tomllib.loads(path.read_text("utf-8"))["parts"]
        for part, said in parts.items():
            for one in (*said["asks"], *said["wants"]):
                assert re.search(both.get(part, ""), one), (part, one)
                if part in ("term", "claim", "window", "keeping"):
                    assert re.search(
                        r"\bdate|\bday\b|[Uu]ntil when|[Ww]hen (?:does|will|did)|deadline|cutoff|last day",
                        one,
                    ), (part, one)


def test_another_attempt_says_it_in_other_words(hundred: list[TaskCase]) -> None:
    for case in hundred[:10]:
        assert written_question(case) == written_question(case)
        assert len({written_question(case, attempt) for attempt in range(4)}) == 4


def test_a_checklist_has_8_to_15_points_and_a_rule_for_every_fact(hundred: list[TaskCase]) -> None:
    for case in hundred:
        points = written_checklist(case)
        assert checklist.FEWEST <= len(points) <= checklist.MOST
        assert len({point.requirement for point in points}) == len(points)
        assert {one for point in points for one in point.facts} == {fact.id for fact in case.facts}
        assert all((point.decided_by == "rule") == bool(point.facts) for point in points)
        said = " ".join(point.requirement for point in points)
        assert [fact.value for fact in case.facts if says(said, fact.value)] == []
        assert {"content", "evidence", "conclusion"} <= {point.category for point in points}
