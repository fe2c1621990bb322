"""The drawing of pages of tasks with files. The same for the server and for a folder of files, beside a study or alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drr.app.pages.frame import Frame, FramePlace
from drr.app.viewer.highlight import Stretch, marked_html, marked_text
from drr.app.viewer.model import Passage, ShownEntry
from drr.app.viewer.render import study_places
from drr.app.viewer.tasks.marking import facts_marked
from drr.app.viewer.tasks.model import DocumentView, NoiseView, TaskSetView, TaskView
from drr.app.viewer.templating import templates
from drr.eval.metrics import metrics

if TYPE_CHECKING:
    from markupsafe import Markup

OWNERS = (
    "What is true of these tasks, for their owner: whoever is to answer or to judge them must not see it."
)
BESIDE = "tasks.html"
"""The index of tasks beside a study's own."""
SHOWN_CHANGES = 3
"""Of each fact, before one asks for the rest."""

FIGURES = ("dr3_ir_sc", "dr3_ir_uf", "dr3_cc", "dr3_contradicted", "dr3_search_loss", "dr3_writing_loss")
"""Of each answer, beside the task that it answers."""


class TaskPages:
    """`home` is the index of tasks: the first page, or one of its own beside a study."""

    def __init__(
        self, name: str, *, served: bool, home: str = "index.html", report: str | None = None
    ) -> None:
        self.home = home
        alone = [FramePlace("tasks", home, "Tasks")]
        places = alone if home == "index.html" else study_places(with_tasks=True, report=report)
        self._common = {
            **Frame(name, served, places).values("tasks"),
            "live": False,
            "home": home,
            "banner": OWNERS,
        }

    def _draw(self, template: str, root: str, **values: Any) -> str:
        return templates().get_template(template).render(root=root, **self._common, **values)

    def index(self, tasks: TaskSetView) -> str:
        return self._draw("tasks.html", "", tasks=tasks)

    def task(self, task: TaskView, answers: Sequence[ShownEntry] = ()) -> str:
        """`answers` are those of the study that these pages stand beside."""
        sizes = [size.name for size in task.sizes]
        found = sorted(answers, key=lambda one: (one.variant, _place(sizes, one.size), one.trial))
        shown = [metrics()[name] for name in FIGURES if any(name in one.scores for one in found)]
        return self._draw(
            "task.html",
            "../",
            t=task,
            answers=found,
            figures=shown,
            other_words=any(
                " ".join(one.query.split()) != " ".join(task.entry.query.split()) for one in found
            ),
            facts_marked=facts_marked,
            marked=_marked,
            shown_changes=SHOWN_CHANGES,
            named={one.id: one for one in task.truth.facts},
        )

    def document(self, document: DocumentView) -> str:
        return self._draw("document.html", "../", d=document, html=_read, marked=_marked)

    def noise(self, noise: NoiseView) -> str:
        return self._draw("noise.html", "../", n=noise, html=_read)


def _place(sizes: Sequence[str], size: str | None) -> int:
    return sizes.index(size) if size in sizes else len(sizes)


def _marked(passage: Passage) -> Markup:
    from markupsafe import Markup

    return Markup(marked_text(passage.text, passage.spans))


def _read(document: DocumentView) -> Markup:
    """Read as people do, with what states a fact marked."""
    from markupsafe import Markup

    kind = "none" if document.kind == "distractor" else "full"
    spans = [Stretch(one.start, one.end, one.fact, kind) for one in document.spans]
    return Markup(marked_html(document.text, spans))
