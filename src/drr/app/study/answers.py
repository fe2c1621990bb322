"""Builds the work on answers from plan and settings: shop, web and models, for `ask`, `run` and workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from drr.agents.architecture import Variant
from drr.agents.base import PROFILE, TIMES_LEAST, AnswerRecord, Listener, ignore_event, tight_calls
from drr.agents.brief import asking_for_form
from drr.agents.commands.command import CommandTerms
from drr.agents.commands.variants import under_terms
from drr.agents.registry import choose
from drr.agents.runner import AgentOptions, key_fields, run_variant, vision_key
from drr.app.models.setup import check_named, holds_thoughts, models_of, prompts_of, styles_of, under_model
from drr.app.study.person import PersonFacts, open_person_facts
from drr.app.study.spans import NO_SPANS, Spans, answer_span, spans_of
from drr.app.study.specs import AnswerSpec, agent_in, reach_in, setting_in, spec_in_key, spec_of, split_record
from drr.app.study.study_plan import StudyPlan
from drr.app.study.workers import check_same, probe_per_system, settings_from, whole_path
from drr.app.study.worlds import can_have_reach, check_contained, check_reaches, kinds_for
from drr.env.errors import DrrError, Misuse
from drr.env.files import at_home
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, Given, settings_of
from drr.env.query import Query
from drr.env.reach import WHOLE, Reach, reaches_of
from drr.env.settings import FILE, Settings
from drr.env.shop import SERVERS
from drr.env.shop_world import ShopWorld
from drr.env.trust import config_folder
from drr.env.world import SHOP, Site, WithoutRecords, World, WorldResources, open_realm
from drr.llm.factory import Models
from drr.llm.failures import ModelSetupError
from drr.llm.meter import Meter
from drr.llm.names import OFFLINE
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from drr.offline.cast import RULES, stand_in
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context, ReplayedWeb, SavedAnswers, Workplace
from drr.tools.own import add_own_tools


def terms_of(plan: StudyPlan, settings: Settings) -> CommandTerms:
    """Return the terms on which commands run. Commands may not see the files of the study, its questions, the shop and the web, nor this
    user's keys, however they are started."""
    named = [
        plan.study,
        plan.place,
        plan.queries,
        plan.frozen,
        plan.tasks,
        settings.sandbox,
        settings.web_record,
        settings.price_file,
        config_folder(),
        FILE,
    ]
    if plan.shop is not None and not plan.shop.startswith(SERVERS):
        named.append(plan.shop)
    hidden = tuple(at_home(path).resolve() for path in named if path is not None)
    return CommandTerms(plan.trust_agent, tuple(map(Path, plan.agent_sees)), hidden, plan.in_process)


@contextmanager
def open_workplace(document: Mapping[str, Any]) -> Iterator[Workplace]:
    """Open the workplace of a worker in another process, for `Opening("drr.app.study.answers:open_workplace", document)`.

    The document has the plan, settings without secrets, which come from the worker's own environment, and probes.
    """
    with open_answering(StudyPlan(**document["plan"]), settings_from(document["settings"])) as answering:
        for probe in document.get("probes", ()):  # would this process answer as its driver asked?
            (unit,) = answering.units_of([probe["spec"]])
            check_same(unit.key_fields, probe["fields"])
        yield Workplace(answering, answering.models)


