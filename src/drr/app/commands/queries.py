"""The command `drr queries`: generates, checks, reviews, counts and publishes the questions of a benchmark."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drr.app.commands.reviewer import review_at_terminal, reviewer_of
from drr.app.console import (
    add_setting_options,
    print_document,
    print_result,
    settings_of,
    shop_settings_of,
)
from drr.app.notices import notice
from drr.app.options import positive_int
from drr.app.study.outcome import add_unit_options
from drr.app.terminal import wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.query import Query, check_no_talk, read_queries
from drr.env.records.lines import one_line
from drr.env.shop import Shop, open_shop
from drr.env.web.made_web import question_outside
from drr.env.web.open import open_web
from drr.querygen.builtin import builtin_queries
from drr.querygen.checkable import TruthChecker
from drr.querygen.checks import Checker, coherence, manifest_matches, spread
from drr.querygen.dataset import Publication, write_dataset
from drr.querygen.files import line_of, write_queries
from drr.querygen.review import RowReview
from drr.querygen.stats import statistics_of
from drr.wording.excerpt import many

_EXAMPLES = """\
Without a key the writer is `offline`: rules over real orders, marked as rule-written. Questions that fail a check are kept
aside in FILE.rejected.jsonl with the reason. The work of generating lies in FILE.study and goes on where it stopped.

examples:
  drr queries generate --shop shop --out queries.jsonl --users 50 --per-user 3 --seed 7
  drr queries generate --shop shop --out generic.jsonl --users 8 --mode generic
  drr queries generate --shop shop --out q.jsonl --users 50 --model anthropic:claude-sonnet-5-5 --budget 2
  drr queries check queries.jsonl --shop shop
  drr queries review queries.jsonl --shop shop --reviewer "Ada"
  drr queries stats queries.jsonl --shop shop --against generic.jsonl
  drr queries dataset queries.jsonl --out dataset
  drr queries builtin --out queries.jsonl
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True)
    for add in (_add_generate, _add_word, _add_check, _add_review, _add_stats, _add_dataset, _add_builtin):
        add(actions)


def _action(
    actions: Any, name: str, act: Callable[[argparse.Namespace], int], line: str, *examples: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name,
        help=line,
        description=line,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(["examples:", *(f"  drr queries {name} {one}" for one in examples)]),
    )
    parser.set_defaults(act=act)
    return parser


def _add_generate(actions: Any) -> None:
    examples = (
        "--shop shop --out q.jsonl --users 50 --per-user 3 --seed 7",
        "--shop shop --out q.jsonl --model anthropic:claude-sonnet-5-5 --budget 2",
        "--shop shop --out q.jsonl --checkable --seed 7 --count 100",
    )
    parser = _action(actions, "generate", _generate, "write questions for a sample of users", *examples)
    add = parser.add_argument
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of queries that is written")
    add("--users", dest="how_many", type=positive_int, default=50, metavar="N", help="users (default 50)")
    add("--user", action="append", default=[], metavar="ID", help="this user instead of a sample; repeatable")
    add("--per-user", type=positive_int, default=3, metavar="N", help="questions each (default 3)")
    add(
        "--mode",
        choices=("profile", "generic"),
        default="profile",
        help="whether the writer is shown the user's profile (default: profile)",
    )
    add("--seed", type=int, default=7, metavar="S", help="of the sample of users (default 7)")
    add("--min-orders", type=positive_int, default=5, metavar="N", help="of a user (default 5)")
    add("--checkable", action="store_true", help="questions whose answers code can check; no model")
    add("--curriculum", action="store_true", help="checkable questions by level, the easiest first")
    add("--joined", action="store_true", help="questions whose points bind one another, by level; no model")
    add(
        "--count",
        type=positive_int,
        default=20,
        metavar="N",
        help="checkable questions (default 20)",
    )
    _min_products(parser)
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "model_query_writer", "prompts", "shop_url", "sandbox")


def _add_word(actions: Any) -> None:
    line = "a model words joined questions, others prove the words; resumable"
    example = "q.jsonl --shop shop --writer MODEL --readers MODEL,MODEL --out worded.jsonl"
    parser = _action(actions, "word", _word, line, example)
    add = parser.add_argument
    add(
        "file",
        metavar="FILE.jsonl",
        type=Path,
        help="questions of `drr queries generate --joined`",
    )
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--writer", required=True, metavar="MODEL", help="words each question")
    add(
        "--readers",
        required=True,
        metavar="MODEL,...",
        help="two read the words, a third seeks what they leave open",
    )
    add("--out", required=True, metavar="FILE.jsonl", type=Path, help="the file of queries that is written")
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "role_models", "prompts", "shop_url", "sandbox")


