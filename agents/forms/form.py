"""The form in which a model gives a report. What to say on which passages, which products, how many of each."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field


class SaidSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(
        description="One sentence of plain text; titles and figures of products as placeholders"
    )
    passages: list[int] = Field(
        description="Numbers of the passages that state it; empty for your own judgement"
    )


class ComparedProduct(BaseModel):
    model_config = ConfigDict(extra="forbid")

    product_id: str = Field(description="Id of a product that the passages show")
    note: str = Field(description="What tells it apart, in a few words")


class ReportSection(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="A few words without figures")
    sentences: list[SaidSentence]
    products: list[ComparedProduct] = Field(
        description="Rows of a table that compares products; may be empty"
    )


class PlanLine(BaseModel):
    model_config = ConfigDict(extra="forbid")

    product_id: str = Field(description="Id of a product that the passages show")
    quantity: int = Field(description="How many to buy, 1 or more")


class ReportForm(BaseModel):
    model_config = ConfigDict(extra="forbid", title="Report")

    answer: list[SaidSentence] = Field(description="The short answer: what to buy or do, and why")
    sections: list[ReportSection] = Field(description="Reasons, comparison, background, what stays open")
    plan: list[PlanLine] = Field(description="What to buy; prices and the total are filled in")

    def sentences(self) -> Iterator[SaidSentence]:
        yield from self.answer
        for section in self.sections:
            yield from section.sentences
