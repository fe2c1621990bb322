"""Every row of a review file is what a JSON parser says it is, whichever way it was read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drr.data_ingest.blocks import BlockReader
from drr.data_ingest.packing import Ids, pack_texts, unpack_items
from drr.data_ingest.review_rows import ReviewRows, canonical
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.results import ENDURANCE, row
from tests.cases import cases
from tests.ingest.raw import messy_reviews, odd_user, product_id, review, user_id, write
from tests.ingest.test_reference import Bad, review_of
from tests.sizes import examples

Answer = tuple[Any, ...]


def scanned(path: Path, size: int = 1 << 20) -> tuple[list[Answer], dict[int, str], int]:
    """Rows with their line numbers, bad lines with their reasons, and how many rows needed the parser."""
    ids, bad, found = Ids(), {}, []
    with BlockReader(path, size=size) as reader:
        rows = ReviewRows(reader, ids, lambda number, reason, line: bad.update({number: reason}))
        for _, chunk in rows:
            users, items = ids.user_texts(chunk.user), ids.item_texts(chunk.item)
            lines, times, ratings = chunk.line + 1, chunk.time, chunk.rating
            found += zip(lines.tolist(), users, items, times.tolist(), ratings.tolist(), strict=True)
    return found, bad, rows.parsed


def parsed(lines: list[bytes]) -> tuple[list[Answer], dict[int, str]]:
    bad, found = {}, []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append((number, *review_of(line)[:4]))
        except Bad as error:
            bad[number] = str(error)
    return found, bad


def assert_equal(tmp_path: Path, lines: list[bytes], size: int = 1 << 20) -> int:
    path = write(tmp_path / "X.jsonl", lines)
    found, bad, by_parser = scanned(path, size)
    want, want_bad = parsed(lines)
    assert found == want
    assert bad == want_bad
    return by_parser


def plain(count: int, seed: int = 0) -> list[bytes]:
    rng = random.Random(seed)
    return [
        json.dumps(
            review(
                user_id=user_id(n), parent_asin=product_id(rng.randrange(50)),
                rating=float(rng.randint(0, 5)), timestamp=rng.randrange(10**12, 1_690_000_000_000),
                helpful_vote=rng.choice([0, 7, 10, 99, 28781]), verified_purchase=rng.random() < 0.5,
                title="x" * rng.randrange(200), text="y" * rng.randrange(700),
            )
        ).encode()
        for n in range(count)
    ]  # fmt: skip


SPECIAL = tuple(cases("ingest", "SPECIAL"))


def picture(rng: random.Random, width: int) -> dict[str, str]:
    """As the official files have it: the large picture's address is longer by one."""
    name = "".join(rng.choices("abcXYZ019+-/_", k=width))
    return {
        "small_image_url": f"https://m.media-amazon.com/images/I/{name}._SL256_.jpg",
        "medium_image_url": f"https://m.media-amazon.com/images/I/{name}._SL800_.jpg",
        "large_image_url": f"https://m.media-amazon.com/images/I/{name}._SL1600_.jpg",
        "attachment_type": "IMAGE",
    }


def rich(count: int, seed: int = 0) -> list[bytes]:
    """Official lines with escapes, pictures or both."""
    rng = random.Random(seed)
    lines = []
    for one in plain(count, seed):
        row = json.loads(one)
        for name in ("title", "text"):
            words = [rng.choice(SPECIAL) if rng.random() < 0.3 else "word" for _ in range(rng.randrange(12))]
            row[name] = rng.choice(("", " ")).join(["word", *words])
        row["images"] = [picture(rng, 11) for _ in range(rng.choice((0, 0, 1, 1, 2, 5)))]
        lines.append(json.dumps(row).encode())
    return lines


@pytest.mark.long
@pytest.mark.parametrize("lines", [plain, rich], ids=["plain", "rich"])
def test_official_lines_never_need_the_parser(tmp_path: Path, lines: Callable[[int], list[bytes]]) -> None:
    assert assert_equal(tmp_path, lines(3000)) == 0


@pytest.mark.parametrize("size", [300, 1000, 4096, 100_000])
def test_blocks_of_any_size_give_the_same_rows(tmp_path: Path, size: int) -> None:
    lines = [*plain(300, 1), json.dumps(review(text="x" * 30000)).encode(), *plain(20, 2)]
    assert_equal(tmp_path, lines, size)


