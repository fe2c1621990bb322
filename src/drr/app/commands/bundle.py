"""The command `drr bundle`: a study as one file from which anybody can compute every figure again."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.commands.table import CommandForm
from drr.app.console import add_setting_options, add_verify_options, print_document, print_result
from drr.app.judge.judge_plan import JudgePlan
from drr.app.study.outcome import add_unit_options
from drr.app.study.terms import add_options, given_settings
from drr.app.study.trust import trusted_addresses
from drr.app.terminal import table, with_interval
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.app.bundles.findings import BundleFindings, SignatureRow
    from drr.app.bundles.regrade import RegradedDocument
    from drr.eval.stats.intervals import VRow

_MAKE_EXAMPLES = """\
examples:
  drr bundle make study --out study.bundle
  drr bundle make study --out study.bundle --redact        # without shoppers' records
  drr bundle verify study.bundle --shop shop"""


def build_make(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _MAKE_EXAMPLES
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("--out", metavar="FILE", type=Path, required=True, help="the bundle that is written")
    add(
        "--redact",
        action="store_true",
        help="leave out shoppers' records, what tools read of them, and conversations that show it",
    )
    add(
        "--with-pages",
        action="store_true",
        help="put pages of third parties in, which else are in it as hashes",
    )
    add("--shop", metavar="SHOP", help="the shop of the study (default: the one that it names)")
    add("--sign", metavar="KEY", type=Path, help="sign it with this key (default: not signed)")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "prompts")


def run_make(arguments: argparse.Namespace) -> int:
    from drr.app.bundles.builder import BundleConfig, write_bundle
    from drr.study.bundle.parcel import WITHHELD

    out = arguments.out
    made = write_bundle(
        BundleConfig(
            study=arguments.study,
            out=out,
            redact=arguments.redact,
            with_pages=arguments.with_pages,
            shop=arguments.shop,
            sign=arguments.sign,
            named_settings=given_settings(arguments),
            trusted=trusted_addresses(arguments),
        )
    )
    manifest = made.manifest
    units, costs, withheld = manifest["units"], manifest["costs"], manifest["withheld"]
    counts = {how: count - made.aside[how] for how, count in sorted(units["answer"].items())}
    answers = ", ".join(f"{count:,} {how}" for how, count in counts.items() if count)
    aside = f", and {made.aside.total():,} of earlier settings set aside" if made.aside.total() else ""
    unknown = made.uncounted + sum(cost["unknown"] for cost in costs.values())
    beside = f", and {unknown:,} units of unknown cost" if unknown else ""
    document = {
        "bundle": made.root,
        "file": str(out),
        "bytes": made.size,
        "units": units,
        "costs": costs,
        "uncounted": made.uncounted,
        "withheld": withheld,
    }
    print_result(
        arguments,
        document,
        f"{out}: {made.size:,} bytes, bundle {made.root}",
        f"answers: {answers or 'none'}{aside}; questions: {manifest['questions']:,}",
        f"cost: ${sum(cost['usd'] for cost in costs.values()):,.4f}{beside}",
        *(
            f"as hashes only: {withheld[why]:,} texts ({words})"
            for why, words in WITHHELD.items()
            if withheld.get(why)
        ),
    )
    return 0


_VERIFY_EXAMPLES = """\
Nothing is called. Exit code 1 where something contradicts itself, the shop or the set. What nobody can tell from a bundle is listed
as not excluded.

examples:
  drr bundle verify study.bundle
  drr bundle verify study.bundle --shop shop --questions queries.jsonl --json"""
_SIGN_EXAMPLES = """\
Verifies first. A signature is added only where nothing fails; those before it stay.

examples:
  drr bundle sign study.bundle --with my.key --shop shop"""
_MOST = 12
"""Most findings of one kind that are printed."""


def build_verify(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _VERIFY_EXAMPLES
    add("bundle", metavar="FILE", type=Path, help="the bundle")
    add_verify_options(parser)


def build_sign(parser: argparse.ArgumentParser) -> None:
    build_verify(parser)
    parser.epilog = _SIGN_EXAMPLES
    parser.add_argument("--with", dest="own_key", metavar="KEY", type=Path, required=True, help="your key")


def build_key(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "examples:\n  drr bundle key new my.key\n  drr bundle make study --out study.bundle --sign my.key"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="new")
    new = commands.add_parser("new", help="make a key to sign with")
    new.add_argument(
        "key", metavar="FILE", type=Path, help="the key; its public half is written beside it, as .pub"
    )
    new.add_argument("--json", action="store_true", help="one JSON document")


def run_key(arguments: argparse.Namespace) -> int:
    from drr.study.bundle.seal import new_key

    made = new_key(arguments.key)
    print_result(arguments, {"key": made}, f"{arguments.key}: key {made}; hand out {arguments.key}.pub")
    return 0


def run_verify(arguments: argparse.Namespace) -> int:
    from drr.app.bundles.verifier import VerifyTerms, countersign, verify

    terms = VerifyTerms.of(arguments)
    own = getattr(arguments, "own_key", None)
    found = countersign(arguments.bundle, terms, own) if own else verify(arguments.bundle, terms)
    print_document(arguments, found.document(), *_findings(arguments.bundle, found))
    return 1 if found.failed else 0


def _findings(file: Path, found: BundleFindings) -> list[str]:
    counts = ", ".join(f"{count:,} {what}" for what, count in sorted(found.checked.items()))
    names = "; ".join(map(_signature, found.signed))
    in_part = "nothing is wrong as far as it could be checked. Missing for the rest"
    lead = (f"{file}: {found.tier}", in_part if found.tier == "consistent in part" else "")
    lines = [
        ": ".join(filter(None, (*lead, "; ".join(found.why()[:_MOST])))),
        f"signed by {names or 'nobody'}",
        f"bundle {found.root or 'unknown'}; checked: {counts or 'nothing'}",
    ]
    kinds = found.kinds
    lacking = Counter((one["check"], one["what"]) for one in kinds.pop("not checked"))
    for title, some in kinds.items():
        lines += [
            f"{title}: {one['check']}: {': '.join(filter(None, (one['where'], one['what'])))}"
            for one in some[:_MOST]
        ]
        lines += [f"{title}: and {len(some) - _MOST:,} more"] if len(some) > _MOST else []
    lines += [
        f"not checked: {check}: {many(count, 'time')}: {what}"
        for (check, what), count in sorted(lacking.items())
    ]
    return lines + [f"cannot be excluded: {one}" for one in found.not_excluded]


def _signature(one: SignatureRow) -> str:
    from drr.app.bundles.findings import one_line_result

    known = " (known)" if one["known"] else ""
    against = f", held against {one['against']}" if "against" in one else ""
    result = f", {one_line_result(one['reproduced'])}" if "reproduced" in one else ""
    return f"{one['role']} {one['key'][:16]}{known}{against}{result}"


_REPRODUCE_EXAMPLES = """\
Draws questions of the bundle, asks the agent again, and tests the difference of the figures question by question. It says first
which difference so many questions can show. A bundle whose figures are better than that is not reproduced, and the exit code is 1.
Ask with --fresh where the truth is public: an agent that knows it is found only on questions that did not exist at hand-in.
It takes at least 10 questions. --variant names one of several systems, and --model-judge the model that judged the bundle's figure.

