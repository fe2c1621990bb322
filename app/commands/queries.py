"""`drr queries`: generate, check, review, count and publish the questions of a benchmark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.querygen.checks import Checked
    from drr.querygen.generate import Writer
    from drr.querygen.sampling import Sampled
    from drr.study.run import Summary
    from drr.study.study import Study
    from drr.study.unit import Unit

_EXAMPLES = """\
Without a key the writer is `offline`: rules over real orders, marked as rule-written. Questions that fail a check are kept
aside in FILE.rejected.jsonl with the reason. The work of generating lies in FILE.study and goes on where it stopped.

examples:
  drr queries generate --shop shop --out queries.jsonl --users 50 --per-user 3 --seed 7
  drr queries generate --shop shop --out generic.jsonl --users 50 --mode generic
  drr queries generate --shop shop --out q.jsonl --users 50 --model anthropic:claude-sonnet-5-5 --budget 2
  drr queries check queries.jsonl --shop shop
  drr queries review queries.jsonl --shop shop --reviewer "Ada"
  drr queries stats queries.jsonl --shop shop --against generic.jsonl
  drr queries dataset queries.jsonl --out dataset
  drr queries builtin --out queries.jsonl
"""
_ACTIONS = ("generate", "check", "review", "stats", "dataset", "builtin")


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.options import positive_int
    from drr.app.studies import add_run_options

    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(_ACTIONS))

    def action(name: str, said: str, *examples: str) -> argparse.ArgumentParser:
        return actions.add_parser(
            name,
            help=said,
            description=said,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog="examples:\n" + "\n".join(f"  drr queries {name} {example}" for example in examples),
        )

    one = action(
        "generate",
        "write questions for a sample of users",
        "--shop shop --out q.jsonl --users 50 --per-user 3 --seed 7",
        "--shop shop --out q.jsonl --model anthropic:claude-sonnet-5-5 --budget 2",
    )
    one.add_argument("--shop", required=True, metavar="SHOP")
    one.add_argument("--out", required=True, metavar="FILE.jsonl", type=Path)
    one.add_argument(
        "--users", dest="how_many", type=positive_int, default=50, metavar="N", help="users (default 50)"
    )
    one.add_argument(
        "--user", action="append", default=[], metavar="ID", help="this user instead of a sample; repeatable"
    )
    one.add_argument(
        "--per-user", type=positive_int, default=3, metavar="N", help="questions each (default 3)"
    )
    one.add_argument("--mode", choices=("profile", "generic"), default="profile")
    one.add_argument("--seed", type=int, default=7, metavar="S", help="of the sample of users (default 7)")
    one.add_argument("--min-orders", type=positive_int, default=5, metavar="N", help="of a user (default 5)")
    _min_products(one)
    one.add_argument("--json", action="store_true", help="one JSON document")
    add_run_options(one)
    add_setting_options(one, *SETTINGS, "model_query_writer", "prompts", "shop_url")

    two = action("check", "what code can say of each question; exit 1 if any fails", "q.jsonl --shop shop")
    two.add_argument("file", metavar="FILE.jsonl", type=Path)
    two.add_argument("--shop", required=True, metavar="SHOP")
    _min_products(two)
    two.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(two, "shop_url")

    three = action(
        "review", "accept, edit or reject, one at a time; resumable", "q.jsonl --shop shop --reviewer Ada"
    )
    three.add_argument("file", metavar="FILE.jsonl", type=Path)
    three.add_argument("--reviewer", required=True, metavar="NAME", help="recorded with each decision")
    three.add_argument("--shop", metavar="SHOP", help="show what the checks say")
    three.add_argument("--again", action="store_true", help="also what was reviewed before")
    add_setting_options(three, "shop_url")

    four = action(
        "stats",
        "variety, duplicates, tools, categories, length",
        "q.jsonl --shop shop --against generic.jsonl",
    )
    four.add_argument("file", metavar="FILE.jsonl", type=Path)
    four.add_argument("--shop", metavar="SHOP", help="also the checks and the categories")
    four.add_argument("--against", metavar="FILE.jsonl", type=Path, help="a second file beside it")
    _min_products(four)
    four.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(four, "shop_url")

    five = action("dataset", "JSONL, Parquet, dataset card, Croissant metadata", "q.jsonl --out dataset")
    five.add_argument("file", metavar="FILE.jsonl", type=Path)
    five.add_argument("--out", required=True, metavar="DIR", type=Path)
    five.add_argument("--name", help="of the dataset (default: the file's name)")
    five.add_argument(
        "--license", default="Apache-2.0", metavar="SPDX", help="of the dataset (default Apache-2.0)"
    )
    five.add_argument("--url", help="where it will be published; default: an address made of its hash")

    six = action("builtin", "the checked questions that come with the sample shop", "--out q.jsonl")
    six.add_argument("--out", metavar="FILE.jsonl", type=Path, help="default: standard output")


def _min_products(parser: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_int

    parser.add_argument(
        "--min-products",
        type=positive_int,
        default=3,
        metavar="N",
        help="that the shop must have for each need of a question (default 3)",
    )


def run(arguments: argparse.Namespace) -> int:
    code: int = {
        "generate": _generate,
        "check": _check,
        "review": _review,
        "stats": _stats,
        "dataset": _dataset,
        "builtin": _builtin,
    }[arguments.action](arguments)
    return code


def _settings(arguments: argparse.Namespace) -> Settings:
    from drr.app.console import settings_of

    return settings_of(arguments).settings


# -- generate


def _generate(arguments: argparse.Namespace) -> int:
    from drr.app.models import models_of
    from drr.app.prompts import prompts_of
    from drr.app.studies import budget_of, check_models, unit_cap_of
    from drr.env.query import read_queries
    from drr.env.shop import open_shop
    from drr.offline.writer.rules import rules_version, write_offline
    from drr.querygen.generate import ROLE, Writer, WritingRules
    from drr.querygen.sampling import named_users, sample_users
    from drr.study.study import Study

    settings = _settings(arguments)
    models = models_of(settings)
    if arguments.out.exists():
        read_queries(arguments.out)  # a file that cannot be read is said before anything is paid for
    prompts = prompts_of(settings, "querygen")
    with open_shop(arguments.shop, settings) as shop:
        users = (
            named_users(shop, arguments.user, min_orders=arguments.min_orders)
            if arguments.user
            else sample_users(shop, arguments.how_many, seed=arguments.seed, min_orders=arguments.min_orders)
        )
        writer = Writer(
            shop,
            models,
            prompts,
            arguments.mode,
            arguments.per_user,
            settings.model_max_tokens,
            WritingRules(write_offline, rules_version()),
        )
        folder = arguments.out.with_name(arguments.out.name + ".study")
        with Study.create(folder, _config(arguments, settings, writer, users)) as study:
            check_models(models, (ROLE,), budget_of(arguments, study), unit_cap_of(arguments))
            units = writer.units(users)
            study.retire("generation", keep=units)
            summary = _run(study, units, writer, arguments)
            return _finish(arguments, study, units, shop, summary, len(users))


def _config(
    arguments: argparse.Namespace, settings: Settings, writer: Writer, users: list[Sampled]
) -> dict[str, Any]:
    """What was asked for and whom the sample holds."""
    from drr.querygen.generate import ROLE

    return {
        "run": {
            "what": "queries generate",
            "shop": arguments.shop,
            "mode": arguments.mode,
            "per_user": arguments.per_user,
            "users_asked": len(arguments.user) or arguments.how_many,
            "seed": arguments.seed,
            "min_orders": arguments.min_orders,
            "model": writer.models.name_of(ROLE),
            "prompt_hash": writer.prompt_hash,
            "sample": [f"{user.user_id} {user.category} {user.activity}" for user in users],
        },
        "settings": {"shop_url": settings.shop_url},
    }


def _run(study: Study, units: list[Unit], writer: Writer, arguments: argparse.Namespace) -> Summary:
    import asyncio

    from drr.app.console import progress_of
    from drr.app.studies import budget_of, unit_cap_of
    from drr.study.run import Pace, run

    async def go() -> Summary:
        try:
            return await run(
                study,
                units,
                writer.work,
                models=writer.models,
                budget=budget_of(arguments, study),
                unit_cap=unit_cap_of(arguments),
                pace=Pace(units=arguments.units),
                progress=progress_of(arguments),
                retry_failed=arguments.retry_failed,
                limit=arguments.limit,
                label="writing questions",
            )
        finally:
            await writer.models.aclose()

    return asyncio.run(go())


def _finish(
    arguments: argparse.Namespace,
    study: Study,
    units: list[Unit],
    shop: Shop,
    summary: Summary,
    users: int,
) -> int:
    """What is written so far goes into the file, even when the run was stopped; what fails a check is kept aside."""
    import sys

    from drr.app.console import print_json
    from drr.app.studies import conclude
    from drr.env.query import read_queries
    from drr.querygen.checks import Checker
    from drr.querygen.files import merged, write_lines, write_queries
    from drr.querygen.generate import written_queries

    checker = Checker(shop, arguments.min_products)
    checked = [checker.accept(query) for query in written_queries(study, units)]
    good = [row.query for row in checked if not row.failed]
    bad = [row for row in checked if row.failed]
    present = (
        read_queries(arguments.out) if arguments.out.exists() else []
    )  # as it is now: reviews go on meanwhile
    aside = arguments.out.with_name(arguments.out.name + ".rejected.jsonl")
    if good or present:
        write_queries(arguments.out, merged(present, good))
    if bad:
        write_lines(aside, (_rejected_line(row) for row in bad))
    else:
        aside.unlink(missing_ok=True)
    if users < (len(arguments.user) or arguments.how_many):
        print(
            f"drr: {arguments.shop}: only {users} users have {arguments.min_orders} orders, "
            f"{arguments.how_many} were asked for",
            file=sys.stderr,
        )
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "file": str(arguments.out),
                "users": users,
                "written": len(checked),
                "kept": len(good),
                "rejected": _reasons(bad),
                "passing": _passing(checked),
                "failures": dict(summary.failures),
                "stopped": summary.stopped,
                "rule_written": any(query.rule_written for query in good),
            }
        )
    elif not arguments.quiet:
        print(f"{arguments.out}: {len(good)} questions of {len({q.user_id for q in good})} users")
        if bad:
            reasons = ", ".join(f"{name} {count}" for name, count in _reasons(bad).items())
            print(f"{aside}: {len(bad)} that failed a check ({reasons})")
    code = conclude(summary, study.folder, command=_again(arguments))
    return code if good or code else 1


def _again(arguments: argparse.Namespace) -> str:
    """The words that ask for the same questions: another sample would be another job."""
    import shlex

    words = ["queries", "generate", "--shop", arguments.shop, "--out", str(arguments.out)]
    words += [word for user in arguments.user for word in ("--user", user)] or [
        "--users",
        str(arguments.how_many),
    ]
    words += ["--per-user", str(arguments.per_user), "--mode", arguments.mode, "--seed", str(arguments.seed)]
    words += ["--min-orders", str(arguments.min_orders)]
    if arguments.model:
        words += ["--model", arguments.model]
    return shlex.join(words)


def _rejected_line(row: Checked) -> str:
    import json

    return json.dumps({"failed": row.failed, "query": row.query.model_dump(mode="json", exclude_none=True)})


def _reasons(rows: list[Checked]) -> dict[str, int]:
    from collections import Counter

    counts = Counter(name for row in rows for name in row.failed)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _passing(rows: list[Checked]) -> dict[str, float | None]:
    """Of the drafts to which a check applies, the share that passes it; before anything was put aside."""
    shares: dict[str, float | None] = {}
    for name in rows[0].verdicts if rows else ():
        told = [row.verdicts[name].status for row in rows if row.verdicts[name].status != "none"]
        shares[name] = round(told.count("pass") / len(told), 4) if told else None
    return shares


# -- check, review


def _check(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.env.query import read_queries
    from drr.env.records.lines import one_line
    from drr.env.shop import open_shop
    from drr.querygen.checks import Checker, manifest_matches, spread

    queries = read_queries(arguments.file)
    _not_empty(arguments.file, queries)
    with open_shop(arguments.shop, _settings(arguments)) as shop:
        manifest_matches(shop, queries)
        checker = Checker(shop, arguments.min_products)
        rows = [checker.check(query) for query in queries]
        verdict, categories = spread(checker, queries)
    failed = [row for row in rows if row.failed]
    if arguments.json:
        print_json(
            {
                "schema": 1,
                "queries": [
                    {
                        "id": row.query.id,
                        "checks": {name: v._asdict() for name, v in row.verdicts.items()},
                    }
                    for row in rows
                ],
                "spread": {**verdict._asdict(), "categories": categories},
                "failed": len(failed),
            }
        )
    else:
        for row in failed:
            told = "; ".join(f"{name}: {why}" for name, why in row.failed.items())
            print(f"{one_line(row.query.id, 80)}: {one_line(told, 1000)}")
        if verdict.status == "fail":
            print(f"{arguments.file}: spread: {verdict.message}")
        print(f"{len(rows) - len(failed)} of {len(rows)} questions pass every check")
    return 1 if failed or verdict.status == "fail" else 0


def _review(arguments: argparse.Namespace) -> int:
    import sys
    from contextlib import nullcontext
    from datetime import UTC, datetime

    from drr.env.errors import Misuse
    from drr.env.query import read_queries
    from drr.env.shop import open_shop
    from drr.querygen.checks import Checker
    from drr.querygen.review import Terminal, review

    name = arguments.reviewer.strip()
    if not name or name.casefold() == "none" or name.startswith("model:"):
        raise Misuse(f"--reviewer {arguments.reviewer!r}: give the name of the person who decides")
    queries = read_queries(arguments.file)
    _not_empty(arguments.file, queries)
    terminal = Terminal(
        ask=_asked,
        show=lambda text: print(text, flush=True),
        now=lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    )
    opened = open_shop(arguments.shop, _settings(arguments)) if arguments.shop else nullcontext(None)
    with opened as shop:

        def problems(query: Query) -> dict[str, str]:
            return {} if shop is None else Checker(shop).check(query).failed

        try:
            tally = review(arguments.file, queries, name, terminal, problems, again=arguments.again)
        except KeyboardInterrupt:
            print(
                f"\n{arguments.file}: every decision so far is on disk; the same command goes on",
                file=sys.stderr,
            )
            raise
    print(
        f"\n{arguments.file}: {tally.accepted} accepted, {tally.edited} edited, {tally.rejected} rejected now; "
        f"{tally.left} left",
        file=sys.stderr,
    )
    return 0


def _asked(prompt: str, draft: str) -> str:
    """`draft` stands on the line already, to be changed and not to be typed again."""
    if not draft:
        return input(prompt)
    try:
        import readline
    except ImportError:
        return input(prompt)
    readline.set_startup_hook(lambda: readline.insert_text(draft))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook(None)


# -- stats, dataset, builtin


def _stats(arguments: argparse.Namespace) -> int:
    from contextlib import nullcontext

    from drr.app.console import print_json
    from drr.env.query import read_queries
    from drr.env.shop import open_shop
    from drr.querygen.stats import statistics_of

    files = [arguments.file, *([arguments.against] if arguments.against else [])]
    loaded = [read_queries(path) for path in files]
    for path, queries in zip(files, loaded, strict=True):
        _not_empty(path, queries)
    opened = open_shop(arguments.shop, _settings(arguments)) if arguments.shop else nullcontext(None)
    with opened as shop:
        documents = [statistics_of(q, shop, min_products=arguments.min_products) for q in loaded]
    if arguments.json:
        print_json(documents[0] if len(documents) == 1 else {"file": documents[0], "against": documents[1]})
        return 0
    columns = [dict(_flat(document)) for document in documents]
    names = list(dict.fromkeys(name for column in columns for name in column))
    width = max(map(len, names)) + 2
    if len(files) > 1:
        print(f"{'':<{width}}" + "".join(f"{path.name:>24}" for path in files))
    for name in names:
        print(f"{name:<{width}}" + "".join(f"{_shown(column.get(name)):>24}" for column in columns))
    return 0


def _flat(document: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in document.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name}.")
        elif name != "schema":
            rows.append((prefix + name, value))
    return rows


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _dataset(arguments: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    from drr.env.query import read_queries
    from drr.querygen.dataset import Publication, write_dataset

    queries = read_queries(arguments.file)
    _not_empty(arguments.file, queries)
    name = arguments.name or arguments.file.stem
    today = datetime.now(UTC).date().isoformat()
    publication = Publication(name, today, arguments.license, arguments.url)
    for path in write_dataset(arguments.out, queries, publication, source=str(arguments.file)):
        print(path)
    return 0


def _builtin(arguments: argparse.Namespace) -> int:
    from drr.querygen.builtin import builtin_queries
    from drr.querygen.files import line_of, write_queries

    queries = builtin_queries()
    if arguments.out is None:
        for query in queries:
            print(line_of(query))
        return 0
    write_queries(arguments.out, queries)
    print(f"{arguments.out}: {len(queries)} questions")
    return 0


def _not_empty(path: Path, queries: list[Query]) -> None:
    from drr.env.errors import DrrError

    if not queries:
        raise DrrError(f"{path}: holds no question; `drr queries generate --out {path}` writes some")
