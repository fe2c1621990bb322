"""Papers and extras are plug-ins: nothing outside leans on one, somebody else's is found, and the rest is whole without one."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from drr import contract, plugin
from drr.env import plugins
from drr.env.installation import install
from drr.env.settings import Settings
from drr.eval.tasks.protocol import OURS

from tests import commands
from tests.sources import ROOT, SRC, modules, nodes_of, walked
from tests.tools.small_shop import ANNA, write_shop

PAPERS = sorted(path.parent.name for path in (SRC / "papers").glob("*/plugin.py"))
EXTRAS = sorted(path.parent.name for path in (SRC / "extras").glob("*/plugin.py"))
_NAME = re.compile(r"(?<![a-z])(?:pdr|pqr|dr3)(?![a-z])|reporteval|drr\.papers\.[a-z]", re.IGNORECASE)


def test_nothing_outside_names_a_paper() -> None:
    """Not in a text either."""
    files = [path for path in SRC.rglob("*") if path.suffix in (".py", ".html", ".toml", ".md")]
    outside = [path for path in files if path.relative_to(SRC).parts[0] != "papers"]
    assert [path for path in outside if _NAME.search(path.read_text("utf-8"))] == []


def test_every_paper_has_a_plug_in_and_what_it_names() -> None:
    assert sorted(paper.name for paper in plugins.papers()) == PAPERS
    assert sorted(extra.name for extra in plugins.extras()) == EXTRAS
    assert plugins.unusable_plugins() == {}
    # What is loaded late would else be missed late.
    for paper in plugins.papers():
        assert isinstance(paper, contract.Paper)
        assert [paper.judging.task(one.name).name for one in paper.judging.tasks]
        assert all(paper.figures.family(one.name).METRICS for one in paper.figures.metrics)
        assert all(paper.foreign.protocol(name) for name in paper.foreign.sums)
        assert all(load() for load in (*paper.agents.worlds.values(), *paper.agents.kinds.values()))
        assert paper.judging.asks(OURS.name)
        assert all(load() for load in paper.foreign.formats.values())
        assert not paper.pages.viewer() or (paper.folder / paper.pages.templates).is_dir()


def test_a_plug_in_names_what_it_brings_by_imports() -> None:
    """A place in a string is followed by no editor and by no reader of imports."""
    for path in (*(SRC / "papers").glob("*/plugin.py"), *(SRC / "extras").glob("*/plugin.py")):
        assert re.findall(r"""["']drr\.|["'][\w.]+:\w+["']""", path.read_text("utf-8")) == [], path


def test_what_the_app_offers_is_loaded_when_it_is_asked_for() -> None:
    """Each name is there, shown to type checkers where it is loaded from, explained, and needed by somebody."""
    text = Path(plugin.__file__).read_text("utf-8")
    nodes = [node for node in nodes_of(Path(plugin.__file__)) if isinstance(node, ast.ImportFrom)]
    shown = {alias.name: node.module for node in nodes for alias in node.names}
    assert shown.pop("TYPE_CHECKING") and shown.pop("import_module")
    assert shown == {name: f"drr.app.{place}" for name, place in plugin._PLACES.items()}
    assert len(re.findall(r'^    "\w+": "[\w.]+",  # \w.+', text, re.MULTILINE)) == len(shown)
    assert all(hasattr(plugin, name) for name in shown)
    python("import sys, drr.plugin\nassert not [name for name in sys.modules if name.startswith('drr.app')]")
    nodes_of_plugins = [
        node for room in ("papers", "extras") for _, tree in modules(room) for node in walked(tree)
    ]
    used = [
        node for node in nodes_of_plugins if isinstance(node, ast.ImportFrom) and node.module == "drr.plugin"
    ]
    assert {alias.name for node in used for alias in node.names} == {*shown}


TOY = """
from drr import contract
from drr.contract import JudgingTask, Placed


def _hello():
    from toy_paper import hello

    return hello


class Judging(contract.Judging):
    tasks = (JudgingTask("toy", "toy-criteria"), JudgingTask("toy", "toy-marks"))

    def task(self, name):
        from tests.eval.toy_tasks import CRITERIA, MARKS

        return {"toy-criteria": CRITERIA, "toy-marks": MARKS}[name]


class Figures(contract.Figures):
    metrics = (Placed("tone", before="quality"),)

    def family(self, name):
        from toy_paper import tone

        return tone


class Pages(contract.Pages):
    def viewer(self):
        from toy_paper.pages import TonePages

        return TonePages


