"""A judge over the wire that reads reports twice, as a test has it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.eval.nursery import message, sections_of
from tests.wire import Reply, Request, Say

Verdict = Mapping[str, Any]


def false(words: str, why: str = "the record says otherwise", *sums: str, instead: str = "") -> Verdict:
    return {"verdict": "false", "words": words, "working": why, "lookups": list(sums), "instead": instead}


class Proofreader:
    """`says` tells of a statement what is wrong with it; `weighs` of a charge whether it stands."""

    def __init__(
        self,
        says: Callable[[str], Verdict | None] = lambda text: None,
        weighs: Callable[[str], str] = lambda charge: "wrong",
        *,
        leaves_out: Callable[[str, int], bool] = lambda text, time: False,
    ) -> None:
        self.says, self.weighs, self.leaves_out = says, weighs, leaves_out
        self.read: list[str] = []
        self.weighed: list[str] = []
        self.shown: list[str] = []

    def __call__(self, request: Request) -> Reply:
        self.shown.append(message(request))
        if "You are the second reader" in message(request):
            return Say(json.dumps({"verdicts": list(self._weigh(message(request)))}))
        return Say(json.dumps({"verdicts": list(self._read(message(request)))}))

    def _read(self, told: str) -> Any:
        self.read.append(told)
        (lines,) = (one.text for one in sections_of(told) if one.label == "statements")
        for line in lines.split("\n"):
            name, _, text = line.partition(" | ")
            if not self.leaves_out(text, len(self.read)):
                plain = {
                    "verdict": "true", "words": "", "working": "as the record", "lookups": [], "instead": "",
                }  # fmt: skip
                yield {"id": name, **(self.says(text) or plain)}

    def _weigh(self, told: str) -> Any:
        for one in sections_of(told):
            if one.label == "charge":
                self.weighed.append(one.text)
                verdict = {"wrong": "false", "right": "true", "open": "unknown"}[self.weighs(one.text)]
                name = re.findall(r"`(\w+)`", one.intro)[0]
                yield {
                    "id": name, "working": "none", "lookups": [], "verdict": verdict, "words": "", "instead": "",
                }  # fmt: skip
