"""A judge over the wire that reads reports twice, as a test has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.eval.nursery import ScriptedJudge, message, named_sections, section_of
from tests.wire import Request

Verdict = Mapping[str, Any]


def false(words: str, why: str = "the record says otherwise", *sums: str, instead: str = "") -> Verdict:
    return {"verdict": "false", "words": words, "working": why, "lookups": list(sums), "instead": instead}


class Proofreader(ScriptedJudge):
    """`says` tells of a statement what is wrong with it; `weighs` of a charge whether it stands."""

    def __init__(
        self,
        says: Callable[[str], Verdict | None] = lambda text: None,
        weighs: Callable[[str], str] = lambda charge: "wrong",
        *,
        leaves_out: Callable[[str, int], bool] = lambda text, time: False,
    ) -> None:
        super().__init__()
        self.says, self.weighs, self.leaves_out = says, weighs, leaves_out
        self.read: list[str] = []
        self.weighed: list[str] = []

    def task(self, system: str, message: str) -> str:
        return "second" if "You are the second reader" in message else "first"

    def _first(self, request: Request) -> dict[str, Any]:
        return {"verdicts": [*self._read(request)]}

    def _second(self, request: Request) -> dict[str, Any]:
        return {"verdicts": [*self._weigh(request)]}

    def _read(self, request: Request) -> Iterator[Verdict]:
        self.read.append(message(request))
        for line in section_of(request, "statements").split("\n"):
            name, _, text = line.partition(" | ")
            if not self.leaves_out(text, len(self.read)):
                plain = {
                    "verdict": "true", "words": "", "working": "as the record", "lookups": [], "instead": "",
                }  # fmt: skip
                yield {"id": name, **(self.says(text) or plain)}

    def _weigh(self, request: Request) -> Iterator[Verdict]:
        for name, charge in named_sections(request, "charge").items():
            self.weighed.append(charge)
            verdict = {"wrong": "false", "right": "true", "open": "unknown"}[self.weighs(charge)]
            yield {
                "id": name, "working": "none", "lookups": [], "verdict": verdict, "words": "", "instead": "",
            }  # fmt: skip
