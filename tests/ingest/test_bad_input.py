"""What is wrong with the raw files is said in one line, with what to do; the shop that was there stays."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.errors import DrrError, disk_of
from drr.env.settings import Settings
from drr.env.shop import Manifest, open_shop

from tests.cases import table
from tests.ingest.conftest import Ingest
from tests.ingest.raw import SINCE, meta, product_id, review, user_id, write, write_pair

REVIEWS = [
    review(
        user_id=user_id(n % 7), parent_asin=product_id(n % 3), timestamp=SINCE + n * 86_400_000, text=str(n)
    )
    for n in range(60)
]
METAS = [meta(parent_asin=product_id(n)) for n in range(5)]


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    write_pair(folder, "Pet_Supplies", REVIEWS, METAS)
    return folder


@pytest.fixture
def reviews_file(raw: Path) -> Path:
    return raw / "raw" / "review_categories" / "Pet_Supplies.jsonl.gz"


def drr(capsys: pytest.CaptureFixture[str], raw: Path, *options: str) -> tuple[int, str]:
    """Exit code and the one line on standard error."""
    shop = raw.parent / "shop"
    code = main(
        ["data", "ingest", str(raw), "--shop", str(shop), "--categories", "Pet_Supplies", "--quiet", *options]
    )
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err


def test_a_good_folder_is_loaded_and_summed(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr(capsys, raw) == (0, "")
    options = [
        "data",
        "ingest",
        str(raw),
        "--shop",
        str(raw.parent / "shop"),
        "--categories",
        "all",
        "--replace",
    ]
    assert main([*options, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["counts"] == {"products": 3, "users": 7, "orders": 60}
    assert document["ratios"] == {"orders_per_product": 20.0, "orders_per_user": 60 / 7}
    assert document["recipe"]["categories"] == ["Pet_Supplies"]
    assert main(options) == 0
    printed = capsys.readouterr()
    assert "orders per product     20.00   (paper: 53.8)" in printed.out
    assert "60 review rows = 60 orders + 0 duplicates" in printed.out
    assert "Pet_Supplies: reviews" in printed.err


@pytest.mark.long
@pytest.mark.parametrize("layout", ["parent", "raw itself", "flat gz", "flat plain"])
def test_every_layout_gives_the_same_shop(tmp_path: Path, run_ingest: Ingest, layout: str) -> None:
    write_pair(tmp_path / "a", "Pet_Supplies", REVIEWS, METAS)
    official = run_ingest(tmp_path / "a", "one", ("Pet_Supplies",))
    place = {"parent": tmp_path / "a", "raw itself": tmp_path / "a" / "raw"}.get(layout, tmp_path / "flat")
    if layout.startswith("flat"):
        suffix = ".jsonl.gz" if layout == "flat gz" else ".jsonl"
        write(place / f"Pet_Supplies{suffix}", REVIEWS)
        write(place / f"meta_Pet_Supplies{suffix}", METAS)
    assert run_ingest(place, "two", ("Pet_Supplies",)).content_hash == official.content_hash


def test_the_same_rows_make_the_same_shop(raw: Path, run_ingest: Ingest, reviews_file: Path) -> None:
    """Several gzip members, and none at the end; metadata without its prefix, as in the hub's first upload; times with a point, as a data
    frame with a missing value writes every whole number (`1.52309e+12` has been seen too)."""

    def made(name: str) -> Manifest:
        return run_ingest(raw, name, ("Pet_Supplies",))

    whole = made("one")
    data = gzip.decompress(reviews_file.read_bytes())
    at = data.index(b"\n", 5000) + 100
    reviews_file.write_bytes(gzip.compress(data[:at]) + gzip.compress(data[at:-1]))
    assert made("two").content_hash == whole.content_hash
    folder = raw / "raw" / "meta_categories"
    (folder / "meta_Pet_Supplies.jsonl.gz").rename(folder / "Pet_Supplies.jsonl.gz")
    assert made("three").content_hash == whole.content_hash
    write(reviews_file, [{**row, "timestamp": float(row["timestamp"])} for row in REVIEWS] + REVIEWS[:5])
    pointed = made("four")
    assert (pointed.content_hash, pointed.rows["duplicates"]) == (whole.content_hash, 5)


def cut(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])


def flip(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 0xFF
    file.write_bytes(data)


POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 8953020\n"
CUT = ("Pet_Supplies.jsonl.gz: is cut short", "download it again")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        *[(lambda file, size=size: cut(file, size), CUT) for size in (-1, -9, 700, 15)],
        (lambda file: flip(file, 700), ("jsonl.gz: is",)),
        (lambda file: flip(file, -6), ("is damaged",)),
        (lambda file: file.write_bytes(b"<html>404</html>"), ("is not a gzip file", "rename it to Pet_Supplies.jsonl")),
        (lambda file: file.rename(file.with_suffix("")), ("rename it to Pet_Supplies.jsonl.gz",)),
        (lambda file: file.write_bytes(b""), ("is empty",)),
        (lambda file: file.write_bytes(gzip.compress(b"")), ("no product qualifies",)),
        (Path.unlink, ("its pair Pet_Supplies.jsonl.gz is missing",)),
        (lambda file: file.write_text(POINTER), ("Git LFS pointer", "git lfs pull")),
    ],
)  # fmt: skip
def test_a_spoilt_file_is_named_with_what_to_do(
    raw: Path,
    reviews_file: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Path], object],
    words: tuple[str, ...],
) -> None:
    spoil(reviews_file)
    code, error = drr(capsys, raw)
    assert code == 1 and all(word in error for word in words), error


@table("ingest", "bad_options")
def test_bad_options(
    raw: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str, code: int
) -> None:
    found, error = drr(capsys, raw, *options)
    assert (found, words in error) == (code, True), error
    assert not (raw.parent / "shop").exists()


def test_some_of_the_default_categories(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["data", "ingest", str(raw), "--shop", str(raw.parent / "shop"), "--quiet"])
    error = capsys.readouterr().err
    assert code == 2
    assert "has 1 of the ten default categories" in error
    assert "missing: Baby_Products, " in error
    assert "`--categories Pet_Supplies`" in error


def test_empty_folder_no_folder_and_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "file.jsonl", [{}])
    for name, words in (
        ("empty", "holds no Amazon-2023 file"),
        ("nowhere", "there is no such folder"),
        ("file.jsonl", "is a file"),
    ):
        code, error = drr(capsys, tmp_path / name)
        assert (code, words in error) == (2, True), error


def test_no_shop_is_written_where_none_can_be(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = raw.parent / "shop"
    write(shop / "holiday.jsonl", [{"dear": "diary"}])
    code, error = drr(capsys, raw)
    assert (code, "other things in it" in error) == (1, True)
    assert [path.name for path in shop.iterdir()] == ["holiday.jsonl"]
    (raw / "file").touch()
    below = ["--shop", str(raw / "file" / "shop"), "--categories", "all"]
    assert main(["data", "ingest", str(raw), *below]) == 2
    assert "shop: cannot be written (" in capsys.readouterr().err


def test_a_shop_is_replaced_only_where_asked(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr(capsys, raw)[0] == 0
    code, error = drr(capsys, raw, "--seed", "8")  # nobody is there to be asked
    assert (code, "there is a shop already; give another name, or --replace" in error) == (2, True)
    assert drr(capsys, raw, "--seed", "8", "--replace")[0] == 0
    with open_shop(str(raw.parent / "shop"), Settings()) as shop:
        assert shop.manifest.recipe["seed"] == 8


def test_too_little_disk(raw: Path, run_ingest: Ingest) -> None:
    with pytest.raises(DrrError, match=r"has 1 MB free and about \d+ MB are needed; make room"):
        run_ingest(raw, categories=("Pet_Supplies",), free=lambda folder: 1_000_000)


_FULL = """
import resource, sys
from pathlib import Path
from drr.data_ingest.ingest import Job, ingest
from drr.data_ingest.recipe import find_pairs
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.sample import SamplePlan, write_sample
from drr.env.errors import DrrError
from drr.env.progress import Quiet
from drr.env.settings import Settings
raw, limit, memory = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    if memory:
        pairs = find_pairs(raw, ("Pet_Supplies",), chosen=True)
        ingest(Job(str(raw.parent / "shop"), pairs, Recipe(), raw.parent / "q", memory), Settings(), Quiet())
    else:
        write_sample(raw.parent / "sample", SamplePlan(products=60, users=40, reviews=2000), Quiet())