@pytest.mark.long
def test_spoiled_lines_are_judged_by_the_parser(tmp_path: Path) -> None:
    rows = messy_reviews(9, [product_id(n) for n in range(30)] + ["b00lower", "short"], 4000)
    assert_equal(tmp_path, [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows])
    rng = random.Random(3)
    lines = []
    for find, put in SPOILS:
        for good in [*plain(2, rng.randrange(99)), *rich(4, rng.randrange(99))]:
            lines += [good, good.replace(find, put, 1), good.replace(find, put)]
    lines += [a + b for a, b in zip(plain(20, 5), plain(20, 6), strict=True)]
    lines += [a[: rng.randrange(len(a))] + b for a, b in zip(plain(50, 7), plain(50, 8), strict=True)]
    lines += [b"", b"   ", b"{}", b"[]", b"1", b'"x"', b"\xef\xbb\xbf{}", b"[" * 3000, b'{"a":' * 3000]
    rng.shuffle(lines)
    assert_equal(tmp_path, lines)
    assert_equal(tmp_path, lines, 700)


ESCAPES = [one.encode() for one in cases("ingest", "ESCAPES")]
SPOILS: list[tuple[bytes, bytes]] = [
    *((find.encode("latin-1"), put.encode("latin-1")) for find, put in cases("ingest", "SPOILS")),
    *(
        (b'", "' + name, spoil + b'", "' + name)
        for name in (b"text", b"images", b"parent_asin", b"user_id", b"timestamp")
        for spoil in (b"\\", b"\\\\", b'\\"', b'"', b"\\u12", b"\\u00e9")
    ),
    *((b'"text": "', b'"text": "' + spoil) for spoil in ESCAPES),
]


def mutated(rng: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        at = (
            rng.randrange(len(data))
            if rng.random() < 0.5
            else len(data) - 1 - rng.randrange(min(200, len(data)))
        )
        kind = rng.random()
        if kind < 0.4:
            data[at] = rng.choice(b'"\\{}[],: 019.-eutrfalsA\x00\x1f\x7f\xc3')
        elif kind < 0.7:
            del data[at]
        else:
            data.insert(at, rng.choice(b'"\\0 ,}{u\xa9'))
    return bytes(data).replace(b"\n", b" ")


def fuzz(tmp_path: Path, seed: int, count: int) -> int:
    """How many lines were held to the parser."""
    rng = random.Random(seed)
    good = [*plain(count // 4, seed), *rich(count // 4, seed)]
    lines = [mutated(rng, one) for one in good] + good
    assert_equal(tmp_path, lines)
    return len(lines)


def test_random_damage(tmp_path: Path) -> None:
    fuzz(tmp_path, 1, 1500)


@pytest.mark.endurance
def test_random_damage_long(tmp_path: Path) -> None:
    lines = sum(fuzz(tmp_path, 100 + seed, 20_000) for seed in range(40))
    row(
        *ENDURANCE,
        ("review lines, half of them damaged", f"{lines:,}", "0 read otherwise than by the JSON parser"),
    )


@pytest.mark.long
@examples(60)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "rating": st.sampled_from([0.0, 1.0, 2.5, 5.0, 5]),
                "title": st.text(max_size=30),
                "text": st.text(max_size=80),
                "user_id": st.one_of(st.just(user_id(1)), st.text(min_size=1, max_size=40)),
                "parent_asin": st.one_of(st.just(product_id(1)), st.text(min_size=1, max_size=12)),
                "timestamp": st.integers(-5, 2 * 10**15),
                "helpful_vote": st.integers(-3, 10**7),
                "verified_purchase": st.booleans(),
            }
        ),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_any_row_in_either_spelling(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], ascii_only: bool
) -> None:
    lines = [
        json.dumps(review(**row), ensure_ascii=ascii_only)
        .encode("utf-8", "surrogatepass")
        .replace(b"\n", b" ")
        for row in rows
    ]
    assert_equal(tmp_path_factory.mktemp("rows"), lines)


def dressed(**raw: str) -> bytes:
    """An official line with these bytes, as they are, inside its strings."""
    rng = random.Random(1)
    row = review(title="@title", text="@text", images=[picture(rng, 11)] if "small" in raw else [])
    line = json.dumps({**row, "asin": "@asin", "user_id": "@user"})
    known = {
        "title": "long enough to be read at all",
        "text": "x",
        "asin": "B0AAAAAAAA",
        "user": user_id(3),
        **raw,
    }
    for name in ("title", "text", "asin", "user"):
        line = line.replace(f'"@{name}"', f'"{known[name]}"')
    for name, mark in (("small", "_SL256_.jpg"), ("medium", "_SL800_.jpg"), ("large", "_SL1600_.jpg")):
        line = line.replace(mark, raw.get(name, mark))
    return line.encode()


