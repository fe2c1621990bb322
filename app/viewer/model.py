"""The viewer's contents as plain values: read from a study once, drawn by templates."""

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
    """A stretch of frozen evidence and where in it the support stands."""

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
    """Texts that were read. A verdict on what the agent saw is in no figure but `fp_seen`."""
    status: str
    reason: str | None
    urls: tuple[str, ...]
    passages: tuple[Passage, ...] = ()
    alone: Mapping[str, ShownCitation] = field(default_factory=dict)
    """Each address by itself, where there are several."""
    missing: tuple[str, ...] = ()
    """Why the passage behind an address cannot be shown."""
    item: str = ""
    """The claim and its type of source, as the judging names them together."""


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
        """The weakest verdict that counts: what a reader should look at first. `uncited` where there is nothing to judge."""
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
    """Every text that a tool showed of it."""
    page: str | None
    """Content hash of the frozen page."""
    page_status: str | None
    calls: tuple[int, ...] = ()
    """Numbers of the tool calls that returned it; none where no call is known."""

    @property
    def call(self) -> int | None:
        """The one that is named where there is room for one."""
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
    """Seconds after the answer was begun; `None` where nobody noted it."""


@dataclass(frozen=True)
class Actor:
    """The supervisor, one researcher, or the one agent there was, and what they called in their order."""

    name: str
    calls: tuple[CallView, ...]

    @property
    def seconds(self) -> float | None:
        """Sum the seconds in tools, not in the work that others were given; unknown where that of one call is."""
        own = [call.seconds for call in self.calls if call.kind != "control"]
        known = [one for one in own if one is not None]
        return sum(known) if self.calls and len(known) == len(own) else None


@dataclass(frozen=True)
class StepView:
    """A turn of a model, a page that was read, or its summary."""

    kind: str
    """`model`, `page`, `summary`."""
    of: str
    """The conversation, or the page's address."""
    number: int
    started_at: float
    seconds: float


@dataclass(frozen=True)
class ShownMessage:
    """One message of a conversation, whole."""

    role: str
    text: str
    thinking: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments of each tool that it asks for."""
    tool: str = ""
    """Name of the tool whose result it is."""
    failed: bool = False
    tokens: str = ""
    started_at: float | None = None
    """Seconds after the answer was begun; `None` where nobody noted it."""
    seconds: float | None = None


@dataclass(frozen=True)
class Conversation:
    """One conversation with a model: of the supervisor, a researcher, the writer of the report, ..."""

    name: str
    turns: int
    input_tokens: int | None
    """Sum over turns; `None` where none of them reported tokens."""
    output_tokens: int | None
    messages: tuple[ShownMessage, ...] = ()
    started_at: float | None = None
    """Start of its first turn, in seconds after the answer was begun."""


@dataclass(frozen=True)
class ShownRating:
    judge: str
    dimension: str
    rating: int | None
    justification: str | None
    unscored: str | None


@dataclass(frozen=True)
class ShownPoint:
    """A key point of the question, and what the report has of it."""

    row: PointRow
    support: str
    """`unmatched` where nobody looked yet."""
    by: str = ""
    reason: str = ""
    quote: str = ""
    """The words of the report that show it."""


@dataclass(frozen=True)
class ProductCard:
    """The card of a returned record; prices and ratings that it does not state are unknown."""

    url: str
    title: str
    price: float | None = None
    rating: float | None = None
    ratings: int | None = None
    store: str | None = None
    in_shop: bool | None = None
    """True where the shop sells it; `None` where the shop cannot be asked."""


@dataclass(frozen=True)
class RuleView:
    name: str
    status: str
    value: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class ShownFinding:
    """A wrong fact that a rule found: one, however often the report states it."""

    name: str
    """Place of its card on the page; its places in the report are `NAME-1`, `NAME-2`, ..."""
    rule: str
    why: str
    spans: tuple[tuple[int, int], ...]
    line: Passage | None
    """The line that states it first, with the wrong words."""


@dataclass(frozen=True)
class ShownEntry:
    """One unit in the index: light enough for thousands."""

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
    """The metrics of the index; empty until the study was measured."""
    verdicts: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    task: str | None = None
    """The task that it answers, as its question names it."""
    person: str | None = None
    """The asking person, as the question names them."""
    user: str | None = None
    """The shopper who asks; `None` where nobody does."""
    text: str | None = None
    """Content hash of the report."""
    given: int | None = None
    """Tokens of what stood of the person with the question; `None` where nothing did."""
    size: str | None = None
    """Size of the frozen pages, where the task has files."""
    claims: tuple[str, ...] = ()
    """Its claims in the judge's words; empty until the study was measured."""
    cost: float | None = None
    """Dollars; `None` is unknown."""
    tokens: float | None = None
    """Read and written; `None` is unknown."""

    @property
    def asked(self) -> AskedQuestion:
        """Its question with its task, as of the answer."""
        return AskedQuestion(self.query_id, self.task or self.query_id.removesuffix(f"@{self.size}"))

    @property
    def question_page(self) -> str:
        """The name of its question's page: an id may be a path, if a stranger wrote it."""
        return file_name(self.query_id)


@dataclass(frozen=True)
class ShownOutcome:
    """The outcome of two answers to one question on one dimension, both orders together."""

    dimension: str
    a: str
    b: str
    trial: int
    winner: str
    """A variant, `tie`, `inconsistent` or `error`."""


@dataclass(frozen=True)
class OtherJudge:
    """The verdicts of another judge on the same answer, on the claims as that one found them."""

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
    """Keyed by role."""
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
    """Citations as the judge read them: ids of products in a list of sources lead to the shop's pages."""
    conversations: tuple[Conversation, ...] = ()
    shopper: ProfileSummary | None = None
    products: tuple[ProductCard, ...] = ()
    """Those that tools returned, and addresses of the shop that were made up."""
    others: tuple[OtherJudge, ...] = ()
    steps: tuple[StepView, ...] = ()
    """Waits beside its tools; empty where none were recorded."""
    mistakes: MistakesResult | None = None
    """Contradictions to the shop's records that a judge who read twice found."""
    papers: Mapping[str, Any] = field(default_factory=dict)
    """Readings of each paper, by the paper's name."""
    figures_read: str = ""
    """Sentence on how many of its figures rules could read."""

    @property
    def calls(self) -> tuple[CallView, ...]:
        return tuple(call for actor in self.actors for call in actor.calls)