class Commands(contract.Commands):
    def rows(self):
        from drr.plugin import CommandRow

        return [CommandRow("papers toy", _hello, "says hello")]


class Toy(contract.Paper):
    name = "toy"
    title = "Toy"
    judging = Judging()
    figures = Figures()
    pages = Pages()
    commands = Commands()


PAPER = Toy()
"""
OLD_TOY = """
from drr.env.plugins import Paper

PAPER = Paper(name="toy", title="Toy", viewer="toy_paper.pages:TonePages")
"""
HELLO = """
def build(parser):
    parser.add_argument("name")


def run(arguments):
    print(f"hello {arguments.name}")
    return 0
"""
VIEWER = """
from drr.plugin import StudyPart, part


class TonePages(StudyPart):
    def on_index(self, entries):
        return {"told": part("toy/tone.html", count=len(entries), word="<loud>")}
"""
TONE = """
from drr.eval.metrics.base import Metric

TITLES = {"tone": "Tone of voice"}
METRICS = (Metric("toy_shouts", "shouts", "Exclamation marks.", "tone", unit="marks", least=0, judged=False),)


def per_report(judged, answer):
    return {"toy_shouts": float(answer.report.count("!"))}
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A paper of somebody else, as its package lies in a folder of packages."""
    files = {"plugin": TOY, "hello": HELLO, "tone": TONE, "pages": VIEWER}
    package = tmp_path / "site" / "toy_paper"
    (package / "templates").mkdir(parents=True)
    (package / "templates" / "tone.html").write_text("{{ count }} are {{ word }}.", encoding="utf-8")
    (package / "__init__.py").touch()
    for name, text in files.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    told = tmp_path / "site" / "toy_paper-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-paper\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[drr.papers]\ntoy = toy_paper.plugin:PAPER\n")
    return tmp_path / "site"


def python(code: str, *more: str, site: Path | None = None, here: Path = ROOT) -> str:
    first = "" if site is None else f"import sys; sys.path.append({str(site)!r})\n"
    done = commands.python(first + code, *more, cwd=here)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_package_of_somebody_else_adds_its_parts(installed: Path, tmp_path: Path) -> None:
    code = (
        "from drr.eval.tasks.registry import groups, tasks\n"
        "from drr.eval.metrics import metrics, tables\n"
        "from drr.app.cli import main\n"
        "assert 'toy' in groups(), groups()\n"
        "assert list(tasks(['toy']))[-1] == 'toy-marks'\n"
        "assert [metric.name for metric in tables()['tone']] == ['toy_shouts']\n"
        "names = list(metrics())\n"
        "assert names.index('toy_shouts') < names.index('clarity')\n"
        "assert main(['papers', 'toy', 'Ada']) == 0\n"
        "assert main(['papers', '--help']) == 0\n"
    )
    printed = python(code, site=installed)
    assert printed.startswith("hello Ada\n") and "says hello" in printed
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from drr.app.viewer.reader import Reader\n"
        "from drr.app.viewer.render import StudyPages\n"
        "from drr.study.study import Study\n"
        "with Study.create(Path(sys.argv[1]), {}) as study:\n"
        "    reader = Reader(study)\n"
        "    pages = StudyPages('study', served=False, papers=reader.papers.values())\n"
        "    assert '0 are &lt;loud&gt;.' in pages.index(reader.entries(), None, 0)\n"
    )
    python(code, str(tmp_path / "study"), site=installed)


def test_a_broken_package_of_somebody_else_ends_nothing(installed: Path) -> None:
    (installed / "toy_paper" / "plugin.py").write_text("import no_such_package\n", encoding="utf-8")
    code = (
        "from drr.env import plugins\n"
        "from drr.app.cli import main\n"
        "assert 'cannot be loaded (ModuleNotFoundError' in plugins.unusable_plugins()['toy']\n"
        "assert main(['--help']) == 0\n"
    )
    assert "papers" in python(code, site=installed)


def test_a_package_of_the_old_contract_is_refused_by_name(installed: Path) -> None:
    (installed / "toy_paper" / "plugin.py").write_text(OLD_TOY, encoding="utf-8")
    code = f"import sys\nsys.path.append({str(installed)!r})\nfrom drr.app.cli import main\nsys.exit(main(sys.argv[1:]))"
    assert commands.python(code, "--help").returncode == 0
    for words in (["papers", "toy"], ["judge", "study"], ["env", "doctor"]):
        done = commands.python(code, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "drr: the paper 'toy' of toy_paper.plugin:PAPER is written for an older drr. Install its newer version, or uninstall it."
            " Its author derives it from `Paper` or `Extra` of `drr.contract` (CONTRIBUTING.md, A paper)\n"
        )


HOUSE = """
import sys

