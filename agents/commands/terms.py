"""The terms on which commands run here. Whether this user trusts them, what they may see beside what they name, what they may never see."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CommandTerms:
    trusted: bool = False
    """Run as this user, with this user's files and network, where the system cannot contain a program or need not."""
    shown: tuple[Path, ...] = ()
    """Files and folders beside those that the command names."""
    hidden: tuple[Path, ...] = ()
    """The study, the shop, the web's folder, this user's settings: never seen, wherever they lie."""
