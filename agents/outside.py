"""The surroundings of a run besides its graph, when its agent is a program of somebody else."""

from __future__ import annotations

from dataclasses import dataclass

from drr.llm.meter import Meter


@dataclass
class OutsideAgent:
    query_id: str | None = None
    """As the program is told it."""
    own: str | None = None
    """Of one that may do without our models: what is said of its model where it called none of ours."""
    stderr: str | None = None
    """The end of what it wrote beside its report."""

    def plays(self, role: str, meter: Meter) -> bool:
        """Tell whether it played this role without a model of ours."""
        used = meter.by_role.get(role)
        return self.own is not None and (used is None or not used.calls)
