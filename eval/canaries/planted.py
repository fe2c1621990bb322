"""Claims with a page each: such as the page states, and the same with one error planted. No judge may call those wholly supported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from drr.eval.labels import SupportLabel

WEB = {
    "https://extension.example/backyard/birds": "A survey of 412 gardens found that 63 species visit feeders in winter. Feeders should hang 5 to 10 feet from shrubs. The author writes that clean water matters more than rare seed.",
    "https://homehealth.example/air": "Rooms of 180 square feet need a unit rated for at least 120 cubic feet a minute. Filters last 6 months in homes without smokers. Our tester noted that noise at night decides which unit people keep.",
    "https://petguide.example/ramps": "A ramp for a dog of 70 pounds should rise no more than 18 degrees. In a trial with 54 dogs, 81 % used a carpeted ramp within a week. Trainers say that patience beats treats in the first three days.",
    "https://toolbench.example/sockets": "A 72-tooth ratchet needs 5 degrees of swing. Mechanics in a poll of 230 shops replaced a set every 8 years. They agree that six points grip a worn bolt better.",
    "https://skinlab.example/serums": "In a 12-week study of 96 adults, moisture rose by 22 % with daily use. Dermatologists advise that a patch test comes before the first use.",
    "https://pantry.example/storage": "Wire shelves fixed to studs carry 100 pounds each. A pantry of 24 square feet needs 4 shelves. Organisers say that labels save more time than boxes.",
}
"""By address; benches of reports cite the same."""
BIRDS, AIR, RAMPS, SOCKETS, SERUMS, PANTRY = WEB


class PlantedClaim(NamedTuple):
    id: str
    kind: str
    """`stated`, or what was planted."""
    url: str
    claim: str

    @property
    def is_true(self) -> bool:
        return self.kind == "stated"

    @property
    def label(self) -> SupportLabel:
        """The label that a judge is to give it, at most and at least."""
        verdict = "full" if self.is_true else "none"
        return SupportLabel.model_validate(
            {
                "id": self.id,
                "judge": "planted",
                "claim": self.claim,
                "evidence": WEB[self.url],
                "label": verdict,
            }
        )


_SET: dict[str, list[tuple[str, dict[str, str]]]] = {
    BIRDS: [
        (
            "63 species visit feeders in winter, a survey of 412 gardens found.",
            {
                "number": "36 species visit feeders in winter, a survey of 412 gardens found.",
                "season": "63 species visit feeders in summer, a survey of 412 gardens found.",
                "invented": "63 species visit feeders in winter, a survey by the state university found, and cats are the main danger.",
            },
        ),
        (
            "Feeders should hang 5 to 10 feet from shrubs.",
            {
                "unit": "Feeders should hang 5 to 10 yards from shrubs.",
                "other thing": "Bird baths should hang 5 to 10 feet from shrubs.",
            },
        ),
        (
            "Clean water matters more than rare seed, the author writes.",
            {"turned round": "Rare seed matters more than clean water, the author writes."},
        ),
    ],
    AIR: [
        (
            "A room of 180 square feet needs a unit rated for at least 120 cubic feet a minute.",
            {
                "number": "A room of 180 square feet needs a unit rated for at least 210 cubic feet a minute.",
                "limit": "A room of 180 square feet needs a unit rated for at most 120 cubic feet a minute.",
            },
        ),
        (
            "Filters last 6 months in homes without smokers.",
            {
                "condition": "Filters last 6 months in homes with smokers.",
                "scope": "Filters last 6 months in every home, whether people smoke there or not.",
            },
        ),
        (
            "Noise at night decides which unit people keep, their tester noted.",
            {"turned round": "Noise at night does not decide which unit people keep, their tester noted."},
        ),
    ],
    RAMPS: [
        (
            "A ramp for a dog of 70 pounds should rise no more than 18 degrees.",
            {
                "number": "A ramp for a dog of 70 pounds should rise no more than 28 degrees.",
                "limit": "A ramp for a dog of 70 pounds should rise more than 18 degrees.",
            },
        ),
        (
            "In a trial with 54 dogs, 81 % used a carpeted ramp within a week.",
            {
                "number": "In a trial with 54 dogs, 18 % used a carpeted ramp within a week.",
                "time": "In a trial with 54 dogs, 81 % used a carpeted ramp within a day.",
                "other thing": "In a trial with 54 cats, 81 % used a carpeted ramp within a week.",
            },
        ),
        (
            "Patience beats treats in the first three days, trainers say.",
            {"turned round": "Treats beat patience in the first three days, trainers say."},
        ),
    ],
    SOCKETS: [
        (
            "A 72-tooth ratchet needs 5 degrees of swing.",
            {
                "number": "A 72-tooth ratchet needs 15 degrees of swing.",
                "other thing": "A 27-tooth ratchet needs 5 degrees of swing.",
            },
        ),
        (
            "Mechanics in a poll of 230 shops replaced a set every 8 years.",
            {
                "unit": "Mechanics in a poll of 230 shops replaced a set every 8 months.",
                "invented": "Mechanics in a poll of 230 shops replaced a set every 8 years, most often because of rust.",
            },
        ),
        (
            "Six points grip a worn bolt better, mechanics agree.",
            {"turned round": "Six points grip a worn bolt worse, mechanics agree."},
        ),
    ],
    SERUMS: [
        (
            "Moisture rose by 22 % with daily use in a 12-week study of 96 adults.",
            {
                "direction": "Moisture fell by 22 % with daily use in a 12-week study of 96 adults.",
                "number": "Moisture rose by 42 % with daily use in a 12-week study of 96 adults.",
                "other thing": "Moisture rose by 22 % with daily use in a 12-week study of 96 children.",
            },
        ),
        (
            "A patch test comes before the first use, dermatologists advise.",
            {"order": "A patch test comes after the first use, dermatologists advise."},
        ),
    ],
    PANTRY: [
        (
            "Wire shelves fixed to studs carry 100 pounds each.",
            {
                "condition": "Wire shelves that are not fixed to studs carry 100 pounds each.",
                "number": "Wire shelves fixed to studs carry 250 pounds each.",
            },
        ),
        (
            "A pantry of 24 square feet needs 4 shelves.",
            {
                "number": "A pantry of 24 square feet needs 14 shelves.",
                "other thing": "A garage of 24 square feet needs 4 shelves.",
            },
        ),
        (
            "Labels save more time than boxes, organisers say.",
            {"turned round": "Boxes save more time than labels, organisers say."},
        ),
    ],
}
"""By page: what it states, in words of its own, and that with an error."""


def planted_claims() -> Iterator[PlantedClaim]:
    """Every true claim also beside a page that is about something else."""
    pages = list(WEB)
    for place, (url, facts) in enumerate(_SET.items()):
        for number, (claim, wrong) in enumerate(facts, 1):
            name = f"{place + 1}.{number}"
            yield PlantedClaim(name, "stated", url, claim)
            yield PlantedClaim(
                f"{name} other page", "other page", pages[(place + number) % len(pages)], claim
            )
            for kind, text in wrong.items():
                yield PlantedClaim(f"{name} {kind}", kind, url, text)
