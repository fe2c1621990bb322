"""The prices of calls, from a dated table that the user may replace. A model that is not in the table has no known price."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from drr.llm.failures import ModelSetupError
from drr.llm.meter import Tokens
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

_BOX = Path(__file__).with_name("prices.toml")


def _micros(value: Any) -> int:
    """Dollars per million tokens as whole millionths of a dollar: price times tokens is then whole picodollars."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise ValueError("a price is a number of dollars per million tokens, 0 or more")
    return round(value * 1_000_000)


Micros = Annotated[int, BeforeValidator(_micros)]


class Rates(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Micros
    output: Micros
    cache_read: Micros | None = None
    """Where it is not given, cached input is charged as input."""
    cache_write: Micros | None = None

    def cost(self, tokens: Tokens) -> int:
        read = self.input if self.cache_read is None else self.cache_read
        write = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, tokens.input - tokens.cache_read - tokens.cache_write)
        return (
            fresh * self.input
            + tokens.cache_read * read
            + tokens.cache_write * write
            + tokens.output * self.output
        )


class TokenPrice(Rates):
    above: int | None = Field(None, gt=0)
    long: Rates | None = None
    date: str | None = None

    def cost(self, tokens: Tokens) -> int:
        """Picodollars of one call."""
        if self.long is not None and self.above is not None and tokens.input > self.above:
            return self.long.cost(tokens)
        return super().cost(tokens)

    def at_most(self, input_tokens: int, output_tokens: int) -> int:
        """The most a call of this size can cost: nothing cached, everything written to the cache."""
        plain = self.cost(Tokens(input_tokens, output_tokens))
        written = self.cost(Tokens(input_tokens, output_tokens, cache_write=input_tokens))
        return max(plain, written)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    date: str
    models: dict[str, TokenPrice] = Field(default_factory=dict)


@dataclass(frozen=True)
class Prices:
    date: str
    models: dict[str, TokenPrice]

    def of(self, model: str) -> TokenPrice | None:
        return self.models.get(model)

    def date_of(self, model: str) -> str | None:
        price = self.of(model)
        return None if price is None else price.date or self.date


def load_prices(override: Path | None = None) -> Prices:
    """The table of the box, with the entries of `override` in place of those of the same name."""
    box = _box()
    if override is None:
        return box
    theirs = _read(override)
    dated = {
        name: price.model_copy(update={"date": price.date or theirs.date})
        for name, price in theirs.models.items()
    }
    return Prices(box.date, {**box.models, **dated})


@cache
def _box() -> Prices:
    file = _read(_BOX)
    return Prices(file.date, file.models)


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelSetupError(
            f"price file {path}: cannot be read ({error.strerror}); see llm/prices.toml for the form"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelSetupError(
            f"price file {path}: not TOML ({error}); see llm/prices.toml for the form"
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelSetupError(
            f"price file {path}: {where}: {first['msg']}; see llm/prices.toml for the form"
        ) from error