@contextmanager
def open_answering(
    plan: StudyPlan,
    settings: Settings,
    *,
    variants: Sequence[str] | None = None,
    keyed_max_tokens: int | None = None,
    calls: bool = True,
) -> Iterator[AnswerWork]:
    """Open the work on units, `await answering(spec, context)`, with its own world and models. The world is the shop with its web, or another.

    Plan and settings are all it takes, so a worker in another process opens the same work from the same plain data:

        with open_answering(plan, settings) as answering:
            outcome = await answering(unit.spec, context)

    `variants` are words in the place of the plan's, which may hold commas. `calls=False` is for code that only looks at what would be
    asked. `context` gives `models` (for this unit: metered, capped), `meter`, `unit` and `keep`. Whoever opened the work ends the models'
    connections with `await answering.models.aclose()` in the event loop that used them.
    """
    terms = terms_of(plan, settings)
    words = plan.variants or "all" if variants is None else variants
    found = {variant.name: under_terms(variant, terms) for variant in choose(words)}
    check_contained(found, trusted=terms.trusted)
    prompts = prompts_of(settings, "agents")
    named = [variant.model for variant in found.values() if variant.model is not None]
    models = models_of(settings, agents=True, calls=calls, named=named)
    reaches, world = reaches_of(plan.reach or WHOLE.name), plan.world or SHOP
    site = Site(
        settings=settings,
        shop=plan.shop,
        place=plan.place,
        pages=None if plan.study is None else plan.study / "pages",
        kinds=kinds_for(world, plan.place, reaches),
    )
    if settings.tools and world != SHOP:
        raise Misuse(f"--tools: tools of your own are for the world {SHOP}, and this study's is {world}")
    add_own_tools(settings.tools)
    with spans_of(plan.spans(), models) as spans, open_realm(world, site) as realm:
        chosen = settings_of(plan.settings or RECORDS.name)
        facts = open_person_facts(chosen, plan, settings, models_of(settings, calls=calls))
        answering = AnswerWork(
            plan, settings, found, realm, models, prompts, facts, reaches, spans, keyed_max_tokens
        )
        facts.check_place(realm, found.values())
        answering.check_profiles()
        answering.check_roles()
        answering.check_same_variants()
        check_reaches(reaches, found.values(), chosen)
        check_named([*answering.roles, *facts.roles], plan.named_roles)
        yield answering


def _limits_in(spec: AnswerSpec, plan: StudyPlan) -> dict[str, Any]:
    """Return the limits of a unit that differ from those of its architecture, by name."""
    turns, limits = reach_in(spec).turns, dict[str, Any](plan.limits)
    if turns is not None:
        limits["search_turns"] = turns
    if (times := limits.pop(TIMES_LEAST, None)) is not None:
        if "least" not in spec:
            raise Misuse(
                f"--limits tight: question {spec['query_id']} does not say its `least`; name wide, or tool_calls=N"
            )
        limits["tool_calls"] = tight_calls(spec["least"], times)
    return limits


