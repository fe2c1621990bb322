"""Writes questions for a sample of shoppers: the study behind `drr queries generate`, and files of accepted and rejected questions."""

from __future__ import annotations

import argparse
import json
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import print_result
from drr.app.models.setup import models_of, prompts_of
from drr.app.notices import notice
from drr.app.study.outcome import check_run, conclude, config_of, run_units
from drr.app.users import user_in
from drr.env.errors import Misuse
from drr.env.query import Query, read_queries
from drr.env.records.lines import one_line
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.querygen.checks import Checked, Checker, manifest_matches
from drr.querygen.files import merged, write_lines, write_queries
from drr.querygen.generate import Sampled, named_users, sample_users, written_queries
from drr.study.config import StudyConfig
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.querygen.generate import Writer
    from drr.study.run import Summary
    from drr.study.study import Study


def generate(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the missing questions, then the files; return the exit code. Questions already written count even when the run was stopped."""
    from drr.offline.writer.rules import rules_version, write_offline
    from drr.querygen.generate import ROLE, Writer, WritingRules
    from drr.study.study import Study

    if arguments.out.exists():
        read_queries(arguments.out)  # reports an unreadable file before anything is paid for
    models, prompts = models_of(settings), prompts_of(settings, "querygen")
    asked, least = arguments.per_user, arguments.min_orders
    with open_shop(arguments.shop, settings) as shop:
        if arguments.user:
            named = [user_in(shop, user) for user in arguments.user]
            users = named_users(shop, named, min_orders=least)
        else:
            users = sample_users(shop, arguments.how_many, seed=arguments.seed, min_orders=least)
        rules = WritingRules(write_offline, rules_version())
        writer = Writer(shop, models, prompts, arguments.mode, asked, settings.model_max_tokens, rules)
        folder = study_of(arguments.out)
        with Study.create(folder, _config(arguments, settings, writer, users)) as study:
            check_run(arguments, models, (ROLE,), study)
            study.retire("generation", keep=writer.units(users))
            drafts, summary = _written(arguments, study, writer, users)
        drafts.write(arguments.out)
    _tell(arguments, drafts, summary, len(users))
    code = conclude(summary, folder, command=_again(arguments))
    return code if code or arguments.limit or 2 * len(drafts.good) >= len(users) * asked else 1


def _config(
    arguments: argparse.Namespace, settings: Settings, writer: Writer, users: list[Sampled]
) -> StudyConfig:
    """Return the study's configuration: the request and the sampled users."""
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


@dataclass(frozen=True)
class WrittenQuestions:
    """The questions written so far, each with the results of its checks."""

    checked: tuple[Checked, ...]

    @property
    def good(self) -> list[Query]:
        return [row.query for row in self.checked if not row.failed]

    @property
    def bad(self) -> list[Checked]:
        return [row for row in self.checked if row.failed]

    def write(self, out: Path) -> None:
        """Merge the accepted questions into the file as it is now, because reviews go on meanwhile. Rejected questions go into a file beside it."""
        present = read_queries(out) if out.exists() else []
        if self.good or present:
            write_queries(out, merged(present, self.good))
        if self.bad:
            rows = (
                {"failed": row.failed, "query": row.query.model_dump(mode="json", exclude_none=True)}
                for row in self.bad
            )
            write_lines(_aside(out), map(json.dumps, rows))
        else:
            _aside(out).unlink(missing_ok=True)


def study_of(out: Path) -> Path:
    return out.with_name(out.name + ".study")


def _aside(out: Path) -> Path:
    return out.with_name(out.name + ".rejected.jsonl")


def _written(
    arguments: argparse.Namespace, study: Study, writer: Writer, users: Sequence[Sampled]
) -> tuple[WrittenQuestions, Summary]:
    """Write the requested number of questions for each user; return questions and summary. Rejected questions are written again, up to `REFILLS` times."""
    from drr.querygen.generate import REFILLS
    from drr.study.run import Summary

    checker = Checker(writer.shop, arguments.min_products, size=len(users) * arguments.per_user)
    checked, summary = list[Checked](), Summary()
    first = more = writer.units(users)
    asked = {unit.key for unit in first}
    for _ in range(1 + REFILLS):
        did = run_units(arguments, study, more, writer.work, writer.models, "writing questions")
        summary = summary.joined(did)
        checked += [checker.accept(query) for query in written_queries(study, more)]
        more = [unit for unit in writer.refills(first, checked) if unit.key not in asked]
        asked |= {unit.key for unit in more}
        if not more or summary.stopped or arguments.limit:
            break
    return WrittenQuestions(tuple(checked)), summary


def _tell(arguments: argparse.Namespace, drafts: WrittenQuestions, summary: Summary, users: int) -> None:
    if users < (len(arguments.user) or arguments.how_many):
        notice(
            f"{arguments.shop}: only {users} users have {arguments.min_orders} orders, {arguments.how_many} were asked for"
        )
    good, bad, asked = drafts.good, drafts.bad, users * arguments.per_user
    if bad and len(good) < asked:
        first = one_line("; ".join(bad[0].failed.values()), 200)
        notice(
            f"{arguments.out}: holds {len(good)} of the {asked} questions asked for; {len(bad)} drafts were rejected "
            f"({_counted(bad)}; first: {first}). --checkable makes questions of what "
            "the shop has, --model has one written for it, and --min-products 1 puts up with kinds of one product"
        )
    document = {
        "file": str(arguments.out),
        "users": users,
        "asked": asked,
        "written": len(drafts.checked),
        "kept": len(good),
        "rejected": _reasons(bad),
        "passing": _passing(drafts.checked),
        "failures": dict(summary.failures),
        "stopped": summary.stopped,
        "rule_written": any(query.rule_written for query in good),
    }
    owners = many(len({query.user_id for query in good}), "user")
    lines = [f"{arguments.out}: {many(len(good), 'question')} of {owners}"]
    lines += [f"{_aside(arguments.out)}: {len(bad)} that failed a check ({_counted(bad)})"] if bad else []
    lines.append(f"{study_of(arguments.out)}: the writer's answers; the same command goes on from them")
    print_result(arguments, document, *([] if arguments.quiet else lines))


def _again(arguments: argparse.Namespace) -> str:
    """Return the command line that asks for the same questions; another sample would be another job."""
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


def _reasons(rows: Sequence[Checked]) -> dict[str, int]:
    counts = Counter(name for row in rows for name in row.failed)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _counted(rows: Sequence[Checked]) -> str:
    return ", ".join(f"{name} {count}" for name, count in _reasons(rows).items())


def _passing(rows: Sequence[Checked]) -> dict[str, float | None]:
    """Return the share of questions that pass each check, among those it applies to; `None` if it applies to none. Rejected questions count."""
    shares: dict[str, float | None] = {}
    for name in rows[0].verdicts if rows else ():
        statuses = [row.verdicts[name].status for row in rows if row.verdicts[name].status != "none"]
        shares[name] = round(statuses.count("pass") / len(statuses), 4) if statuses else None
    return shares


def generate_checkable(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write questions that code can check, made from the shop's own records; return the exit code.

    The same seed makes the same questions; what a person reviewed or edited in the file stays.
    """
    from drr.env.web.open import open_web
    from drr.querygen.composing import checkable_questions

    if arguments.joined:
        return _generate_joined(arguments, settings)
    with open_shop(arguments.shop, settings) as shop:
        web = open_web(settings, shop=shop)
        fresh = checkable_questions(
            *(shop, web, arguments.seed, arguments.count),
            min_products=arguments.min_products,
            curriculum=arguments.curriculum,
        )
    _merge(arguments, fresh)
    document = {"file": str(arguments.out), "questions": len(fresh), "asked": arguments.count}
    print_result(
        arguments,
        document,
        f"{arguments.out}: {len(fresh)} checkable questions from templates",
    )
    return 0 if len(fresh) == arguments.count else 1


def _generate_joined(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write questions whose points bind one another, and say which drafts were dropped; return the exit code."""
    from drr.env.web.open import open_web
    from drr.querygen.joined.making import JoinedMaker

    with open_shop(arguments.shop, settings) as shop:
        maker = JoinedMaker(shop, open_web(settings, shop=shop))
        fresh = maker.questions(arguments.seed, arguments.count)
    _merge(arguments, fresh)
    print_result(
        arguments,
        {
            "file": str(arguments.out),
            "questions": len(fresh),
            "asked": arguments.count,
            "dropped": dict(maker.dropped),
        },
        f"{arguments.out}: {many(len(fresh), 'joined question')}",
        *(f"dropped {count} x {why}" for why, count in sorted(maker.dropped.items())),
    )
    return 0 if len(fresh) == arguments.count else 1


def _merge(arguments: argparse.Namespace, fresh: Sequence[Query]) -> None:
    present = read_queries(arguments.out) if arguments.out.exists() else []
    write_queries(arguments.out, merged(present, fresh))


def word_specified(arguments: argparse.Namespace, settings: Settings) -> int:
    """Have the joined questions of a file worded, and say which were dropped; return the exit code."""
    from drr.env.web.open import open_web
    from drr.llm.names import OFFLINE
    from drr.querygen.joined.making import JoinedMaker
    from drr.querygen.joined.wording import ROLES, JoinedWriter
    from drr.study.study import Study

    asked, readers = read_queries(arguments.file), arguments.readers.split(",")
    if not asked or any(not one.checkable or not one.checkable.specification for one in asked):
        raise Misuse(
            f"{arguments.file}: models word joined questions only; `drr queries generate --joined` makes them"
        )
    roles = dict(zip(ROLES, [arguments.writer, *readers, *readers, *readers], strict=False))
    if OFFLINE in roles.values():
        raise Misuse("rules word nothing; name language models as --writer and --readers")
    settings = settings.model_copy(update={"role_models": {**settings.role_models, **roles}})
    models, prompts, folder = models_of(settings), prompts_of(settings, "querygen"), study_of(arguments.out)
    run = {"what": "queries word", "file": str(arguments.file), "shop": arguments.shop, "models": roles}
    with open_shop(arguments.shop, settings) as shop, Study.create(folder, config_of(run, settings)) as study:
        manifest_matches(shop, asked)
        maker = JoinedMaker(shop, open_web(settings, shop=shop))
        writer = JoinedWriter(maker, models, prompts, settings.model_max_tokens, asked)
        if strange := writer.strange():
            raise Misuse(
                f"{arguments.file}: {len(strange)} of {many(len(asked), 'question')} have another answer in this shop and web ({strange[0]});"
                " give the --shop and the --sandbox with which they were made"
            )
        check_run(arguments, models, ROLES, study)
        units = [writer.unit(one) for one in asked]
        summary = run_units(arguments, study, units, writer.work, models, "wording questions")
        kept = written_queries(study, units)
        ended = [record for unit in units if (record := study.record(unit.key)) and record.done]
    _merge(arguments, kept)
    _tell_worded(arguments, len(asked), kept, Counter(one.result["dropped"] for one in ended))
    words = ["word", str(arguments.file), "--writer", arguments.writer, "--readers", arguments.readers]
    again = shlex.join(["queries", *words, "--shop", arguments.shop, "--out", str(arguments.out)])
    return conclude(summary, folder, command=again) or int(len(kept) < len(asked))


def _tell_worded(
    arguments: argparse.Namespace, asked: int, kept: Sequence[Query], dropped: Counter[str]
) -> None:
    worded = [one.checkable.worded for one in kept if one.checkable and one.checkable.worded]
    values, literal = (sum(getattr(one, name) for one in worded) for name in ("values", "literal"))
    reasons = {why: count for why, count in sorted(dropped.items()) if why}
    document = {"file": str(arguments.out), "questions": len(kept), "asked": asked, "dropped": reasons}
    document |= {"values": values, "literal": literal, "writings": sum(one.writings for one in worded)}
    share = f"{literal} of {values} values stand letter by letter"
    print_result(
        arguments,
        document,
        f"{arguments.out}: {len(kept)} of {many(asked, 'question')} worded; {share}",
        *(f"dropped {count} x {why}" for why, count in reasons.items()),
        f"{study_of(arguments.out)}: the answers; the same command goes on from them",
    )
