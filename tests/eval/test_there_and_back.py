"""Round trips over texts that nobody chose: what is written comes back, and an interval stays within its bounds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from drr.app.bundles.builder import BundleConfig, write_bundle
from drr.app.bundles.regrade import restore
from drr.env.files import LONGEST_ID, file_name
from drr.eval.foreign.form import ForeignQuestion, GivenReport
from drr.eval.foreign.registry import formats
from drr.eval.stats.intervals import mean, pooled_ratio
from drr.study.bundle.archive import NAMES, pack_archive, unpack_archive
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st

from tests.eval.nursery import answer, put, web
from tests.sizes import examples

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
WORDS = TEXT.filter(str.strip)
WORD = st.text(st.sampled_from("aZ09._-é漢 "), min_size=1, max_size=LONGEST_ID)
IDS = st.integers(-(10**15), 10**15) | WORD.filter(
    lambda text: bool(text.strip()) and text not in (".", "..")
)
SYSTEM = st.text(st.sampled_from("aZ9._-/ é"), min_size=1, max_size=12).map(lambda text: f"s{text}")
ASKED = st.builds(
    ForeignQuestion, id=IDS, words=WORDS, user=IDS.map(str), language=TEXT, task=IDS, domain=TEXT
)
REPORTS = st.lists(
    st.builds(GivenReport, where=st.just("q"), asked=ASKED, system=SYSTEM, text=TEXT), min_size=1, max_size=6
)
PLAIN = [name for name, form in formats().items() if form.kinds]
"""Formats whose files are lines, not a tree of folders."""


@pytest.mark.parametrize("name", PLAIN)
@given(reports=REPORTS)
@examples(100)
def test_what_is_written_in_a_format_is_read_again(name: str, reports: list[GivenReport]) -> None:
    form = formats()[name]
    texts = [kind for kind in form.kinds if kind.text]
    with TemporaryDirectory() as place:
        found = [one for out in form.write(reports) for one in form.read(_written(place, out.path, out.text))]
    told = {form.columns[column][0] for kind in texts for column in kind.named}
    back = [one for one in found if isinstance(one, GivenReport)]
    assert sorted((one.system, one.text, *_fields(form, one.asked, told)) for one in back) == sorted(
        (Path(f"{file_name(one.system)}.jsonl").stem, one.text, *_fields(form, one.asked, told))
        for one in reports
    )


def _written(place: str, path: str, text: str) -> Path:
    file = Path(place, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _fields(form: Any, asked: ForeignQuestion, told: set[str]) -> list[str]:
    """What the format holds of a question; an id that it has no column for is made of the words."""
    known = vars(asked) | ({"id": form.id_of_words(asked.words)} if form.id_of_words else {})
    return [repr(known[name]) for name in sorted(told)]


@given(contents=st.lists(st.binary(max_size=2000), min_size=len(NAMES), max_size=len(NAMES)))
@examples(50)
def test_an_archive_unpacks_to_the_bytes_that_were_packed(contents: list[bytes]) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        for name, content in zip(NAMES, contents, strict=True):
            Path(one, name).write_bytes(content)
        pack_archive(Path(one), Path(one, "packed"))
        unpack_archive(Path(one, "packed"), Path(other))
        assert [Path(other, name).read_bytes() for name in NAMES] == contents


@pytest.mark.slow
@given(texts=st.lists(TEXT, min_size=1, max_size=5, unique=True))
@examples(25)
def test_a_study_is_restored_from_its_bundle_with_all_that_its_records_hold(texts: list[str]) -> None:
    with TemporaryDirectory() as place:
        home, bundle, again = Path(place, "study"), Path(place, "b"), Path(place, "again")
        with Study.create(home, {"schema": 1, "run": {}}) as study:
            asked = enumerate(texts)
            units = [answer(str(n), "x", text, [web("http://a.example/", text)]) for n, text in asked]
            asyncio.run(put(study, *units))
        write_bundle(BundleConfig(study=home, out=bundle, with_pages=True))
        restore(bundle, again)
        with Study.read(home) as before, Study.read(again) as after:
            assert _held(after) == _held(before) and len(_held(after)) == len(texts)


def _held(study: Study) -> list[tuple[Any, ...]]:
    return sorted(
        (
            one.key,
            one.kind,
            repr(one.spec),
            repr(one.result),
            *sorted(map(study.blobs.get, one.blobs.values())),
        )
        for one in study.records()
    )


SCORED = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.lists(st.none() | st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=4),
    max_size=12,
)


@given(values=SCORED, low=st.integers(-5, 5), width=st.integers(1, 10))
@examples(200)
def test_an_interval_of_a_mean_holds_its_value_and_stays_within_the_ends(
    values: dict[str, list[float | None]], low: int, width: int
) -> None:
    scaled = {
        key: [None if one is None else low + width * one for one in ones] for key, ones in values.items()
    }
    found = mean(scaled, ends=(low, low + width))
    assert found.n == sum(one is not None for ones in values.values() for one in ones)
    assert found.n_unscored == sum(one is None for ones in values.values() for one in ones)
    assert (found.value is None) is (found.n == 0) and (found.ci_low is None) is (found.ci_high is None)
    if found.value is not None and found.ci_low is not None and found.ci_high is not None:
        assert low <= found.ci_low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.ci_high <= low + width
    turned = mean(dict(reversed(scaled.items())), ends=(low, low + width))
    assert (turned.value, turned.ci_low, turned.ci_high) == pytest.approx(
        (found.value, found.ci_low, found.ci_high), abs=1e-9
    )


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from("abcdefghij"), st.integers(0, 9), st.integers(0, 9)), max_size=20
    )
)
@examples(200)
def test_an_interval_of_a_share_holds_its_value_and_stays_a_share(pairs: list[tuple[str, int, int]]) -> None:
    rows = [(key, min(part, whole), whole) for key, part, whole in pairs]
    found = pooled_ratio(rows, "share", n=len(rows))
    whole = sum(row[2] for row in rows)
    assert found.value == (pytest.approx(sum(row[1] for row in rows) / whole) if whole else None)
    if found.ci_low is not None and found.ci_high is not None:
        assert 0 <= found.ci_low <= found.value + 1e-9 and found.value - 1e-9 <= found.ci_high <= 1
