"""The weights of what a record has otherwise, by all its signs (`eval/checks/considered/statements.toml`), and what they are worth to a writer unseen.

python -m benchmarks.considered_statements_fit [--shop SHOP] [--until N] [--write] [--record]

Every statement of a clean text is right, whatever the record seems to have; of each twin with a wrong attribute those are wrong that stand at
the error. Trees and writers left out are those of `considered_fit`.
"""

from __future__ import annotations

from collections.abc import Iterator

from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, urls_in
from drr.eval.checks.accusing.weighed import raised_by
from drr.eval.checks.considered.statements import STATEMENTS, is_no_statement, statement_signs
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.weighing import every_candidate

from benchmarks.considered_fit import Considered, curves, fit, left_out, read_of, weights_text
from benchmarks.first_contact import StrangerText
from benchmarks.recorded_fit import planted_at
from benchmarks.results import record

HEADING = "What a record has otherwise, by all signs"
VERSION, BAR = 1, 0.72
_OF = ("statements.py", "considered_statements_fit")
_KIND = "attribute"


def stated(shop: Shop, name: str, one: StrangerText) -> Iterator[Considered]:
    """Of the clean text all candidates, of its twin those at the wrong attribute."""
    for twin in (False, True):
        text = one.twin if twin else one.text
        if text is None or (twin and (one.plant is None or one.plant.kind != _KIND)):
            continue
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        mentions = Mentions(subject)
        checks = {rule: code.check(subject, mentions) for rule, code in RULES.items()}
        raised = raised_by(subject, mentions, checks)
        found = list(every_candidate(mentions))
        if twin:
            low, high, changed = planted_at(one)
            at_it = [each for each in found if each.span[0] < changed[1] and each.span[1] > changed[0]]
            found = at_it or [each for each in found if each.span[0] < high and each.span[1] > low]
        for each in found:
            open_ = is_no_statement(each, mentions)
            yield Considered(name, one.id, one.form, twin, twin, open_, statement_signs(each, raised))


def main() -> None:
    rounds, every, write, kept = read_of(stated, __doc__)
    if write:
        open_ = [one for one in every if not one.true]
        text = weights_text(*fit(open_), rounds, open_, _OF, VERSION, BAR)
        STATEMENTS.write_text(text, encoding="utf-8")
    told = curves(every, left_out(every), "statements")
    print(told)
    if kept:
        record(HEADING, told)


if __name__ == "__main__":
    main()