def _add_check(actions: Any) -> None:
    line = "what code can say of each question; exit 1 if any fails"
    parser = _action(actions, "check", _check, line, "q.jsonl --shop shop")
    parser.add_argument("file", metavar="FILE.jsonl", type=Path, help="a file of queries")
    parser.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    _min_products(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "shop_url", "sandbox")


def _add_review(actions: Any) -> None:
    line = "accept, edit or reject, one at a time; resumable"
    parser = _action(actions, "review", _review, line, "q.jsonl --shop shop --reviewer Ada")
    add = parser.add_argument
    add("file", metavar="FILE.jsonl", type=Path, help="a file of queries")
    add("--reviewer", required=True, metavar="NAME", help="recorded with each decision")
    add("--shop", metavar="SHOP", help="show what the checks say")
    add("--again", action="store_true", help="also what was reviewed before")
    add_setting_options(parser, "shop_url")


def _add_stats(actions: Any) -> None:
    line = "variety, duplicates, tools, categories, length"
    parser = _action(actions, "stats", _stats, line, "q.jsonl --shop shop --against generic.jsonl")
    add = parser.add_argument
    add("file", metavar="FILE.jsonl", type=Path, help="a file of queries")
    add("--shop", metavar="SHOP", help="also the checks and the categories")
    add("--against", metavar="FILE.jsonl", type=Path, help="a second file beside it")
    _min_products(parser)
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "shop_url")


def _add_builtin(actions: Any) -> None:
    line = "the checked questions that come with the sample shop"
    add = _action(actions, "builtin", _builtin, line, "--out q.jsonl").add_argument
    add("--out", metavar="FILE.jsonl", type=Path, help="default: standard output")
    add("--json", action="store_true", help="one JSON document")


def _add_dataset(actions: Any) -> None:
    line = "JSONL, Parquet, dataset card, Croissant metadata"
    add = _action(actions, "dataset", _dataset, line, "q.jsonl --out dataset").add_argument
    add("file", metavar="FILE.jsonl", type=Path, help="a file of queries")
    add("--out", required=True, metavar="DIR", type=Path, help="the folder that is written")
    add("--license", default="Apache-2.0", metavar="SPDX", help="of the dataset (default Apache-2.0)")
    add("--with-truth", action="store_true", help="also the truth of checkable questions (default: left out)")
    add("--json", action="store_true", help="one JSON document")


def _min_products(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--min-products",
        type=positive_int,
        default=3,
        metavar="N",
        help="that the shop must have for each need of a question (default 3)",
    )


def run(arguments: argparse.Namespace) -> int:
    code: int = arguments.act(arguments)
    return code


def _generate(arguments: argparse.Namespace) -> int:
    from drr.app.study.queries import generate, generate_checkable

    work = generate_checkable if arguments.checkable or arguments.joined else generate
    return work(arguments, shop_settings_of(arguments))


def _word(arguments: argparse.Namespace) -> int:
    from drr.app.study.queries import word_specified

    return word_specified(arguments, shop_settings_of(arguments))


# -- check, review


def _check(arguments: argparse.Namespace) -> int:
    queries = _questions(arguments.file)
    check_no_talk(queries)
    settings = shop_settings_of(arguments)
    with open_shop(arguments.shop, settings) as shop:
        manifest_matches(shop, queries)
        web = open_web(settings, shop=shop)
        if outside := question_outside(queries, shop, web):
            notice(outside)
        truth = TruthChecker(shop, web) if any(query.checkable for query in queries) else None
        checker = Checker(shop, arguments.min_products, truth, len(queries))
        rows = [checker.check(query) for query in queries]
        verdict, categories = spread(checker, queries)
        whole = {"spread": verdict, "coherence": coherence(checker, queries)}
    failed = [
        (row.query.id, "; ".join(f"{name}: {why}" for name, why in row.failed.items()))
        for row in rows
        if row.failed
    ]
    broken = [
        f"{arguments.file}: {name}: {one.message}" for name, one in whole.items() if one.status == "fail"
    ]
    print_result(
        arguments,
        {
            "queries": [
                {"id": row.query.id, "checks": {name: v._asdict() for name, v in row.verdicts.items()}}
                for row in rows
            ],
            "spread": {**verdict._asdict(), "categories": categories},
            "coherence": whole["coherence"]._asdict(),
            "failed": len(failed),
        },
        *(f"{one_line(name, 80)}: {one_line(reasons, 1000)}" for name, reasons in failed),
        *broken,
        f"{len(rows) - len(failed)} of {len(rows)} questions pass every check",
    )
    return 1 if failed or broken else 0


