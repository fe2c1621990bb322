"""The same small shop, scripts and commands as those of commands as variants."""

from tests.agents.commands.conftest import box, script

__all__ = ["box", "script"]
