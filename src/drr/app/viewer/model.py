"""Defines the viewer's contents as plain values, which are read from a study and drawn by templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.citations.parse import Citations, parse
from drr.env.files import file_name
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged
from drr.wording.currency import DOLLARS, Currency

if TYPE_CHECKING:
    from drr.app.report.failing import FoundError
    from drr.env.profile import ProfileSummary
    from drr.eval.checks.results import CheckRow
    from drr.eval.foreign.summary import ForeignValue
    from drr.eval.metrics.base import Metric
    from drr.eval.stats.citations import CitationVerdict
    from drr.eval.stats.faithfulness import JudgedClaim
    from drr.eval.tasks.judgements import MistakesResult, Verdict
    from drr.eval.tasks.key_points import PointRow, PointVerdictRow
    from drr.llm.meter import UsageRow


_NAMED = 2
"""Most rules that a cell of the index names."""


@dataclass(frozen=True)
class Passage:
    """A part of an evidence text, with the positions of the supporting words."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


class VerdictEvidence(NamedTuple):
    """Evidence behind one verdict: passages of its sources, and each source alone where the claim cites several."""

    passages: Sequence[Passage] = ()
    missing: Sequence[str] = ()
    """Reasons why the passages of some addresses cannot be shown."""
    alone: Mapping[str, tuple[CitationVerdict, Passage | None]] = {}


@dataclass(frozen=True)
class JudgeVerdicts:
    """The verdicts and ratings of one judge on an answer."""

    judge: str | None
    """`None` where nobody judged the answer."""
    by_rules: bool = False
    weak: str | None = None
    """Sentence that calls the judge a weak one; `None` where no scorecard does."""
    claims: Sequence[JudgedClaim] = ()
    evidence: Mapping[str, VerdictEvidence] = field(default_factory=dict)
    """Evidence by the name of the verdict."""
    ratings: Mapping[str, Verdict[int]] = field(default_factory=dict)
    """Ratings by dimension."""


@dataclass(frozen=True)
class SourceView:
    number: int
    url: str
    type: str
    title: str | None
    seen: tuple[str, ...]
    """All texts that tools showed of the source."""
    page: str | None
    """Content hash of the saved page; `None` where no page was saved."""
    page_status: str | None
    calls: tuple[int, ...] = ()
    """Numbers of the tool calls that returned the source; empty where no call is known."""

    @property
    def call(self) -> int | None:
        """Return the number of the first call that returned the source, or `None`."""
        return self.calls[0] if self.calls else None


@dataclass(frozen=True)
class CallView:
    number: int
    actor: str
    name: str
    kind: str
    arguments: str
    result: str
    error: str | None
    seconds: float | None
    started_at: float | None = None
    """Seconds from the start of the answer; `None` if not recorded."""


@dataclass(frozen=True)
class Actor:
    """The supervisor, one researcher, or the only agent, with its calls in order."""

    name: str
    calls: tuple[CallView, ...]


class TimedMessage(NamedTuple):
    """A message of a conversation, as the transcript has it."""

    row: Mapping[str, Any]
    started_at: float | None = None
    """Seconds from the start of the answer; `None` if not recorded."""
    seconds: float | None = None
    call: CallView | None = None
    """The call whose result the message is; `None` if not recorded."""


@dataclass(frozen=True)
class Conversation:
    """The messages between a model and one actor: the supervisor, a researcher, the writer of the report, ..."""

    name: str
    turns: int
    input_tokens: int | None
    """Tokens read by the model, summed over turns; `None` where no turn reported tokens."""
    output_tokens: int | None
    messages: Sequence[TimedMessage] = ()
    started_at: float | None = None
    """Start of the first turn, in seconds from the start of the answer."""


@dataclass(frozen=True)
class ProductCard:
    """The card of a product; a price or rating that the product's record lacks is `None`."""

    url: str
    title: str
    price: float | None = None
    rating: float | None = None
    ratings: int | None = None
    store: str | None = None
    in_shop: bool | None = None
    """True where the shop sells the product; `None` where the shop cannot be opened."""


@dataclass(frozen=True)
class ShownFinding:
    """A wrong fact that a rule found in a report, with every place that states the fact."""

    name: str
    """HTML id of the finding's card; the ids of its places in the report are `NAME-1`, `NAME-2`, ..."""
    rule: str
    why: str
    spans: tuple[tuple[int, int], ...]
    line: Passage | None
    """First line of the report that states the fact, with the wrong words marked."""
    record: str | None = None
    """Value that the record has instead; `None` where no record does."""


