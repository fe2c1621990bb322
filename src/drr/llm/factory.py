"""Builds the models of roles from names and settings, with limits, retries, metering and budgets in one place."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from drr.llm import failures
from drr.llm.budget import NOTHING, Budget, Charge, Limit, Prices, load_prices, most_of_call
from drr.llm.calls import CallLimit, Clock, ProviderLimits, Retries, check_proxies, env_proxies, with_retries
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.journal import Journal, PaidAnswer, request_id
from drr.llm.meter import CallWatch, Meter, SeenCall, Tokens, tokens_of
from drr.llm.models import (
    ModelServer,
    ModelSettings,
    Writing,
    answer_form,
    ask_form,
    chat_model,
    close_client,
    count_tokens,
)
from drr.llm.names import OFFLINE, parse_name
from drr.llm.role import NO_DEMAND, PLAIN, AskForm, Demand, MeteredModel, Policy, Schema, structured
from drr.llm.secrets import Redactor
from drr.llm.text import well_formed_message, wire_size
from drr.llm.thinking import Openings
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import BaseModel

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_Loop = asyncio.AbstractEventLoop


class _Shared:
    """The parts that all units of a process share: the providers' limiters, the connections, the prices."""

    def __init__(self, settings: ModelSettings, prices: Prices, clock: Clock, retries: Retries) -> None:
        self.settings = settings
        self.prices = prices
        self.clock = clock
        self.retries = retries
        self._base = ModelServer(settings.base_url, settings.keys, settings.refused)
        servers = [self._base, *settings.servers.values()]
        keys = [key.get_secret_value() for one in servers for key in one.keys.values() if key is not None]
        self.redact = Redactor(keys, [*(one.address for one in servers), *env_proxies().values()])
        self.limits = ProviderLimits(settings.concurrency, clock)
        self.watch: CallWatch | None = None
        self._chats: WeakKeyDictionary[_Loop, dict[tuple[str, int, int], BaseChatModel]] = WeakKeyDictionary()
        self._checked: set[tuple[str, int]] = set()
        self.openings = Openings()

    def server_of(self, role: str, provider: str) -> ModelServer:
        """Return the server of a role, else the server of the provider's models."""
        servers = self.settings.servers
        return servers.get(role) or servers.get(provider) or self._base

    def limit_of(self, provider: str, server: ModelServer) -> CallLimit:
        """Return the limit of calls to a provider. A role's own server has a limit of its own."""
        if server.base_url is None or server is self._base:
            return self.limits.of(provider, server.concurrency)
        return self.limits.of(f"{provider} at {server.host(provider)}", server.concurrency)

    def check(self, name: str, server: ModelServer) -> None:
        """Build a model once, so that `ModelSetupError` is raised before the first call."""
        if (name, id(server)) not in self._checked and parse_name(name).provider != OFFLINE:
            self._build(name, server, self.settings.max_tokens)
            self._checked.add((name, id(server)))

    def _build(self, name: str, server: ModelServer, max_tokens: int) -> BaseChatModel:
        s = self.settings
        if parse_name(name).provider != OFFLINE:
            check_proxies()
            if server.refused is not None:
                raise ModelSetupError(server.refused)
        try:
            return chat_model(
                name,
                base_url=server.base_url,
                api_key=server.keys.get(parse_name(name).provider),
                timeout=s.timeout_s,
                max_tokens=max_tokens,
                streaming=s.streaming,
                context_window=s.context_window,
                style=s.style,
            )
        except (ImportError, ValueError) as error:  # e.g. an unsupported kind of proxy
            raise ModelSetupError(
                f"model {name}: its client cannot be made ({self.redact(str(error), 300)})"
            ) from error

    def chat(self, name: str, server: ModelServer, max_tokens: int | None = None) -> BaseChatModel:
        """Return the client of a model for the current event loop, because connections do not outlive their loop."""
        max_tokens = max_tokens or self.settings.max_tokens
        chats = self._chats.setdefault(asyncio.get_running_loop(), {})
        key = (name, id(server), max_tokens)
        if key not in chats:
            chats[key] = self._build(name, server, max_tokens)
        return chats[key]

    async def aclose(self) -> None:
        for chat in self._chats.pop(asyncio.get_running_loop(), {}).values():
            await close_client(chat)


