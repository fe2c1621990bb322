"""An address for each role: who is asked where, and with whose key."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from drr.app.models.setup import models_of
from drr.env.embedding import embedder_of
from drr.env.errors import Misuse
from drr.env.settings import Settings, StudyChoices, resolve
from drr.env.trust import config_folder
from drr.llm.failures import ModelSetupError
from langchain_core.messages import HumanMessage

from tests.agents.garden import ANNA, QUESTION, write_box
from tests.commands import Drr
from tests.small_models import SmallModel
from tests.wire import Say, Wire, looked

KEY, GUEST = "sk-planted-000000000000", "sk-guest-000000000000"
OWN, AWAY = "https://api.openai.com/v1", "https://models.example/v1"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def own_file(text: str) -> None:
    folder = config_folder()
    assert folder is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text(text)


async def test_each_role_is_asked_at_its_own_address_with_the_key_of_that_host() -> None:
    with ExitStack() as stack:
        base, judge, writer = (stack.enter_context(Wire(lambda request: Say("yes"))) for _ in range(3))
        own_file(
            f'model = "openai:small"\nbase_url = "{base.url}/v1"\nmodel_summariser = "anthropic:claude-haiku-4-5"\n'
            f'[roles.judge]\nmodel = "openai:large"\nbase_url = "{judge.url}/v1"\napi_key = "{GUEST}"\n'
            f'[roles.query_writer]\nbase_url = "{writer.url}/v1"\n[roles.critic]\nmodel = "openai:critic"\n'
        )
        models = models_of(resolve().settings)
        for role in ("agent", "critic", "judge", "claim_extractor", "query_writer"):
            await models.role(role).reply([HumanMessage(role)])
        await models.aclose()
    wires = (base, judge, writer)
    asked = [[request.body["messages"][-1]["content"] for request in wire.requests] for wire in wires]
    assert asked == [["agent", "critic"], ["judge", "claim_extractor"], ["query_writer"]]
    assert {request.body["model"] for request in judge.requests} == {"large"}
    keys = [{request.headers["authorization"] for request in wire.requests} for wire in wires]
    assert keys == [{f"Bearer {KEY}"}, {f"Bearer {GUEST}"}, {"Bearer not-needed"}]
    assert models.settings.servers["anthropic"].base_url is None  # where the summariser's provider is
    assert models.redact(f"{GUEST} and {KEY}") == "[hidden] and [hidden]"


def test_the_key_of_a_provider_that_is_asked_itself_goes_nowhere_else() -> None:
    local = {"model": "openai:small", "base_url": "http://127.0.0.1:9/v1"}
    assert models_of(resolve(local).settings).settings.keys["openai"] is not None
    models = models_of(resolve({**local, "base_url_judge": OWN, "model_judge": "openai:gpt-5"}).settings)
    assert models.settings.keys["openai"] is None and models.settings.servers["judge"].keys["openai"]
    models.check(["agent", "judge"])
    models = models_of(resolve({**local, "base_url": OWN, "base_url_judge": AWAY}).settings)
    with pytest.raises(ModelSetupError, match=r"api\.openai\.com only, DRR_ROLE_KEYS=judge=KEY"):
        models.check(["judge"])
    with pytest.raises(Misuse, match=r"api\.openai\.com only, DRR_ROLE_KEYS=embedder=KEY"):
        own = {"model": "openai:a", "model_embedder": "openai:e", "openai_api_key": KEY}
        embedder_of(Settings(**own, base_url_embedder=AWAY))


def test_an_address_that_a_stranger_names_for_a_role_gets_no_key_and_is_not_asked() -> None:
    theirs = StudyChoices(Path("nowhere"), {"base_url_judge": AWAY, "model": "openai:small"})
    keys = {"OPENAI_API_KEY": KEY, "DRR_ROLE_KEYS": f"judge={GUEST}"}
    settings = resolve({}, study=theirs, environ=keys).settings
    server = models_of(settings).settings.servers["judge"]
    assert set(server.keys.values()) == {None} and "--base-url-judge" in (server.refused or "")
    with pytest.raises(Misuse, match="hold role_keys"):
        resolve({}, study=StudyChoices(Path("nowhere"), {"role_keys": {"judge": GUEST}}))


def test_settings_show_whose_key_there_is_and_not_the_key(drr: Drr) -> None:
    judge = f'[roles.judge]\nmodel = "openai:large"\napi_key = "{GUEST}"\n'
    own_file(f'{judge}[roles.critic]\nmodel = "offline"\n')
    shown = drr.json("env", "settings")
    told = [shown[name]["value"] for name in ("role_keys", "role_models")]
    assert told == ["judge=********", "critic=offline"]


def test_an_address_given_with_a_roles_model_is_that_roles() -> None:
    own_file(f'model = "openai:small"\nbase_url = "{AWAY}"\n')
    given = {"model_judge": "anthropic:claude-haiku-4-5", "base_url": "http://127.0.0.1:9"}
    settings = resolve(given).settings
    assert str(settings.base_url_judge) == "http://127.0.0.1:9" and settings.base_url_agent is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("roles = 5", "not tables"),
        ("[roles]\njudge = 5", "not tables"),
        ("[roles.judge]\ncolour = 5", "colour: no setting"),
        (f'[roles.critic]\nbase_url = "{AWAY}"', "base_url: no setting"),
        ("[roles.judge]\nmodel = 5", "model_judge"),
    ],
)
def test_a_table_that_says_nothing_is_misuse(text: str, told: str) -> None:
    own_file(text)
    with pytest.raises(Misuse, match=told):
        resolve()


def test_a_study_goes_on_with_other_addresses_without_a_call(drr: Drr, tmp_path: Path) -> None:
    write_box(tmp_path, {"id": "q-1", "query": QUESTION, "user_id": ANNA})
    run = ("run", "study", "--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "sandbox", "--quiet",
           "--variants", "react", "--model", "openai:small")  # fmt: skip
    with Wire(lambda request: looked(request, "# Report\n\n1 + 1 is 2.\n")) as first:
        assert drr(*run, "--base-url", f"{first.url}/v1")[0] == 0
        asked = len(first.requests)
    with Wire(SmallModel("prose")) as second:
        assert drr(*run, "--base-url-agent", f"{second.url}/v1")[0] == 0
        assert not second.requests
        judge = ("judge", "study", "--what", "faithfulness", "--judge", "openai:large", "--quiet")
        drr(*judge, "--base-url-judge", f"{second.url}/v1")
        assert {request.body["model"] for request in second.requests} == {"large"}
    assert asked == len(first.requests) > 0
