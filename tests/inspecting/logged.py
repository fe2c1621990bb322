"""Run by `test_logs.py` in an environment that has Inspect and our wheel: three logs of Inspect, and what a study makes of each."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from drr.app.cli import main
from inspect_ai import Epochs, Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.scorer import Score, Target, accuracy, includes, mean, scorer
from inspect_ai.solver import TaskState, generate, solver, use_tools
from inspect_ai.tool import ToolCall, tool


def _said(text: str, calls: list[ToolCall] | None = None) -> ModelOutput:
    usage = ModelUsage(input_tokens=70, input_tokens_cache_read=30, output_tokens=20, total_tokens=120)
    message = ChatMessageAssistant(content=text, tool_calls=calls)
    choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
    return ModelOutput(model="model", choices=[choice], usage=usage)


def _answers(messages: list[Any], tools: list[Any], choice: Any, config: Any) -> ModelOutput:
    """Right in two of three questions; asks its tool first where it has one."""
    question = next(message.text for message in messages if message.role == "user")
    if tools and not any(message.role == "tool" for message in messages):
        return _said("", [ToolCall(id="call-1", function="add", arguments={"x": 1, "y": 1})])
    return _said("I do not know." if "hard" in question else f"The answer to {question} is 2.")


@tool
def add() -> Any:
    async def execute(x: int, y: int) -> str:
        """Add two numbers.

        Args:
            x: The first.
            y: The second.
        """
        return str(x + y)

    return execute


@scorer(metrics=[mean()])
def graded() -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"shape": 0.25 * (1 + state.epoch), "length": 2.5}, answer=state.output.completion)

    return score


@scorer(metrics=[accuracy()])
def partly() -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value="P" if "hard" in state.input_text else "C")

    return score


@solver
def failing() -> Any:
    async def solve(state: TaskState, generate: Any) -> TaskState:
        if "hard" in state.input_text:
            raise RuntimeError("the solver broke")
        return await generate(state)

    return solve


DATA = [Sample(id=n, input=text, target="2") for n, text in enumerate(("1 + 1?", "3 - 1?", "a hard one?"), 1)]
TASKS = {
    "plain": Task(dataset=DATA, solver=[generate()], scorer=includes(), name="plain"),
    "epochs": Task(dataset=DATA, solver=[use_tools(add()), generate()], scorer=[partly(), graded()], epochs=Epochs(3), name="epochs"),
    "broken": Task(dataset=DATA, solver=[failing()], scorer=includes(), fail_on_error=False, name="broken"),
}  # fmt: skip


def _drr(*words: object) -> dict[str, Any]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main([*map(str, words), "--json"])
    return {"code": code, **json.loads(out.getvalue() or "{}")}


def _one(name: str, place: Path) -> dict[str, Any]:
    model = get_model("mockllm/model", custom_outputs=_answers)
    (log,) = evaluate(TASKS[name], model=model, log_dir=str(place / name), display="none")
    (file,) = (place / name).glob("*.eval")
    study = place / f"{name}-study"
    taken = _drr("study", "import", study, file)
    results = log.results.scores[0] if log.results else None
    figures = _drr("report", study)["metrics"]["mockllm/model"]
    theirs = {key: one.value for key, one in results.metrics.items()} if results else {}
    return {"taken": taken, "theirs": theirs, "ours": {key: row for key, row in figures.items() if row["value"] is not None}}  # fmt: skip


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _repeating() -> bytes:
    """A sample with one attachment, which is named a thousand times."""
    named = [f"attachment://{'a' * 32}"] * 1000
    return json.dumps({"attachments": {"a" * 32: "x" * (1 << 20)}, "input": named}).encode()


def run(place: Path) -> dict[str, Any]:
    found = {name: _one(name, place) for name in TASKS}
    (file,) = (place / "epochs").glob("*.eval")
    found["shape"] = _drr("study", "import", place / "shape", file, "--scorer", "graded/shape")
    found["shape-report"] = _drr("report", place / "shape")["metrics"]["mockllm/model"]
    errors = {
        "length": ("study", "import", place / "x", file, "--scorer", "graded/length"),
        "nobody": ("study", "import", place / "x", file, "--scorer", "nobody"),
    }
    alike = Task(
        dataset=[Sample(id=n, input="1 + 1?", target="2") for n in range(3)],
        solver=[generate()],
        name="alike",
    )
    evaluate(
        alike,
        model=get_model("mockllm/model", custom_outputs=_answers),
        log_dir=str(place / "alike"),
        display="none",
    )
    found["alike"] = _drr("study", "import", place / "alike-study", next((place / "alike").glob("*.eval")))
    before = _megabytes()
    for name, text in (
        ("zeros", b" " * (1 << 28)),
        ("objects", b"{}," * (1 << 19)),
        ("repeats", _repeating()),
    ):
        (place / f"{name}.eval").write_bytes(file.read_bytes())
        with ZipFile(place / f"{name}.eval", "a", ZIP_DEFLATED) as log:
            log.writestr("samples/x_epoch_1.json", text)
        errors[name] = ("study", "import", place / "x", place / f"{name}.eval")
    (place / "torn.eval").write_bytes(file.read_bytes()[:200])
    errors["torn"] = ("study", "import", place / "x", place / "torn.eval")
    for name, words in errors.items():
        with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()):
            found[name] = {"code": main([str(word) for word in words]), "said": err.getvalue()}  # type: ignore[assignment]
    found["memory"] = _megabytes() - before  # type: ignore[assignment]
    second = place / "second"
    model = get_model("mockllm/other", custom_outputs=lambda *given: _said("2"))
    evaluate(TASKS["epochs"], model=model, log_dir=str(second), display="none")
    (file,) = second.glob("*.eval")
    _drr("study", "import", place / "epochs-study", file)
    found["compared"] = _drr(
        "study", "compare", place / "epochs-study", "mockllm/model", "mockllm/other", "--full"
    )
    found["bundle"] = _drr("bundle", "make", place / "epochs-study", "--out", place / "epochs.bundle")
    found["verified"] = _drr("bundle", "verify", place / "epochs.bundle")
    found["board"] = _drr("board", place / "epochs.bundle", "--out", place / "site", "--quiet")
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(json.dumps(run(place)))
