"""What a provider says that counts the calls under way, and pushes one of them back."""

from __future__ import annotations

import time

from tests.study.test_admission import said
from tests.wire import Fail, Request, Say


class Crowded:
    def __init__(self, pushed_back: int, pause_s: int) -> None:
        """Call number `pushed_back` is refused, with `pause_s` to wait."""
        self.most = 0
        self._pushed_back, self._pause_s = pushed_back, pause_s
        self._under_way: set[int] = set()
        self._refused: float | None = None
        self._after: list[float] = []

    def __call__(self, request: Request) -> Say | Fail:
        self._under_way.add(request.number)
        self.most = max(self.most, len(self._under_way))
        time.sleep(0.05)
        self._under_way.discard(request.number)
        if request.number == self._pushed_back:
            self._refused = time.monotonic()
            return Fail(429, "rate_limit_error", headers={"retry-after": str(self._pause_s)})
        if self._refused is not None:
            self._after.append(time.monotonic() - self._refused)
        return said(request)

    @property
    def in_the_pause(self) -> int:
        """Calls that were answered in it."""
        return len([pause for pause in self._after if pause < self._pause_s])