def _review(arguments: argparse.Namespace) -> int:
    name, queries = reviewer_of(arguments), _questions(arguments.file)
    with _shop_if_named(arguments) as shop:

        def problems(query: Query) -> list[str]:
            failed = {} if shop is None else Checker(shop).check(query).failed
            return [f"{name}: {one_line(message, 400)}" for name, message in failed.items()]

        return review_at_terminal(
            arguments.file,
            lambda terminal: RowReview(arguments.file, queries, name, terminal, problems).run(
                again=arguments.again
            ),
        )


def _shop_if_named(arguments: argparse.Namespace) -> AbstractContextManager[Shop | None]:
    if arguments.shop is None:
        return nullcontext()
    return open_shop(arguments.shop, settings_of(arguments).settings)


# -- stats, dataset, builtin


def _stats(arguments: argparse.Namespace) -> int:
    files = [arguments.file, *([arguments.against] if arguments.against else [])]
    loaded = [_questions(path) for path in files]
    with _shop_if_named(arguments) as shop:
        documents = [statistics_of(q, shop, min_products=arguments.min_products) for q in loaded]
    figures = _side_by_side([path.name for path in files], [dict(_flat_rows(one)) for one in documents])
    if len(loaded) == 1:
        print_document(arguments, documents[0], figures)
        return 0
    examples = _examples(*loaded)
    shown = [
        f"{path.name}, {one.id}: {one_line(one.query, 2000)}"
        for path, one in zip(files, examples, strict=True)
    ]
    print_document(
        arguments,
        {"file": documents[0], "against": documents[1], "examples": [one.query for one in examples]},
        "\n\n".join([figures, *map(wrapped_paragraph, shown)]),
    )
    return 0


def _examples(queries: Sequence[Query], others: Sequence[Query]) -> tuple[Query, Query]:
    """Return one question of each file, of one user if both files have him, as in the paper's Figure 5."""
    by_user = {query.user_id: query for query in reversed(others)}
    pairs = ((query, by_user[query.user_id]) for query in queries if query.user_id in by_user)
    return next(pairs, (queries[0], others[0]))


def _side_by_side(heads: list[str], columns: list[dict[str, object]]) -> str:
    """Return a table with one row for each figure; it has headings if there is more than one file."""
    names = list(dict.fromkeys(name for column in columns for name in column))
    width = max(map(len, names)) + 2
    rows = [(name, *(_shown_value(column.get(name)) for column in columns)) for name in names]
    shown = [("", *heads), *rows] if len(heads) > 1 else rows
    wide = min(24, 2 + max(len(cell) for _, *cells in shown for cell in cells))
    return "\n".join(
        f"{name:<{width}}" + "".join(f"{cell:>{wide}}" for cell in cells) for name, *cells in shown
    )


def _flat_rows(document: Mapping[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, value in document.items():
        if isinstance(value, dict):
            rows += _flat_rows(value, f"{prefix}{name}.")
        elif name != "schema":
            rows.append((prefix + name, value))
    return rows


def _shown_value(value: object) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _dataset(arguments: argparse.Namespace) -> int:
    queries = _questions(arguments.file)
    name, today = arguments.file.stem, datetime.now(UTC).date().isoformat()
    publication = Publication(name, today, arguments.license, arguments.with_truth)
    files = [
        str(path) for path in write_dataset(arguments.out, queries, publication, source=str(arguments.file))
    ]
    print_result(arguments, {"name": name, "questions": len(queries), "files": files}, *files)
    return 0


def _builtin(arguments: argparse.Namespace) -> int:
    queries = builtin_queries()
    if arguments.out is None:
        lines = [line_of(query) for query in queries]
        print_result(arguments, {"queries": list(map(json.loads, lines))}, *lines)
        return 0
    write_queries(arguments.out, queries)
    document = {"file": str(arguments.out), "questions": len(queries)}
    print_result(arguments, document, f"{arguments.out}: {many(len(queries), 'question')}")
    return 0


def _questions(path: Path) -> list[Query]:
    """Read a file of queries; raise `Misuse` for one without any."""
    queries = read_queries(path)
    if not queries:
        raise Misuse(f"{path}: holds no question; `drr queries generate --out {path}` writes some")
    return queries