except DrrError as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("limit", "memory"),
    [(100_000, 1), (100_000, 1 << 30), (20_000, 0), (200, 0)],
    ids=["scan", "spool", "sample", "sample at once"],
)
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, limit: int, memory: int) -> None:
    """Played by a limit on the size of a file."""
    raw = tmp_path / "raw"
    many = [{**REVIEWS[n % 60], "timestamp": SINCE + n} for n in range(4000 if memory == 1 else 60)]
    write_pair(raw, "Pet_Supplies", many, [{**one, "description": ["x" * 40_000]} for one in METAS])
    words = [sys.executable, "-c", _FULL, str(raw), str(limit), str(memory)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stderr) == (3, "")
    assert "the disk is full (File too large); make room there and run the same command again" in done.stdout
    assert done.stdout.startswith(str(tmp_path)) and done.stdout.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


def test_only_a_full_disk_is_said_to_be_one() -> None:
    full = r"^here: the disk is full \(No space left on device\); make room"
    with pytest.raises(DrrError, match=full), disk_of("here"):
        Path("/dev/full").write_text("x")
    with pytest.raises(IsADirectoryError), disk_of("here"):
        Path("/").write_text("x")


@pytest.mark.parametrize("which", ["Pet_Supplies", "meta_Pet_Supplies"])
@pytest.mark.parametrize("flat", [False, True], ids=["unpacked beside it", "in another place"])
def test_two_files_of_one_category_are_named(
    raw: Path, which: str, flat: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Real files beside invented ones: either would make a shop, and nobody would know which."""
    packed = next(raw.rglob(f"{which}.jsonl.gz"))
    other = raw / packed.name if flat else packed.with_suffix("")
    other.write_bytes(packed.read_bytes() if flat else gzip.decompress(packed.read_bytes()))
    code, error = drr(capsys, raw)
    assert (code, error.count("\n"), (raw.parent / "shop").exists()) == (1, 1, False)
    assert f"{packed} and {other}: two files of one category; move one of them away" in error


def test_a_bad_quarantine_is_told(raw: Path, reviews_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quarantine = raw.parent / "shop.quarantine.jsonl"
    quarantine.write_text("Chapter 1")
    code, error = drr(capsys, raw)
    assert (code, "is no quarantine file" in error) == (2, True)
    assert quarantine.read_text() == "Chapter 1"
    write(reviews_file, [*REVIEWS, b"broken"])
    quarantine.unlink()
    quarantine.symlink_to("/dev/full")
    code, error = drr(capsys, raw, "--max-bad", "1")
    assert code == 1
    assert "the quarantine file cannot be written (No space left on device)" in error
    assert Path("/dev/full").is_char_device()


def test_a_failed_ingest_leaves_the_quarantine(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_pair(raw, "Pet_Supplies", [*REVIEWS, b"{"], METAS)
    quarantine = raw.parent / "shop.quarantine.jsonl"
    assert drr(capsys, raw, "--max-bad", "0.1")[0] == 0
    before = quarantine.read_bytes()
    write_pair(raw, "Pet_Supplies", REVIEWS, METAS)
    assert drr(capsys, raw, "--min-reviews", "999", "--replace")[0] == 1
    assert quarantine.read_bytes() == before
    assert drr(capsys, raw, "--replace")[0] == 0
    assert not quarantine.exists()


def test_numbers_too_large_become_text(raw: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    deep: object = "bottom"
    for _ in range(600):
        deep = {"a": deep}
    details = {"deep": deep, "rank": {"a.b": 2**70}, "small": 1}
    odd = meta(parent_asin=product_id(0), details=details, rating_number=2**70)
    write_pair(raw, "Pet_Supplies", REVIEWS, [odd, *METAS[1:]])
    manifest = run_ingest(raw, "shop", ("Pet_Supplies",))
    assert manifest.notes["details_as_text"] == manifest.notes["rating_number_unreadable"] == 1
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        product = shop.store.product(product_id(0))
    assert product is not None
    assert product.rating_number is None
    assert (product.details["rank"], product.details["small"]) == ({"a.b": str(2**70)}, 1)


def test_too_many_bad_rows_stop(raw: Path, reviews_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr(capsys, raw)[0] == 0
    write(reviews_file, [*REVIEWS, b"{broken", {**REVIEWS[0], "user_id": 7}])
    code, error = drr(capsys, raw, "--replace")
    assert (code, "--max-bad" in error) == (1, True)
    assert "2 of 62 rows cannot be read (3.2%, more than 1.0%)" in error
    with open_shop(str(raw.parent / "shop"), Settings()) as shop:
        assert shop.manifest.counts["orders"] == len(REVIEWS)
    # Read as milliseconds seconds would all lie in January 1970, and nothing would look wrong.
    write(reviews_file, [{**row, "timestamp": row["timestamp"] // 1000} for row in REVIEWS])
    code, error = drr(capsys, raw, "--replace")
    assert (code, "60 of 60 rows cannot be read" in error) == (1, True)
    quarantine = (raw.parent / "shop.quarantine.jsonl").read_bytes().splitlines()
    assert {json.loads(one)["reason"] for one in quarantine} == {"timestamp_out_of_range"}


def test_a_date_behind_the_end_of_the_data_moves_no_day(
    raw: Path, reviews_file: Path, run_ingest: Ingest
) -> None:
    """One review of the year 2100 made that the day of the shop; it is laid aside, one of the last day is not."""
    before = run_ingest(raw, categories=("Pet_Supplies",)).as_of
    late, last = ({**REVIEWS[0], "timestamp": time} for time in (4_102_444_800_000, 1_694_670_041_162))
    write(reviews_file, [*REVIEWS, late])
    manifest = run_ingest(raw, categories=("Pet_Supplies",))
    assert (manifest.as_of, manifest.quarantined) == (before, {"timestamp_out_of_range": 1})
    write(reviews_file, [*REVIEWS, last])
    assert run_ingest(raw, categories=("Pet_Supplies",)).as_of == "2023-09-15"


def test_a_hopeless_file_is_given_up_early(raw: Path, reviews_file: Path, run_ingest: Ingest) -> None:
    write(reviews_file, [b"id,rating"] * 50_000)
    with pytest.raises(DrrError, match=r"rows cannot be read \(100.0%"):
        run_ingest(raw, categories=("Pet_Supplies",), block=10_000, max_bad=0.01)
    assert len((raw.parent / "shop.quarantine.jsonl").read_bytes().splitlines()) < 5000


def test_quarantine_says_why(raw: Path, reviews_file: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    bad = {
        3: (b'{"rating": 5.0, "ti', "broken_json"),
        10: (b"[]", "not_an_object"),
        11: ({**REVIEWS[0], "user_id": ""}, "missing_user_id"),
        12: ({**REVIEWS[0], "parent_asin": None}, "missing_parent_asin"),
        30: ({**REVIEWS[0], "timestamp": "soon"}, "wrong_type"),
        31: ({**REVIEWS[0], "timestamp": 10**17}, "timestamp_out_of_range"),
        32: (b'{"title": "\xff"}', "not_utf8"),
        33: ({**REVIEWS[0], "timestamp": 253_402_300_799_999}, "timestamp_out_of_range"),
        34: ({**REVIEWS[0], "timestamp": REVIEWS[0]["timestamp"] + 0.5}, "wrong_type"),
        40: (b"x" * 5000, "broken_json"),
    }
    rows: list[object] = list(REVIEWS)
    for number, (row, _) in bad.items():
        rows.insert(number - 1, row)
    write(reviews_file, rows)
    manifest = run_ingest(raw, categories=("Pet_Supplies",))
    records = [json.loads(one) for one in (tmp_path / "shop.quarantine.jsonl").read_bytes().splitlines()]
    assert {r["line"]: r["reason"] for r in records} == {
        number: reason for number, (_, reason) in bad.items()
    }
    assert {r["file"] for r in records} == {"Pet_Supplies.jsonl.gz"}
    assert max(len(r["excerpt"]) for r in records) <= 200
    assert records[-1]["bytes"] == 5000
    assert manifest.rows == {
        "reviews": len(rows), "orders": len(REVIEWS), "duplicates": 0, "not_selected": 0,
        "quarantined": len(bad),
    }  # fmt: skip
    assert sum(manifest.quarantined.values()) == len(bad)


def test_odd_ratings_votes_and_texts_are_kept(raw: Path, reviews_file: Path, run_ingest: Ingest) -> None:
    odd = [
        review(parent_asin=product_id(0), timestamp=SINCE + 1, rating=0.0),
        review(parent_asin=product_id(0), timestamp=SINCE + 2, helpful_vote=-3),
        review(parent_asin=product_id(0), timestamp=SINCE + 3, text="long " * 6000),
    ]
    write(reviews_file, REVIEWS + odd)
    manifest = run_ingest(raw, categories=("Pet_Supplies",))
    assert manifest.rows["orders"] == len(REVIEWS) + 3
    assert not manifest.quarantined
    assert not (raw.parent / "shop.quarantine.jsonl").exists()


def test_surrogates_and_nul_in_products_are_mended(raw: Path, run_ingest: Ingest, tmp_path: Path) -> None:
    broken = meta(parent_asin=product_id(0), title="broken \ud83d heart", details={"Note\x00": "a\x00b"})
    metas = [broken, meta(parent_asin=product_id(1), description=["x" * 30_000])]
    write(raw / "raw" / "meta_categories" / "meta_Pet_Supplies.jsonl.gz", metas)
    manifest = run_ingest(raw, categories=("Pet_Supplies",))
    assert (manifest.notes["products_with_lone_surrogates"], manifest.notes["products_with_nul"]) == (1, 1)
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        found = {one.product_id: one for one in shop.store.iter_products()}
    mended, long = found[product_id(0)], found[product_id(1)]
    assert (mended.title, mended.details) == ("broken \ufffd heart", {"Note": "ab"})
    assert long.description == ["x" * 30_000]


def test_a_product_in_two_categories_belongs_to_the_first(run_ingest: Ingest, tmp_path: Path) -> None:
    for category in ("Baby_Products", "Pet_Supplies"):
        write_pair(tmp_path / "two", category, REVIEWS, METAS)
    manifest = run_ingest(tmp_path / "two")
    assert manifest.counts["products"] == 3
    assert manifest.rows["orders"] == len(REVIEWS)
    assert manifest.rows["not_selected"] == len(REVIEWS)
    assert manifest.notes["metadata_duplicates"] == 3
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        assert shop.catalog.categories() == {"Baby_Products": 3}
    hashes = {one.name: one.sha256 for one in manifest.inputs}
    assert len(hashes) == 4


def test_inputs_are_named_with_their_hashes(raw: Path, run_ingest: Ingest, reviews_file: Path) -> None:
    from hashlib import sha256

    for options in ({}, {"limit_reviews": 10, "min_reviews": 1}):
        manifest = run_ingest(raw, categories=("Pet_Supplies",), **options)
        one = next(one for one in manifest.inputs if one.name == "Pet_Supplies.jsonl.gz")
        assert one.sha256 == sha256(reviews_file.read_bytes()).hexdigest()
        assert one.bytes == reviews_file.stat().st_size