CRAFTED = {
    # A literal's first quote is escaped, and another one makes up the number.
    "text": dressed(text='a"b\\'),
    "title": dressed(title='long enough to be read a"b\\'),
    "asin": dressed(asin='B0"AAAAAA\\'),
    "user": dressed(user='A"' + "B" * 25 + "\\"),
    "small": dressed(small='_"L256_.jp\\'),
    "medium": dressed(small="_SL256_.jpg", medium='_"L800_.jp\\'),
    "large": dressed(small="_SL256_.jpg", large='_"L1600_.jp\\'),
    # Two literals share a quote, and another one makes up the number.
    "shared": dressed(text="@", asin='B0"AAAAAAA').replace(b'"text": "@", "images"', b'"text": ", "images"'),
    # The id is not what its bytes look like.
    "escaped user": dressed(user="\\u0041" + "B" * 22),
    "escaped user with more": dressed(text='a\\"b', user="\\u0041" + "B" * 22),
    "escaped slash": dressed(text='a\\"b', user="\\/" + "B" * 26),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_lines_made_to_look_right_are_read_as_the_parser_reads_them(tmp_path: Path, name: str) -> None:
    assert_equal(tmp_path, [CRAFTED[name]])
    assert_equal(tmp_path, [*plain(3), CRAFTED[name], *rich(3)])


@pytest.mark.parametrize("half", ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\u0000"])
def test_what_has_to_be_mended_is_counted(tmp_path: Path, half: str) -> None:
    path = write(tmp_path / "X.jsonl", [*rich(5), dressed(text=half), dressed(text="\\ud83d\\ude00")])
    with BlockReader(path) as reader:
        rows = ReviewRows(reader, Ids(), lambda number, reason, line: None)
        assert sum(len(chunk.time) for _, chunk in rows) == 7
    assert (rows.repairs.surrogates, rows.repairs.nul) == ((0, 1) if "0000" in half else (1, 0))
    assert rows.parsed == 1


HOSTILE = st.text('"\\\\u0dD8cCeEf9/, :n{}[]', max_size=14)


@pytest.mark.long
@examples(150)
@given(
    st.lists(
        st.tuples(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, st.integers(0, 2)), min_size=1, max_size=8
    )
)
def test_any_bytes_inside_the_strings_are_read_as_the_parser_reads_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str, str, int]]
) -> None:
    """Quotes, backslashes and halves of escapes wherever a string may hold them, in lines that are right otherwise."""
    rng = random.Random(1)
    lines = []
    for title, text, one, two, asin, pictures in rows:
        row = review(title="@1", text="@2", images=[picture(rng, 11) for _ in range(pictures)])
        line = json.dumps({**row, "asin": "@5"}).replace('"@1"', f'"{title}"').replace('"@2"', f'"{text}"')
        line = line.replace("._SL256_", one, 1).replace("._SL800_", two, 1)
        lines.append(line.replace('"@5"', f'"{asin:0<10.10}"').encode())
    assert_equal(tmp_path_factory.mktemp("rows"), lines)


@given(
    st.lists(
        st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=10, max_size=10), min_size=1, max_size=20
    )
)
def test_packed_ids_lose_nothing_and_sort_as_text(texts: list[str]) -> None:
    packed, fine = pack_texts(texts)
    assert fine.all()
    assert [text.decode() for text in unpack_items(packed).tolist()] == texts
    assert [texts[at] for at in np.argsort(packed, kind="stable")] == sorted(texts)


@given(st.text(max_size=11))
def test_other_ids_have_no_packed_form(text: str) -> None:
    _, fine = pack_texts([text])
    assert bool(fine[0]) == (len(text) == 10 and set(text) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def test_ids_are_whole_and_canonical_texts_equal() -> None:
    rng, ids = random.Random(1), Ids()
    users = [odd_user(rng) for _ in range(100)] + [user_id(n) for n in range(100)]
    assert ids.user_texts(ids.users(users)) == users
    items = ["", "B0", "b000000001", "B000000001X", "ÄÄÄÄÄÄÄÄÄÄ", product_id(3), "B0000 0001"]
    assert ids.item_texts(ids.items(items)) == items
    row = review(text="Très \u2014 \U0001f600", images=[{"b": 1.0, "a": 2}])
    plain_text = canonical(json.dumps(row).encode())
    for same in (
        json.dumps(row, ensure_ascii=False),
        json.dumps(row, separators=(",", ":")),
        json.dumps(dict(reversed(row.items()))),
        json.dumps({**row, "rating": 5, "images": [{"a": 2, "b": 1}]}),
        json.dumps(row).replace("timestamp", "sortTimestamp"),
    ):
        assert canonical(same.encode()) == plain_text
    for other in (
        {"rating": 4.0}, {"text": ""}, {"helpful_vote": 1}, {"verified_purchase": 1}, {"new": None},
    ):  # fmt: skip
        assert canonical(json.dumps({**row, **other}).encode()) != plain_text