@dataclass(frozen=True)
class AnswerWork:
    """The work on units of answers, with the parts that all units share."""

    plan: StudyPlan
    settings: Settings
    variants: Mapping[str, Variant]
    """Variants by the name that is shown."""
    realm: WorldResources
    models: Models
    prompts: Prompts
    person_facts: PersonFacts = field(default_factory=PersonFacts)
    reaches: Sequence[Reach] = (WHOLE,)
    spans: Spans = NO_SPANS
    keyed_max_tokens: int | None = None
    """Token limit that unit keys hold in place of the setting, so that failed units with a higher limit stay the same units."""

    @property
    def roles(self) -> list[str]:
        """Return the model roles that these variants call."""
        return list(dict.fromkeys(role for variant in self.variants.values() for role in variant.roles))

    def specs(self, queries: Sequence[Query], trials: int = 1) -> list[AnswerSpec]:
        """Return all answers' specifications, ordered by trial, then query. A study that stops early has then compared like with like."""
        return [
            spec_of(query, name, trial, setting, reach)
            for trial in range(trials)
            for query in queries
            for name, variant in self.variants.items()
            for setting in self.person_facts.settings
            for reach in self.reaches
            if can_have_reach(reach, variant)
        ]

    def units(self, queries: Sequence[Query], trials: int = 1) -> list[Unit]:
        return self.units_of(self.specs(queries, trials))

    def units_of(self, specs: Sequence[AnswerSpec]) -> list[Unit]:
        return [self._unit(spec) for spec in specs]

    def _unit(self, spec: AnswerSpec) -> Unit:
        settings, setting, variant = self.settings, setting_in(spec), self.variants[agent_in(spec)]
        world, models = self.world_of(spec), self.models_of(variant)
        fields = {
            **key_fields(variant, self.options_of(variant, spec), self.prompts, world.tools, setting),
            **self.person_facts.key_fields(setting, spec.get("person_id")),
            **spec_in_key(spec, variant),
            "models": {role: models.name_of(role) for role in variant.roles},
            # A script has no model's name that would change with it, so its version stands here.
            **({"rules": RULES} if "agent" in variant.roles and models.name_of("agent") == OFFLINE else {}),
            "max_tokens": self.keyed_max_tokens or settings.model_max_tokens,
            **styles_of(models, variant.roles),
            **vision_key(variant, world.tools, models.name_of(variant.architecture.looks), settings.vision),
            "page_reader": settings.page_reader,
            # Left out for the shop, once the only world, so that its units keep their keys.
            **({} if self.plan.world in (None, SHOP) else {"world": self.plan.world}),
            **world.key_fields(),
        }
        label = f"{spec['query_id']}/{spec['variant']}/{spec['trial']}"
        label += f"/{spec['stress']['change']}" if "stress" in spec else ""
        return Unit("answer", fields, cast(Mapping[str, Any], spec), label)

    def models_of(self, variant: Variant, models: Models | None = None) -> Models:
        """Return the models that a variant calls: the study's, with the variant's own model if it names one."""
        models = models or self.models
        return models if variant.model is None else under_model(models, self.settings, variant.model)

    def asks_for_form(self, name: str) -> bool:
        """Return True if a variant is asked for the form of a checkable question."""
        variant, asking = self.variants[name], self.prompts.chosen(asking_for_form(self.prompts))
        return asking.hashes(variant.prompts) != self.prompts.hashes(variant.prompts)

    def world_of(self, spec: AnswerSpec) -> World:
        if setting_in(spec).has_records:
            world = self.realm.world(spec)
        else:
            assert isinstance(self.realm, WithoutRecords)  # `check_place`
            world = self.realm.strangers_world(spec)
        return _stressed_world(world, spec)

    def options_of(self, variant: Variant, spec: AnswerSpec) -> AgentOptions:
        """Return the agent's options: the defaults or the paper's, with the user's choices for this study in their place."""
        plan, settings, reach = self.plan, self.settings, reach_in(spec)
        base = AgentOptions.paper() if settings.profile == "paper" else AgentOptions()
        return replace(
            base,
            limits=replace(variant.architecture.limits, **_limits_in(spec, plan)),
            top_k=settings.web_top_k,
            references=base.references if plan.references is None else plan.references,
            citation_repair=plan.citation_repair or base.citation_repair,
            reason=holds_thoughts(settings, self.models_of(variant)),
            page_warning=settings.page_warning == "on",
            text_calls=settings.text_calls == "parse",
            vision=settings.vision,
            long_context=reach.long_context,
            form=spec.get("form", False),
        )

    def roles_of(self, variant: Variant, models: Models) -> dict[str, RoleModel]:
        """Return a model for each role of the variant; under `offline`, the stand-in that the variant declares for the role."""
        models = self.models_of(variant, models)
        found: dict[str, RoleModel] = {}
        for role in variant.roles:
            policy = stand_in(variant.played_by(role))
            if policy is None and models.name_of(role) == OFFLINE:
                raise Misuse(
                    f"variant {variant.name!r} calls the role {role!r}, which no rules play; give it a model with"
                    f" --role-models {role}=PROVIDER:MODEL, or let its `policy` name who plays it"
                )
            found[role] = models.role(role, policy)
        return found

    async def answer(
        self,
        spec: AnswerSpec,
        models: Models,
        meter: Meter,
        *,
        listener: Listener | None = None,
        on_failure: Any = None,
        replay: SavedAnswers | None = None,
        given: Given | None = None,
    ) -> AnswerRecord:
        """Return the whole record of one unit. `models` belong to the unit and report to `meter`; `given` holds texts about the person."""
        variant = self.variants[agent_in(spec)]
        with answer_span(self.spans, spec):
            record = await run_variant(
                variant,
                spec["query"],
                world=_replayed_world(self.world_of(spec), replay),
                models=self.roles_of(variant, models),
                meter=meter,
                prompts=self.prompts,
                options=self.options_of(variant, spec),
                listener=self.spans.heard_by(listener or ignore_event),
                query_id=spec["query_id"],
                on_failure=on_failure or (lambda gathered: None),
                given=given,
            )
            return self.spans.answered(record)

    async def __call__(self, given: Mapping[str, Any], context: Context) -> Outcome:
        """Do the work on one unit of a study; return its outcome. The outcome records the token limits used, which may be higher than those of the key."""
        spec = cast(AnswerSpec, given)
        variant = self.variants[agent_in(spec)]
        keyed = context.unit.key_fields["version"]
        if variant.version != keyed:
            raise DrrError(
                f"variant {variant.name!r} is now version {variant.version}, and this unit was asked of {keyed}:"
                " it was edited while the study ran; run the study again"
            )
        replay = context.replaying()
        texts_given = self.person_facts.given(setting_in(spec), spec.get("person_id"), spec["query"])
        record = await self.answer(
            spec,
            context.models,
            context.meter,
            replay=replay,
            on_failure=lambda gathered: context.keep(split_record(gathered, spec, texts_given)),
            given=texts_given,
        )
        outcome, settings = split_record(record, spec, texts_given), context.models.settings
        limits = {"max_tokens": settings.max_tokens, "retry_max_tokens": settings.raised_max_tokens}
        return Outcome({**outcome.result, **limits}, outcome.blobs)

    def check_queries(self, queries: Sequence[Query]) -> None:
        """Raise `Misuse` for questions that cannot be asked here. A person need be no shopper of the shop where no setting
        lets agents look up records."""
        self.person_facts.check(queries, str(self.plan.queries or self.plan.folder))
        if any(setting.has_records for setting in self.person_facts.settings):
            self.realm.check(queries)

    def check_roles(self) -> None:
        """Raise `Misuse` for a model that cannot be called at all, and for a role that nothing plays."""
        try:
            for variant in self.variants.values():
                self.roles_of(variant, self.models)
        except ModelSetupError as error:
            raise Misuse(str(error)) from error

    def check_same_variants(self) -> None:
        """Raise `Misuse` for a variant that is named twice, once with the model that the study has anyway."""
        found: dict[tuple[str, ...], str] = {}
        for name, variant in self.variants.items():
            models = self.models_of(variant)
            first = found.setdefault((variant.bare_name, *map(models.name_of, variant.roles)), name)
            if first != name:
                raise Misuse(f"{first} and {name} are the same variant with the same model; leave one out")

    def check_profiles(self) -> None:
        """Raise `Misuse` for agents that pass on a shopper's profile in a world without shoppers."""
        wanting = [name for name, variant in self.variants.items() if variant.has(PROFILE)]
        if wanting and self.realm.shop is None:
            raise Misuse(
                f"{', '.join(wanting)}: there are no shoppers in the world {self.plan.world!r}; leave +profile out"
            )


def workplace(answering: AnswerWork, units: Sequence[Unit]) -> JsonObject:
    """Return the data that a worker in another process needs to answer these units, except the settings."""
    plan = answering.plan
    own = {
        "study": plan.folder.absolute(),
        "persons": answering.person_facts.kept_in(plan.folder),
        "contexts": None if plan.contexts is None else plan.contexts.absolute(),
        **{name: whole_path(getattr(plan, name)) for name in ("shop", "place")},
    }
    return {"plan": plan.model_copy(update=own).model_dump(mode="json"), "probes": probe_per_system(units)}


def _stressed_world(world: World, spec: AnswerSpec) -> World:
    if "stress" not in spec:
        return world
    from drr.env.overlay import changed_world

    return changed_world(world, spec["stress"])


def _replayed_world(world: World, replay: SavedAnswers | None) -> World:
    """Return the world with the live web results of a stopped unit replayed; any other web repeats itself anyway."""
    if replay is None or not isinstance(world, ShopWorld) or world.web.content_hash is not None:
        return world
    return replace(world, web=ReplayedWeb(world.web, replay))
