"""Draws the viewer's pages, alike for the server and for a folder of files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from drr.app.pages.frame import ANSWERS, Frame, FramePlace, banner_of, templates
from drr.app.pages.markdown import TAGS, clean
from drr.app.report.failing import ErrorRow, Span, by_rule, errors_text
from drr.app.report.headline import sum_of_dollars
from drr.app.report.standing import AGAINST
from drr.app.report.system_table import failed_text
from drr.app.viewer.entries import MeasuredStudy
from drr.app.viewer.findings import line_passage
from drr.app.viewer.gantt import gantt
from drr.app.viewer.highlight import MarkedSpan, SourceNames, links_of, marked_html, marked_text
from drr.app.viewer.judges import (
    STATED,
    facts_beside,
    opening_sides,
    ratings_beside,
    side_name,
    sides_of,
    verdicts_beside,
)
from drr.app.viewer.matrix import Matrix, script_values
from drr.app.viewer.model import Passage, ReportView, ShownEntry, ShownFinding
from drr.app.viewer.of_papers import StudyPart, joined
from drr.app.viewer.parts import call_text, long_arguments, long_texts, thoughts, turns
from drr.app.viewer.reader import AnswerNeighbours
from drr.eval.checks import value_text
from drr.eval.judging.marks import MARKABLE
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics import metric_explanation
from drr.eval.stats.question import Comparison

if TYPE_CHECKING:
    from drr.app.viewer.reader import Reader
    from drr.eval.tasks.judgements import JudgingRun
    from jinja2 import Environment
    from markupsafe import Markup


T = TypeVar("T")
ALONE, UNMEASURED = AnswerNeighbours(), MeasuredStudy()


class StudyPages:
    """The pages of one study. `about` returns the study's description in one line, `report` is the address of its report."""

    def __init__(
        self,
        study: str,
        *,
        served: bool,
        papers: Iterable[StudyPart] = (),
        about: Callable[[], str] = str,
        report: str | None = None,
    ) -> None:
        self._papers = list(papers)
        places = [
            ANSWERS,
            FramePlace("errors", "errors.html", "Errors"),
            *(paper.place for paper in self._papers if paper.place is not None),
        ]
        if report:
            places.append(FramePlace("report", report, "Report"))
        self.frame = Frame(study, served, places, about)
        self.draw = partial(draw, self.frame)

    def index(
        self,
        entries: Sequence[ShownEntry],
        judging: JudgingRun | None,
        to_come: int,
        marked: str = "",
        measured: MeasuredStudy = UNMEASURED,
    ) -> str:
        standings = measured.standings
        matrix, done = Matrix(entries, standings), [e for e in entries if e.status == "done"]
        failures = Counter(entry.reason or entry.status for entry in entries if entry.status != "done")
        return self.draw(
            "index.html",
            "",
            banner=_warning(entries, judging),
            judging=judging,
            to_come=to_come,
            measured=measured,
            marked=marked,
            matrix=matrix,
            against=AGAINST,
            heads=matrix.heads(),
            cost=sum_of_dollars([(entry.cost, entry.no_cost) for entry in done]),
            values=script_values,
            has_scores=any(entry.scores for entry in entries),
            verdicts=sorted({verdict for entry in entries for verdict in entry.verdicts}),
            types=sorted({source_type for entry in entries for source_type in entry.types}),
            rows=matrix.rows(joined(paper.row_notes(entries) for paper in self._papers)),
            slots=joined(paper.on_index(entries) for paper in self._papers),
            failed=failed_text(failures) if failures else "",
            errors=errors_text([len(entry.errors) for entry in done]),
            done=len(done),
            total=len(entries),
            failing=failures or any(entry.verdict[1] == "none" for entry in done),
        )

    def errors(self, entries: Sequence[ShownEntry], judging: JudgingRun | None) -> str:
        """Return the page with every error that code found, worst answers first."""
        done = [entry for entry in entries if entry.status == "done"]
        rows = [
            ErrorRow(
                f"{entry.variant}, trial {entry.trial}",
                entry.query,
                f"r/{entry.key}.html#wrong-{number}",
                error,
            )
            for entry in done
            for number, error in enumerate(entry.errors, 1)
        ]
        found = errors_text([len(entry.errors) for entry in done])
        return errors_page(self.frame, "", rows, found, _warning(entries, judging))

    def query(self, reports: Sequence[ReportView], outcomes: Sequence[Comparison]) -> str:
        sides, pairs = sides_of(reports), _by_pair(outcomes)
        facts = facts_beside(sides)
        stated = [
            [one.span for _, row in facts for one in row[at] if one.span is not None]
            for at in range(len(sides))
        ]
        written = [report.entry.rule_written for report in reports]
        return self.draw(
            "query.html",
            "../",
            banner=banner_of(
                written, any(report.verdicts.by_rules for report in reports), reports[0].verdicts.weak
            ),
            slots=joined(paper.on_query(reports) for paper in self._papers),
            same=_same([report.entry for report in reports]),
            reports=reports,
            sides=sides,
            opened=opening_sides(sides),
            html={
                side.name: report_html(side.report, f"{side.name}-", places)
                for side, places in zip(sides, stated, strict=True)
            },
            facts=facts,
            compared=[name for name in DIMENSIONS if any(name in own for own in pairs.values())],
            pairs=pairs,
        )

    def report(self, report: ReportView, around: AnswerNeighbours = ALONE) -> str:
        names = SourceNames(report)
        statuses = Counter(claim.status for claim in report.verdicts.claims)
        return self.draw(
            "report.html",
            "../",
            banner=banner_of([report.entry.rule_written], report.verdicts.by_rules, report.verdicts.weak),
            r=report,
            slots=joined(paper.on_report(report) for paper in self._papers),
            named=names.named,
            around=around,
            html=report_html(report, has_cards=True),
            source_of=names.source_of,
            cited=names.cited,
            cited_urls={s.url for s in report.sources if s.number in names.cited}
            | {one.url for one in report.citations.sources},
            finding_line=finding_line,
            errors_in=lambda claim: [
                one for one in report.findings if any(claim.start <= at < claim.end for at, _ in one.spans)
            ],
            markable=MARKABLE,
            others=verdicts_beside(report),
            ratings=ratings_beside(report),
            side_name=side_name,
            verdict_counts=statuses.most_common(),
            types=sorted({kind for claim in report.verdicts.claims for kind in claim.types}),
            transcript=f"../x/{report.entry.key}.html",
        )

    def transcript(self, report: ReportView) -> str:
        return self.draw(
            "transcript.html",
            "../",
            banner=banner_of([report.entry.rule_written], False),
            r=report,
            g=gantt(report.actors, report.seconds, report.steps),
            talks=[(talk, turns(talk)) for talk in report.conversations],
            tools=Counter(call.name for call in report.calls).most_common(),
            failed=sum(call.error is not None for call in report.calls),
            later=long_texts(report.conversations),
        )

    def page(self, sha: str, text: str) -> str:
        return self.draw("page.html", "../", banner=None, sha=sha, text=text)


