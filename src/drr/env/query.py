"""A question by one user, and the file of questions. The format is fixed: a line with only `query` and `user_id` is enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from drr.env.checkable import Checkable
from drr.env.errors import Misuse
from drr.env.files import Id
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.env.powers import Can, Name
from drr.wording.currencies import known_code
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

SCHEMA = 1
PAIRING = ("task_id", "person_id")
"""Fields that only a query made from a task and a person has."""
_SELDOM = (*PAIRING, "size", "checkable", "service", "currency", "language")


class Constraints(BaseModel):
    """The demands of a question in figures, in the shop's currency. `None` means unknown or not asked. `drr.env.constraints` parses them."""

    model_config = ConfigDict(extra="forbid")

    total_max: FiniteFloat | None = None
    total_min: FiniteFloat | None = None
    item_max: FiniteFloat | None = None
    item_min: FiniteFloat | None = None
    month_max: FiniteFloat | None = None
    months: int | None = None
    deadline: str | None = None
    region: str | None = None
    count: int | None = None
    exclusions: list[str] = Field(default_factory=list)


class Fact(BaseModel):
    """One fact of the user's records that a query leans on."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["order", "product", "profile", "statistics"]
    id: str


class Review(BaseModel):
    model_config = ConfigDict(extra="forbid")

    status: Literal["unreviewed", "accepted", "rejected"] = "unreviewed"
    reviewer: str = "none"
    """The reviewer: `none`, `model:NAME`, or a person's name. It must always be true."""
    history: list[JsonObject] = Field(default_factory=list)


class Query(BaseModel):
    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    id: Id | Literal[""] = ""
    query: Annotated[str, Can("send")] = Field(min_length=1)
    user_id: Annotated[str, Can("name")] = Field(min_length=1)
    task_id: Id | None = None
    """Id of the task (wish) that several persons ask (`drr papers tasks pairs`)."""
    person_id: Id | None = None
    """Id of the person who asks the query, from a file of persons."""
    size: Id | None = None
    """The size of the task's frozen pages, e.g. `128k`: each size of a task with files is a query of its own."""
    mode: Literal["profile", "generic", "manual"] | None = None
    rationale: Name = None
    tools: Annotated[list[str], Can("name")] = Field(default_factory=list)
    web_need: Name = None
    intent: Name = None
    """The kind of help that the query asks for, e.g. `plan`, `compare`; as the writer named it."""
    needs: Annotated[list[str], Can("name")] = Field(default_factory=list)
    """Search words for products that the shop must sell; `drr queries check` searches for each."""
    facts_used: list[Fact] = Field(default_factory=list)
    constraints: Constraints | None = None
    profile_hash: Name = None
    shop_hash: Name = None
    model: Name = None
    prompt_hash: Name = None
    rule_written: bool | None = None
    currency: Annotated[Annotated[str, AfterValidator(known_code)] | None, Can("name")] = None
    """The code of the currency that the question states amounts in; `None` for dollars."""
    language: Name = None
    """The code of the language that the question is written in; `None` for English."""
    review: Review = Field(default_factory=Review)
    checkable: Checkable | None = None
    """The checkable answer to the question; no agent and no judge gets it."""
    service: JsonObject | None = None
    """The case of a talk with a shopper, of a study made before 0.4. It is kept as it was written; nobody plays it any more."""

    @model_validator(mode="after")
    def _default_id(self) -> Query:
        if not self.id:
            self.id = query_id(self.query, self.user_id)
        if self.service is not None:  # no form and no reward of today fits a talk
            self.checkable = None
        return self

    @model_serializer(mode="wrap")
    def _without_what_few_have(self, written: SerializerFunctionWrapHandler) -> JsonObject:
        """Serialise the query. One without task, person, size and checkable answer is written as before these fields existed."""
        row: JsonObject = written(self)
        for name in _SELDOM:
            if row.get(name, "") is None:
                del row[name]
        return row


def query_id(query: str, user_id: str) -> str:
    """Return the id of a query. Equal normalised words by the same user give the same id, whoever wrote the file."""
    # Systems whose files were written by others are then compared on the same question.
    normal = " ".join(query.split()).casefold()
    return "q-" + sha256(f"{normal}\0{user_id}".encode()).hexdigest()[:16]


def check_no_talk(queries: Iterable[Query]) -> None:
    """Raise `Misuse` for a talk with a shopper, of a study made before 0.4."""
    talk = next((query.id for query in queries if query.service is not None), None)
    if talk is not None:
        raise Misuse(
            f"question {talk}: is a talk with a shopper. Talks were given up, last at v0.3.0; their studies can be read, and nothing more"
        )


def read_queries(path: Path) -> list[Query]:
    """Read all queries of a JSONL file. An error names the number of a broken line, and no line is skipped."""
    return list(_parse(path))


def _parse(path: Path) -> Iterator[Query]:
    seen: dict[str, int] = {}
    for number, query in rows_of(path, Query, "queries", SCHEMA, "{'query': ..., 'user_id': ...}"):
        where = f"{path}, line {number}"
        if not query.query.strip() or not query.user_id.strip():
            raise Misuse(f"{where}: `query` and `user_id` must not be blank")
        if query.id in seen:
            raise Misuse(
                f"{where}: the id {query.id} is already on line {seen[query.id]}; ids are unique in a file"
            )
        seen[query.id] = number
        yield query