class Models:
    """A source of models by role. `unit` returns the same models with the meter and cap of one unit; limiters and connections are shared."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        meter: Meter | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        clock: Clock | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.settings = settings
        self.meter = meter or Meter()
        self.budget = budget or Budget()
        self._cap: Budget | None = None
        self._journal: Journal | None = None
        self._shared = _Shared(
            settings,
            prices or load_prices(),
            clock or Clock(),
            replace(retries or Retries(), deadline_s=settings.deadline_s),
        )

    @property
    def prices(self) -> Prices:
        return self._shared.prices

    @property
    def redact(self) -> Redactor:
        return self._shared.redact

    def limit_by(self, limit: Callable[[str], CallLimit]) -> None:
        """Limit calls by limits shared with other processes, which `limit` returns for a provider."""
        self._shared.limits.shared = limit

    def watched_by(self, watch: CallWatch) -> None:
        """Report every call of every unit to the watch."""
        self._shared.watch = watch

    def unit(self, meter: Meter, *, cap: Limit | None = None, budget: Budget | None = None) -> Models:
        """Return models for one unit, with the unit's meter and cap under the common budget."""
        bound = object.__new__(Models)
        bound.settings, bound._shared = self.settings, self._shared
        bound.meter, bound.budget = meter, budget or self.budget
        bound._cap = Budget(cap, scope="unit") if cap is not None and cap.is_set else None
        bound._journal = None
        return bound

    def keeping(self, journal: Journal) -> Models:
        """Return the same models with a journal that stores a unit's answers and returns them after an interruption."""
        bound = copy(self)
        bound._journal = journal
        return bound

    def name_of(self, role: str) -> str:
        return self.settings.model_of(role)

    def role(self, role: str, policy: Policy | None = None) -> MeteredModel:
        """Return the model of a role. `policy` is the stand-in that plays the role under `offline`."""
        name = self.name_of(role)
        provider = parse_name(name).provider
        if provider == OFFLINE:
            if policy is None:
                raise TypeError(f"role {role}: the offline model needs a policy to play it")
            chat: BaseChatModel = chat_model(name, policy=policy, latency_s=self.settings.offline_latency_s)
            return _Role(name, role, provider, chat, self)
        self.check([role])
        return _Role(name, role, provider, None, self)

    def check(self, roles: Iterable[str]) -> None:
        """Build the models of roles, so that a missing key or package raises `ModelSetupError` before any work."""
        for role in roles:
            name = self.name_of(role)
            self._shared.check(name, self._shared.server_of(role, parse_name(name).provider))

    def unpriced(self, roles: Iterable[str]) -> list[str]:
        """Return the models of these roles whose price is unknown."""
        return sorted({name for role in roles if self.prices.of(name := self.name_of(role)) is None})

    async def aclose(self) -> None:
        await self._shared.aclose()