def draw(
    frame: Frame, name: str, root: str, *, banner: str | None, place: str = ANSWERS.key, **values: Any
) -> str:
    """Return the HTML of a page, drawn by the template `name`."""
    _templates()
    return frame.draw(name, root, banner=banner, place=place, **values)


def errors_page(frame: Frame, root: str, rows: Sequence[ErrorRow], found: str, banner: str | None) -> str:
    """Return the page with every error that code found, rule by rule."""
    return draw(
        frame,
        "errors.html",
        root,
        place="errors",
        banner=banner,
        found=found,
        rules=by_rule(rows),
        shown=lambda error: finding_line(line_passage(error) or Passage(error.line)),
    )


def if_any(found: T | None, draw: Callable[[T], str]) -> str | None:
    """Return the drawing of `found`, or `None` where `found` is `None`."""
    return None if found is None else draw(found)


def part(name: str, **values: Any) -> Markup:
    """Return a part of a page, drawn by the template of that name."""
    from markupsafe import escape

    return escape(_templates().get_template(name).make_module(values))


def _warning(entries: Iterable[ShownEntry], judging: JudgingRun | None) -> str | None:
    """Return the warning above a list of answers."""
    written = [entry.rule_written for entry in entries]
    return banner_of(written, bool(judging and judging.rule_written), judging.weak if judging else None)


def _by_pair(outcomes: Sequence[Comparison]) -> dict[tuple[str, str, int], dict[str, str]]:
    """Return the winner of each dimension, by pair of variants and trial."""
    found: dict[tuple[str, str, int], dict[str, str]] = {}
    for one in outcomes:
        winner = {"a": one.a, "b": one.b}.get(one.outcome, one.outcome)
        found.setdefault((one.a, one.b, one.trial), {})[one.dimension] = winner
    return found


