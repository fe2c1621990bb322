"""Says what a choice can do where somebody else made it, beside the choice's type.

A study, a study file and the working folder may come from anybody. `drr.app.study.trust` reads these declarations before
anything is opened. A choice of a closed form (a number, a switch, one of a few words) can do nothing and declares nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import SecretStr
from pydantic.fields import FieldInfo

Power = Literal["run", "read", "send", "pay", "name"]
"""Ability of a choice.

`run`: it names programs, which run with this user's rights.
`read`: it names files, which decide figures or are shown to models.
`send`: it decides what goes over the network, to whom, or under whose key.
`pay`: it names models, which this user's key pays.
`name`: it chooses among what is installed, or is text that is not opened, run or sent.
"""


@dataclass(frozen=True)
class Can:
    power: Power


Place = Annotated[Path | None, Can("read")]
Model = Annotated[str | None, Can("pay")]
Secret = Annotated[SecretStr | None, Can("send")]
Name = Annotated[str | None, Can("name")]


def power_of(field: FieldInfo) -> Power | None:
    """Return what a choice can do; `None` if it declares nothing."""
    return next((one.power for one in field.metadata if isinstance(one, Can)), None)
