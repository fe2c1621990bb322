"""The same small shop, scripts and commands as those of commands as variants."""

from tests.agents.commands.conftest import box, drr, script

__all__ = ["box", "drr", "script"]