def _same(entries: Iterable[ShownEntry]) -> list[str]:
    """Return a text for each group of answers whose reports are equal byte for byte."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        if entry.text is not None:
            found.setdefault(entry.text, []).append(f"{entry.variant}, trial {entry.trial}")
    return ["; ".join(names) for names in found.values() if len(names) > 1]


def report_html(
    report: ReportView, before: str = "", stated: Sequence[Span] = (), *, has_cards: bool = False
) -> Markup:
    """Return the report as HTML with marked claims and findings. `before` is a prefix of ids, which keeps several reports on a page apart; `stated` are places to which the page leads; `has_cards` is true where the page explains the findings and lists the sources."""
    from markupsafe import Markup

    claims = report.verdicts.claims
    spans = [
        MarkedSpan(claim.start, claim.end, f"{before}claim-{claim.id}", claim.status) for claim in claims
    ]
    wrong = [
        MarkedSpan(start, end, f"{before}{one.name}-{number}", "wrong", one.name if has_cards else "")
        for one in report.findings
        for number, (start, end) in enumerate(one.spans, 1)
    ]
    charged = report.mistakes["mistakes"] if report.mistakes else []
    wrong += [
        MarkedSpan(
            one["start"], one["end"], f"{before}mistake-{number}", "wrong", "mistakes" if has_cards else ""
        )
        for number, one in enumerate(charged, 1)
    ]
    places = [MarkedSpan(*span, f"{before}{STATED}{span[0]}", "stated") for span in stated]
    return Markup(marked_html(report.report, spans, links_of(report) if has_cards else (), [*wrong, *places]))


def finding_line(line: Passage) -> Markup:
    """Return the HTML of the line that states a wrong fact. The wrong words are red, and links are plain text."""
    from markupsafe import Markup

    # The first link of an error's card leads to its place in the report; the line's own are text here.
    wrong = [MarkedSpan(start, end, "", "wrong") for start, end in line.spans]
    return Markup(clean(marked_html(line.text, (), (), wrong), TAGS - {"a"}))


def marked(passage: Passage, wrong: Sequence[ShownFinding] = ()) -> Markup:
    """Return a passage as HTML with its words marked, and what the record has in place of an error."""
    from markupsafe import Markup

    records = (re.escape(one.record) for one in wrong if one.record)
    found = (re.search(rf"(?<!\w){record}(?!\w)", passage.text) for record in records)
    return Markup(marked_text(passage.text, [*passage.spans, *(one.span() for one in found if one)]))


@cache
def _templates() -> Environment:
    """Return the environment of all pages, with what the viewer's templates call."""
    found = templates()
    found.globals |= {"marked": marked, "meaning": metric_explanation, "value_text": value_text}
    found.globals |= {"thoughts": thoughts, "long_arguments": long_arguments, "call_text": call_text}
    return found


def texts_script(report: ReportView) -> str:
    """Return the script with the folded texts of a transcript."""
    return f"window.drrTexts = {json.dumps(list(long_texts(report.conversations)))};\n"


FILE = "words.js"
_WORD = re.compile(r"[^\W_]+(?:[.,][0-9]+)*")
_LONGEST = 40
"""Most characters of a word in the search index: nobody types longer words."""


def words_script(reader: Reader) -> str:
    """Return the script of the search index. Contents: keys of answers, all words, and for each word the positions of the answers with that word, as differences."""
    entries = [entry for entry in reader.entries() if entry.status == "done"]
    texts = {entry.key: [entry.query, *entry.claims, *reader.texts(entry.key)] for entry in entries}
    return script(texts)


def script(texts: Mapping[str, Iterable[str]]) -> str:
    places: dict[str, list[int]] = {}
    vocabulary = _WordCache()
    for place, own in enumerate(texts.values()):
        for word in set[str]().union(*map(vocabulary.words_of, own)):
            places.setdefault(word, []).append(place)
    known = sorted(places)
    document = {
        "keys": list(texts),
        "words": " ".join(known),
        "steps": " ".join(".".join(map(str, _steps(places[word]))) for word in known),
    }
    text = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
    return f"window.drrWords = {text};\n"


class _WordCache:
    """A cache of the words of a text, as the same page belongs to many answers."""

    def __init__(self) -> None:
        self._known: dict[bytes, frozenset[str]] = {}

    def words_of(self, text: str) -> frozenset[str]:
        # A model's text may hold half a surrogate pair, at which plain UTF-8 raises.
        name = sha256(text.encode("utf-8", "surrogatepass")).digest()
        if name not in self._known:
            found = _WORD.findall(text.lower())
            self._known[name] = frozenset(word for word in found if len(word) <= _LONGEST)
        return self._known[name]


def _steps(places: Sequence[int]) -> Iterator[int]:
    yield from (place - last for last, place in pairwise([0, *places]))