sys.path.insert(0, sys.argv[1])
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in getattr(one, "__module__", "")]
import drr

assert drr.__file__.startswith(sys.argv[1]), drr.__file__
"""
LIFE = """
import json
from drr.app.cli import main
from drr.env import plugins

assert len(plugins.papers()) == int(sys.argv[4])
assert len(plugins.extras()) == int(sys.argv[5])
shop, queries = sys.argv[2:4]
for words in (
    ["--help"],
    ["run", "study", "--shop", shop, "--queries", queries, "--variants", "react", "--quiet"],
    ["judge", "study", "--judge", "offline", "--quiet"],
    ["report", "study", "--out", "report"],
    ["study", "status", "study", "--json"],
    ["papers", "--help"],
    ["judges", "--help"],
    ["judge", "--help-all"],
    ["run", "--help-all"],
):
    assert main(words) == 0, words
assert "fp" in json.loads(open("report/metrics.json").read())["metrics"]["react"]
"""


def house(place: Path, *left_out: str) -> Path:
    """The house as it is installed, but for some folders of papers and extras."""
    own = place / "house" / "drr"
    (own / "papers").mkdir(parents=True)
    (own / "extras").mkdir()
    for path in (*SRC.iterdir(), *(SRC / "papers").iterdir(), *(SRC / "extras").iterdir()):
        name = path.relative_to(SRC).as_posix()
        if name not in ("papers", "extras", *left_out) and path.name != "__pycache__":
            (own / name).symlink_to(path)
    return own.parent


FOLDERS = [f"papers/{name}" for name in PAPERS] + [f"extras/{name}" for name in EXTRAS]


@pytest.mark.long
@pytest.mark.parametrize("left_out", FOLDERS)
def test_without_one_folder_the_rest_answers_judges_and_reports(left_out: str, tmp_path: Path) -> None:
    shop, queries = tmp_path / "shop", tmp_path / "queries.jsonl"
    write_shop(str(shop), Settings())
    queries.write_text(f'{{"query": "Which bird feeder lasts?", "user_id": "{ANNA}"}}\n')
    here = tmp_path / "here"
    here.mkdir()
    room = left_out.partition("/")[0]
    counts = [str(len(PAPERS) - (room == "papers")), str(len(EXTRAS) - (room == "extras"))]
    python(HOUSE + LIFE, str(house(tmp_path, left_out)), str(shop), str(queries), *counts, here=here)


@pytest.mark.slow
def test_without_any_paper_or_extra_the_command_line_is_there(tmp_path: Path) -> None:
    code = (
        "from drr.app.cli import main\n"
        "from drr.eval.metrics import metrics\n"
        "from drr.eval.tasks.registry import groups\n"
        "assert main(['--help']) == 0 and metrics() and 'faithfulness' in groups()\n"
        "for words in (['judge', '--help-all'], ['run', '--help-all'], ['papers', 'reproduce', '--help-all']):\n"
        "    assert main(words) == 0\n"
        "assert main(['env', 'doctor']) == 0\n"
        "for word in ('inspect:react', 'no-such'):\n"
        "    assert main(['ask', 'Which?', '--shop', 's', '--user', 'u', '--variant', word]) == 2\n"
    )
    python(HOUSE + code, str(house(tmp_path, *FOLDERS)))


@pytest.mark.slow
def test_a_package_of_a_paper_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is said before anything is paid."""
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = " ".join(metadata["dependencies"])
    for paper in plugins.papers():
        extra = " ".join(metadata["optional-dependencies"][paper.name])
        assert all(name in extra and name not in core for name in paper.needs)
    answered = ["run", "study", "--tasks", "tasks", "--variants", "react", "--quiet"]
    (tmp_path / "tasks").mkdir()
    monkeypatch.chdir(tmp_path)
    for hidden, words in (("openpyxl", answered), ("pypdf", answered)):
        code = f"import sys\nsys.modules[{hidden!r}] = None\nfrom drr.app.cli import main\nsys.exit(main(sys.argv[1:]))"
        done = commands.python(code, *words, cwd=tmp_path)
        told = f"drr: DR3-Eval needs the package {hidden}, which is not installed: {install('dr3')}\n"
        assert (done.returncode, done.stderr) == (2, told)