@dataclass(frozen=True)
class ShownEntry:
    """An answer in the viewer's index, small enough for indexes of thousands."""

    key: str
    query_id: str
    query: str
    variant: str
    trial: int
    status: str
    reason: str | None
    words: int | None
    rule_written: bool
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Values of the metrics that the index shows; empty until the study has been measured."""
    verdicts: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    task: str | None = None
    """Id of the task of the answer, as the question names the task."""
    person: str | None = None
    """Id of the asking person, as the question names the person."""
    user: str | None = None
    """Id of the shopper who asks; `None` without a shopper."""
    text: str | None = None
    """Content hash of the report."""
    given: int | None = None
    """Tokens of the text about the person that came with the question; `None` without such a text."""
    size: str | None = None
    """Size of the task's set of saved pages, where the task has files."""
    claims: tuple[str, ...] = ()
    """Claims of the answer in the judge's words; empty until the study has been measured."""
    errors: Sequence[FoundError] = ()
    """Wrong facts that rules found; empty until the study has been measured."""
    start: str = ""
    """First words of the report; empty until the study has been measured."""
    cost: float | None = None
    """Cost in dollars; `None` if unknown."""
    no_cost: str = ""
    """Reason why the cost is unknown."""
    tokens: float | None = None
    """Tokens that models read and wrote; `None` if unknown."""

    @property
    def asked(self) -> AskedQuestion:
        """Return the pair of question id and task id."""
        return AskedQuestion(self.query_id, self.task or self.query_id.removesuffix(f"@{self.size}"))

    @property
    def verdict(self) -> tuple[str, str]:
        """Return what code decided of the answer, and the kind of its tag; empty where code decided nothing."""
        if self.errors:
            rules = list(dict.fromkeys(one.rule.replace("_", " ") for one in self.errors))
            more = f" +{len(rules) - _NAMED}" if rules[_NAMED:] else ""
            return f"{', '.join(rules[:_NAMED])}{more}", "none"
        if (solved := self.scores.get("solved")) is not None:
            return ("solved", "full") if solved == 1 else ("not solved", "none")
        return "", ""

    @property
    def question_page(self) -> str:
        """Return the name of the question's page. The name is safe for a file, as an imported id may look like a path."""
        return file_name(self.query_id)


@dataclass(frozen=True)
class ReportView:
    entry: ShownEntry
    report: str
    profile: str
    stop_reason: str | None
    usage: Mapping[str, UsageRow]
    """Usage of models by role."""
    cost_usd: float | None
    seconds: float | None
    verdicts: JudgeVerdicts = JudgeVerdicts(None)
    """Verdicts of the judge whose figures the page shows."""
    others: Sequence[JudgeVerdicts] = ()
    """Verdicts of the study's other judges on the same answer."""
    sources: tuple[SourceView, ...] = ()
    actors: tuple[Actor, ...] = ()
    rules: Mapping[str, CheckRow] = field(default_factory=dict)
    """Results of the rules by name: failed rules first, undecided rules last."""
    findings: tuple[ShownFinding, ...] = ()
    points: Sequence[PointRow] = ()
    """Key points of the question, vital points first."""
    matches: Mapping[str, PointVerdictRow] = field(default_factory=dict)
    """Verdicts on the points that the judge has looked for in the report."""
    figures: tuple[tuple[Metric, float | None], ...] = ()
    """Metrics that no other part of the page shows, each with its value."""
    foreign: tuple[ForeignValue, ...] = ()
    """Scores by other benchmarks' judges, as imported."""
    notes: tuple[str, ...] = field(default=())
    missing_shop: str | None = None
    currency: Currency = DOLLARS
    """The currency of the shop's prices."""
    citations: Citations = field(default_factory=partial(parse, ""))
    """Citations as the judge read them; ids of products in a list of sources count as addresses of the shop's pages."""
    conversations: tuple[Conversation, ...] = ()
    shopper: ProfileSummary | None = None
    products: tuple[ProductCard, ...] = ()
    """Products that tools returned, and products that only the report names, made-up addresses included."""
    made: Mapping[str, str] = field(default_factory=dict)
    """When, by which models, with which limits and by which code the answer was made."""
    steps: Sequence[Mapping[str, Any]] = ()
    """Steps besides tool calls, as the answer's record has them; empty where none were recorded."""
    mistakes: MistakesResult | None = None
    """Contradictions to the shop's records that a judge found in both of two readings."""
    judged: Judged = field(default_factory=partial(Judged, None, []))
    """Judgements on the answer, for the parts of papers; empty for an answer that failed."""
    key: str = ""
    """The answer's key in the study."""
    figures_read: str = ""
    """Sentence on how many of the report's figures the rules could read."""

    @property
    def calls(self) -> tuple[CallView, ...]:
        return tuple(call for actor in self.actors for call in actor.calls)