class _Role:
    """The `MeteredModel` of one role for one unit."""

    def __init__(
        self, name: str, role: str, provider: str, chat: BaseChatModel | None, models: Models
    ) -> None:
        self.name = name
        self.role = role
        self.rule_written = provider == OFFLINE
        self._provider = provider
        self._own_chat = chat
        self._models = models
        self._shared = models._shared
        self._server = self._shared.server_of(role, provider)
        self._price = self._shared.prices.of(name)
        self._bound: OrderedDict[tuple[object, ...], tuple[Sequence[Any], AskForm]] = OrderedDict()

    def __repr__(self) -> str:
        return f"<{self.role}: {self.name}>"

    async def reply(
        self,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Any] = (),
        brief: object = None,
        demand: Demand = NO_DEMAND,
    ) -> AIMessage:
        return await self._ask(self._with(tools, demand), messages, brief)

    async def count(self, messages: Sequence[BaseMessage], *, tools: Sequence[Any] = ()) -> int | None:
        chat = self._own_chat or self._shared.chat(self.name, self._server)
        return await count_tokens(self._with(tools, NO_DEMAND).bound(chat), messages)

    async def answer(
        self, messages: Sequence[BaseMessage], schema: type[BaseModel], *, brief: object = None
    ) -> AIMessage:
        form = answer_form(self._provider, schema)
        return await self._ask(
            AskForm.of(form, lambda chat: chat.bind(**form), schema=schema), messages, brief
        )

    async def structured(
        self, messages: Sequence[BaseMessage], schema: type[Schema], *, brief: object = None
    ) -> Schema:
        return await structured(
            lambda transcript: self.answer(transcript, schema, brief=brief), messages, schema
        )

    def _with(self, tools: Sequence[Any], demand: Demand) -> AskForm:
        """Return the form that binds tools and demands. The last few forms are kept, because binding converts all tools to schemas."""
        if not tools and demand == NO_DEMAND:
            return PLAIN
        key = (*map(id, tools), demand)
        found = self._bound.get(key)
        if found is None:
            form = ask_form(self._provider, tools, demand)
            # The tools are kept beside their form: a later tool could else get the id of one that is gone.
            found = self._bound[key] = (list(tools), form)
            if len(self._bound) > 4:
                self._bound.popitem(last=False)
        return found[1]

    async def _ask(self, form: AskForm, messages: Sequence[BaseMessage], brief: object) -> AIMessage:
        """Call the model, and once more with a higher token limit where the answer was cut. A second cut is a failure."""
        settings = self._shared.settings
        most = settings.max_tokens
        try:
            async with self._shared.openings.turn(self.name, form.id, messages):
                return await self._call(form, messages, brief, most)
        except ModelFailure as failure:
            if failure.kind != "truncated" or self.rule_written or settings.raised_max_tokens <= most:
                raise
            cut = failure
        self._models.meter.usage(self.role, self.name).raised += 1
        try:
            return await self._call(form, messages, brief, settings.raised_max_tokens)
        except ModelFailure as second:
            # A model with no room for more refuses the higher limit; the cause is still the cut.
            raise (cut if second.kind == "bad_request" else second) from None

    async def _call(
        self, form: AskForm, messages: Sequence[BaseMessage], brief: object, max_tokens: int
    ) -> AIMessage:
        shared, models = self._shared, self._models
        journal = None if self.rule_written else models._journal
        may_be_empty = form.tools and any(isinstance(message, ToolMessage) for message in messages)
        request = ""
        if journal is not None:
            raised = "" if max_tokens == shared.settings.max_tokens else "raised:"
            request = request_id(self.name, raised + form.id, messages)
            if (before := self._replayed(journal, request, form, may_be_empty)) is not None:
                return before
        chat = form.bound(self._own_chat or shared.chat(self.name, self._server, max_tokens))
        extra: dict[str, Any] = {} if brief is None or not self.rule_written else {"brief": brief}
        sent: list[BaseMessage] = list(messages)
        marks: dict[str, Any] = {}
        if self._provider == "anthropic":
            sent, marks = shared.openings.marked(self.name, form.id, messages, goes_on=form.tools)
        budgets = [budget for budget in (models._cap, models.budget) if budget is not None]
        counted = not self.rule_written or any(budget.limit.is_set for budget in budgets)
        size = form.size + sum(wire_size(message) for message in messages) if counted else 0
        amount = most_of_call(self._price, size, max_tokens, self.rule_written) if counted else NOTHING
        streams = shared.settings.streaming and not self.rule_written
        writing = Writing(shared.settings.idle_s if streams else None)

        async def attempt(charge: Charge) -> AIMessage:
            """Send one request. Its answer is paid for even where it is cut or refused."""
            started = shared.clock.now()
            charge.sent = not self.rule_written
            try:
                answer = await writing.read(chat, sent, **extra, **marks)
                message = shared.redact.message(well_formed_message(answer))
            except BaseException as error:
                charge.sent = charge.sent and failures.may_be_billed(error)
                self._seen(messages, max_tokens, shared.clock.now() - started, writing, failure=error)
                raise
            tokens = tokens_of(message)
            answered = PaidAnswer(message, self._cost(tokens), shared.clock.now() - started)
            models.meter.answered(self.role, self.name, tokens, answered.cost, answered.seconds)
            charge.record_spending(tokens, answered.cost)
            if journal is not None:
                journal.add(request, answered)
            try:
                failures.check(message, self._provider, may_be_empty=may_be_empty)
            except ModelFailure as failure:
                self._seen(messages, max_tokens, answered.seconds, writing, answered, failure)
                raise
            self._seen(messages, max_tokens, answered.seconds, writing, answered)
            return message

        return await with_retries(
            attempt,
            reserve=lambda: Charge(budgets, amount),
            limiter=shared.limit_of(self._provider, self._server),
            retries=shared.retries,
            timeout_s=shared.settings.timeout_s,
            clock=shared.clock,
            name=lambda error: writing.still_going(error, shared.settings.timeout_s) or self._name(error),
            on_retry=lambda failure, seconds: models.meter.retried(self.role, self.name, seconds),
        )

    def _seen(
        self,
        messages: Sequence[BaseMessage],
        max_tokens: int,
        seconds: float,
        writing: Writing,
        answered: PaidAnswer | None = None,
        failure: BaseException | None = None,
    ) -> None:
        """Report one request to the watch."""
        watch = self._shared.watch
        if watch is None:
            return
        named = self._name(failure) if isinstance(failure, Exception) else None
        why = None if failure is None else named.kind if named else type(failure).__name__
        answer = None if answered is None else answered.message
        tokens = None if answer is None else tokens_of(answer)
        cost = None if answered is None else answered.cost
        watch.called(
            SeenCall(
                self.role, self.name, max_tokens, seconds, messages, answer, tokens, cost, why,
                writing.first_s, writing.pieces, writing.silent,
            )
        )  # fmt: skip

    def _replayed(
        self, journal: Journal, request: str, form: AskForm, may_be_empty: bool
    ) -> AIMessage | None:
        """Return the answer to a request from before the unit was stopped, repeating failed tries. `None` means that the model must be called."""
        models, malformed = self._models, 0
        while (kept := journal.next(request)) is not None:
            tokens = tokens_of(kept.message)
            models.meter.answered(self.role, self.name, tokens, kept.cost, kept.seconds)
            if models._cap is not None:
                # The cap is for the whole unit; the study's budget counted this answer when it was paid for.
                models._cap.record_spending(NOTHING, tokens, kept.cost)
            try:
                failures.check(kept.message, self._provider, may_be_empty=may_be_empty)
            except ModelFailure as failure:
                malformed += failure.kind == "malformed"
                if not (journal.usable_only or self._shared.retries.allows(failure, 0, malformed)):
                    raise
                models.meter.retried(self.role, self.name, 0.0)
            else:
                if not journal.usable_only or form.fits(kept.message):
                    return kept.message
        return None

    def _cost(self, tokens: Tokens | None) -> int | None:
        return None if tokens is None or self._price is None else self._price.cost(tokens)

    def _name(self, error: Exception) -> ModelFailure | None:
        failure = failures.failure_of(error, self._shared.redact)
        if failure is None or failure.kind != "connection":
            return failure
        return ModelFailure("connection", f"{failure} at {self._server.host(self._provider)}")
