"""The command `drr judges rewards`: tests rewards with an oracle, silence and tricks, before anything is trained on them."""

from __future__ import annotations

import argparse
from pathlib import Path

from drr.app.console import add_setting_options, print_document, progress_of, settings_of, write_text
from drr.app.options import positive_int
from drr.app.terminal import Column, number, table, verdict
from drr.app.training.environment import Environment
from drr.app.training.odd_questions import OddQuestions, odd_questions
from drr.app.training.proving import RewardProof, page, prove
from drr.eval.stats.items import FEWEST_SYSTEMS, UNLIKELY
from drr.wording.excerpt import many

_HELP = """\
oracle  answers from the truth, through the tools alone: it must be paid in full
floor   an empty report, "I do not know.", the question copied: paid nothing
tricks  scripted agents that deserve nothing: at most 0.05 each on average
bytes   a second play of the oracle is the same; no id of an answer is shown
        before a tool returned it

Exit code 1 if one fails. Without --queries the questions are made from the shop.
On fewer than 60 questions one lucky guess weighs too much for a mean. There a
trick fails where the 95 % interval of its mean lies above 0.05.

--systems lists odd questions: weak systems do better on them than good ones, by
the correlation of a question with all others (item-rest) over ten systems or more.

examples:
  drr judges rewards --shop shop
  drr judges rewards --shop shop --queries q.jsonl --out rewards.html
  drr judges rewards --shop monday/shop --queries monday/queries.jsonl"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _HELP
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--queries", metavar="FILE.jsonl", type=Path, help="checkable questions (default: made by seed)")
    add("--count", type=positive_int, default=100, metavar="N", help="questions that are made (default 100)")
    add("--seed", type=int, default=0, metavar="S", help="of the first question made (default 0)")
    add(
        "--systems",
        nargs="+",
        metavar="STUDY",
        type=Path,
        help="studies of this set, whose systems tell odd questions",
    )
    add("--out", metavar="FILE.html", type=Path, help="a page with all of it")
    add("--quiet", action="store_true", help="no progress")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "shop_url", "web", "sandbox")


def run(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    with Environment(arguments.shop, arguments.queries, settings=settings) as env:
        proof = prove(env, env.questions(seeds), progress_of(arguments))
    if arguments.systems:
        proof["odd_questions"] = odd_questions(arguments.systems)
    if arguments.out is not None:
        write_text(arguments.out, page(proof))
    print_document(arguments, proof, _text(proof))
    return int(not proof["passed"])


def _text(proof: RewardProof) -> str:
    head: list[str | Column] = ["part", Column("agent", flows=True), "mean", "least", "most", "limit", ""]
    rows = [
        [row["part"], row["name"], *(number(row[name], 3) for name in ("mean", "least", "most")), number(row["limit"], 2), verdict(row["passed"], "pass", "FAIL")]
        for row in proof["rows"]
    ]  # fmt: skip
    unmet = [
        f"{one['query_id']}: the oracle is paid {one['reward']:.3f} ({one['ending']}); short of {', '.join(one['short']) or 'nothing asked'}"
        for one in proof["unmet"]
    ]
    leaks = [
        f"{one['query_id']}: {one['player']} was shown {one['found']} at step {one['step']}"
        for one in proof["leaks"]
    ]
    unequal = [f"{one}: a second play gave other bytes" for one in proof["unequal"]]
    passed = sum(row["passed"] for row in proof["rows"])
    odd = [_odd_text(proof["odd_questions"])] if "odd_questions" in proof else []
    return "\n".join([table(head, rows), *unmet, *unequal, *leaks, f"{passed} of {len(rows)} agents are paid as they should be, on {proof['questions']} questions.", *odd])  # fmt: skip


def _odd_text(items: OddQuestions) -> str:
    systems = many(items["systems"], "system")
    if items["systems"] < FEWEST_SYSTEMS:
        return f"Odd questions are unknown: {systems}, and {FEWEST_SYSTEMS} are needed to tell them."
    chance = UNLIKELY * items["questions"]
    found = f"{len(items['odd'])} of {many(items['questions'], 'question')} look odd: of {systems}, good ones miss them and weak ones solve them. Chance alone would list up to {chance:.0f}."
    head: list[str | Column] = [Column("question", flows=True), "item-rest", "p", "strong half", "weak half"]
    rows = [
        [
            one["query_id"],
            *(number(value, 2) for value in (one["correlation"], one["p"], one["strong"], one["weak"])),
        ]
        for one in items["odd"]
    ]
    return f"{found}\n{table(head, rows)}" if rows else found
