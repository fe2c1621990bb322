"""Defines the viewer's contents as plain values, which are read from a study and drawn by templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.env.profile import ProfileSummary
    from drr.eval.foreign.summary import ForeignValue
    from drr.eval.metrics.base import Metric
    from drr.eval.tasks.key_points import PointRow
    from drr.eval.tasks.mistakes import MistakesResult
    from drr.llm.meter import UsageRow

from drr.citations.parse import Citations, parse
from drr.env.files import file_name
from drr.eval.stats.question import AskedQuestion

SEEN = "what the agent saw"


@dataclass(frozen=True)
class Passage:
    """A part of an evidence text, with the positions of the supporting words."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ShownCitation:
    """The verdict of one address on a claim that cites several."""

    status: str
    standing: str
    reason: str
    passage: Passage | None = None


@dataclass(frozen=True)
class ShownVerdict:
    """One judgement of one claim against one type of source."""

    judge: str
    source_type: str
    basis: str
    """Texts that the judge read. A verdict on the texts that the agent saw counts in no figure but `fp_seen`."""
    status: str
    reason: str | None
    urls: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    alone: Mapping[str, ShownCitation] = field(default_factory=dict)
    """Verdict on each address alone, where the claim cites several."""
    missing: tuple[str, ...] = ()
    """Reasons why the passages of some addresses cannot be shown."""
    item: str = ""
    """Name of this judgement among the judgements of the answer: the claim and the type of source."""


@dataclass(frozen=True)
class ShownClaim:
    id: str
    text: str
    start: int
    end: int
    urls: tuple[str, ...]
    verdicts: tuple[ShownVerdict, ...] = ()

    @property
    def status(self) -> str:
        """Return the weakest verdict that counts, to which a reader should look first. `uncited` where nothing was cited."""
        order = (
            "none",
            "judge_error",
            "unquoted",
            "extract_error",
            "unreachable",
            "blocked",
            "empty",
            "partial",
            "full",
        )
        counted = [verdict for verdict in self.verdicts if verdict.basis != SEEN]
        found = {verdict.status for verdict in counted or self.verdicts}
        weakest = next((status for status in order if status in found), None)
        return weakest or ("uncited" if not self.urls else "unscored")

    @property
    def types(self) -> str:
        return " ".join(sorted({verdict.source_type for verdict in self.verdicts}))


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

    @property
    def seconds(self) -> float | None:
        """Return the seconds spent in tools, without delegated work; `None` where the time of one call is unknown."""
        own = [call.seconds for call in self.calls if call.kind != "control"]
        known = [one for one in own if one is not None]
        return sum(known) if self.calls and len(known) == len(own) else None


@dataclass(frozen=True)
class StepView:
    """A step besides tool calls: a model's turn, or the reading or summary of a page."""

    kind: str
    """Kind of the step: `model`, `page` or `summary`."""
    of: str
    """Name of the conversation, or the page's address."""
    number: int
    started_at: float
    seconds: float


@dataclass(frozen=True)
class ShownMessage:
    """One message of a conversation, with its full text."""

    role: str
    text: str
    thinking: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments of each tool call that the message requests."""
    tool: str = ""
    """Name of the tool whose result the message is; empty for other messages."""
    failed: bool = False
    tokens: str = ""
    started_at: float | None = None
    """Seconds from the start of the answer; `None` if not recorded."""
    seconds: float | None = None


@dataclass(frozen=True)
class Conversation:
    """The messages between a model and one actor: the supervisor, a researcher, the writer of the report, ..."""

    name: str
    turns: int
    input_tokens: int | None
    """Tokens read by the model, summed over turns; `None` where no turn reported tokens."""
    output_tokens: int | None
    messages: tuple[ShownMessage, ...] = ()
    started_at: float | None = None
    """Start of the first turn, in seconds from the start of the answer."""


@dataclass(frozen=True)
class ShownRating:
    judge: str
    dimension: str
    rating: int | None
    justification: str | None
    unscored: str | None


@dataclass(frozen=True)
class ShownPoint:
    """A key point of the question, and how far the report supports the point."""

    row: PointRow
    support: str
    """Verdict on how far the report supports the point; `unmatched` where no judge has looked yet."""
    by: str = ""
    reason: str = ""
    quote: str = ""
    """Words of the report that state the point."""


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
class RuleView:
    name: str
    status: str
    value: str
    evidence: tuple[str, ...]


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


@dataclass(frozen=True)
class ShownEntry:
    """One answer in the viewer's index, small enough for indexes of thousands."""

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
    cost: float | None = None
    """Cost in dollars; `None` if unknown."""
    tokens: float | None = None
    """Tokens that models read and wrote; `None` if unknown."""

    @property
    def asked(self) -> AskedQuestion:
        """Return the pair of question id and task id."""
        return AskedQuestion(self.query_id, self.task or self.query_id.removesuffix(f"@{self.size}"))

    @property
    def question_page(self) -> str:
        """Return the name of the question's page. The name is safe for a file, as an imported id may look like a path."""
        return file_name(self.query_id)


@dataclass(frozen=True)
class ShownOutcome:
    """The outcome of comparing two answers to one question on one dimension, over both orders."""

    dimension: str
    a: str
    b: str
    trial: int
    winner: str
    """Name of the winning variant, or `tie`, `inconsistent` or `error`."""


@dataclass(frozen=True)
class OtherJudge:
    """The claims that another judge found in the same answer, with that judge's verdicts and ratings."""

    judge: str
    rule_written: bool
    claims: tuple[ShownClaim, ...]
    ratings: tuple[ShownRating, ...]


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
    claims: tuple[ShownClaim, ...] = ()
    sources: tuple[SourceView, ...] = ()
    actors: tuple[Actor, ...] = ()
    ratings: tuple[ShownRating, ...] = ()
    rules: tuple[RuleView, ...] = ()
    findings: tuple[ShownFinding, ...] = ()
    points: tuple[ShownPoint, ...] = ()
    figures: tuple[tuple[Metric, float | None], ...] = ()
    """Metrics that no other part of the page shows, each with its value."""
    foreign: tuple[ForeignValue, ...] = ()
    """Scores by other benchmarks' judges, as imported."""
    notes: tuple[str, ...] = field(default=())
    judged_by: str | None = None
    judged_by_rules: bool = False
    missing_shop: str | None = None
    citations: Citations = field(default_factory=partial(parse, ""))
    """Citations as the judge read them; ids of products in a list of sources count as addresses of the shop's pages."""
    conversations: tuple[Conversation, ...] = ()
    shopper: ProfileSummary | None = None
    products: tuple[ProductCard, ...] = ()
    """Products that tools returned, and products that only the report names, made-up addresses included."""
    others: tuple[OtherJudge, ...] = ()
    steps: tuple[StepView, ...] = ()
    """Steps besides tool calls; empty where none were recorded."""
    mistakes: MistakesResult | None = None
    """Contradictions to the shop's records that a judge found in both of two readings."""
    papers: Mapping[str, Any] = field(default_factory=dict)
    """Data that each paper adds to the answer's page, by the paper's name."""
    figures_read: str = ""
    """Sentence on how many of the report's figures the rules could read."""

    @property
    def calls(self) -> tuple[CallView, ...]:
        return tuple(call for actor in self.actors for call in actor.calls)