examples:
  drr bundle reproduce team.bundle --agent cmd:./team-agent --shop demo/shop --dry-run
  drr bundle reproduce team.bundle --agent cmd:./team-agent --shop demo/shop --sample 20 --budget 5 --with my.key
  drr bundle reproduce team.bundle --agent react --model anthropic:claude-sonnet-5-5 --fresh tuesday --with my.key"""


def build_reproduce(parser: argparse.ArgumentParser) -> None:
    from drr.app.bundles.reproduce import ReproducePlan

    add = parser.add_argument
    parser.epilog = _REPRODUCE_EXAMPLES
    add("bundle", metavar="FILE", type=Path, help="the bundle")
    add("--agent", metavar="SPEC", required=True, help="its agent, as for `drr run --variants`")
    add_options(parser, ReproducePlan)
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "model", "base_url", "model_judge", "sandbox")


def run_reproduce(arguments: argparse.Namespace) -> int:
    from drr.app.bundles.findings import one_line_result
    from drr.app.bundles.reproduce import ReproducePlan, reproduce

    draw, result = reproduce(ReproducePlan.of(arguments))
    document = {
        "bundle": draw.root,
        "seed": draw.seed,
        "questions": [query.id for query in draw.queries],
        "could_show": draw.could_show,
        "reproduced": result,
    }
    lines = []
    if result is not None:
        beside = "" if result["contained"] else "; the agent ran beside the truth"
        lines.append(f"{arguments.bundle}: {result['variant']}: {one_line_result(result)}{beside}")
        lines.append("signed" if arguments.sign else "not signed: --with KEY signs it, without a further run")
    print_result(arguments, document, *lines)
    return 0 if arguments.dry_run or (result is not None and result["holds"]) else 1


_REGRADE_EXAMPLES = """\
The answers of the bundle are judged by the model of --judge, with the shop of --shop; nothing else that the bundle names is used.

examples:
  drr bundle regrade study.bundle --judge anthropic:claude-sonnet-5-5 --budget 5
  drr bundle regrade study.bundle --judge MODEL --what faithfulness,rules --shop shop"""


def build_regrade(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _REGRADE_EXAMPLES
    add("bundle", metavar="FILE", type=Path, help="the bundle")
    add("--what", metavar="KINDS", help="kinds of judgement, with commas (default: those of the bundle)")
    add("--judge", dest="model_judge", metavar="MODEL", help="who judges (default: the setting model_judge)")
    add("--shop", metavar="SHOP", help="the shop that was asked about")
    add("--json", action="store_true", help="one JSON document")
    add_unit_options(parser, "model_claim_extractor", "base_url_judge", "sandbox")


def run_regrade(arguments: argparse.Namespace) -> int:
    from drr.app.bundles.regrade import regrade

    document = regrade(arguments.bundle, JudgePlan.of(arguments, study=arguments.bundle))
    print_document(arguments, document, *_two_judges(document))
    return 1 if document["left"] else 0


def _two_judges(document: RegradedDocument) -> list[str]:
    from drr.eval.metrics import shown_name

    rows = [
        [variant, shown_name(name), _figure(two["before"]), _figure(two["now"])]
        for variant, by_name in document["metrics"].items()
        for name, two in by_name.items()
    ]
    heads = ["variant", "metric", document["before"] or "nobody", document["now"]]
    left = [f"{document['left']:,} judgements are still to be made"] if document["left"] else []
    return [f"bundle {document['bundle']}", table(heads, rows), *left]


def _figure(row: VRow | None) -> str:
    return "" if row is None else with_interval(row)


MAKE = CommandForm(build_make, run_make)
VERIFY = CommandForm(build_verify, run_verify)
SIGN = CommandForm(build_sign, run_verify)
KEY = CommandForm(build_key, run_key)
REPRODUCE = CommandForm(build_reproduce, run_reproduce)
REGRADE = CommandForm(build_regrade, run_regrade)
