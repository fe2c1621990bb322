"""The themes of a shopper's purchases: words in titles, and the label made of them with its reasons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict


class Theme(NamedTuple):
    key: str
    label: str
    about: str
    """As in "a shopper interested in ..."."""
    words: tuple[str, ...]
    """Beginnings of words in a title."""


THEMES: tuple[Theme, ...] = (
    Theme("birds", "Backyard Birder", "backyard birds", ("bird", "suet", "nyjer", "hummingbird", "nesting", "finch", "sunflower seed", "mealworm", "squirrel baffle", "binocular")),
    Theme("dogs", "Dog Owner", "dogs", ("dog", "puppy", "canine")),
    Theme("cats", "Cat Owner", "cats", ("cats", "cat tree", "cat litter", "cat water", "cat scratch", "cat window", "cat toy", "cat food", "kitten", "litter", "catnip")),
    Theme("fish", "Aquarium Keeper", "fish", ("aquarium", "fish tank", "fish food")),
    Theme("small_pets", "Small-Pet Keeper", "small animals", ("hamster", "guinea pig", "rabbit", "small animal", "chinchilla", "reptile")),
    Theme("baby", "Parent of a Young Child", "babies and toddlers", ("baby", "infant", "toddler", "stroller", "diaper", "crib", "pacifier", "nursing", "bottle warmer")),
    Theme("gardening", "Keen Gardener", "gardening", ("garden bed", "gardening", "raised bed", "planter", "seed starting", "pruning", "pruner", "compost", "watering", "hose", "fertilizer", "trellis", "soil")),
    Theme("outdoor_living", "Patio Host", "patio evenings and grilling", ("patio", "grill", "fire pit", "hammock", "solar pathway", "citronella")),
    Theme("wellness", "Holistic Wellness Enthusiast", "aromatherapy and natural health", ("essential oil", "diffuser", "herbal", "magnesium", "turmeric", "elderberry", "aromatherapy", "vitamin d", "ashwagandha", "probiotic", "epsom")),
    Theme("skincare", "Skin-Care Devotee", "skin care", ("serum", "moistur", "sunscreen", "face mask", "cleanser", "facial", "face roller", "retinol", "toner", "lip balm", "body lotion")),
    Theme("haircare", "Hair-Care Devotee", "hair care", ("hair", "scalp", "shampoo", "conditioner", "curl", "satin pillowcase", "beard")),
    Theme("nails_makeup", "Make-Up Artist", "nails and make-up", ("nail polish", "gel nail", "nail art", "nail drill", "nail lamp", "makeup", "make-up", "mascara", "eyelash", "lipstick", "cuticle", "press-on")),
    Theme("recovery", "Active Recovery Shopper", "training and recovery", ("foam roller", "massage gun", "resistance band", "yoga", "heating pad", "knee brace", "compression", "electrolyte", "protein", "kinesiology", "ice pack")),
    Theme("cooking", "Home Cook", "cooking at home", ("skillet", "dutch oven", "knife", "cutting board", "saucepan", "air fryer", "food storage", "spice", "meat thermometer", "wok", "mandoline")),
    Theme("baking", "Home Baker", "baking", ("baking", "cake pan", "cake stand", "bread", "sourdough", "banneton", "rolling pin", "cookie", "mixing bowl", "kitchen scale", "piping")),
    Theme("coffee_tea", "Coffee-and-Tea Lover", "coffee and tea", ("coffee", "espresso", "loose tea", "tea infuser", "teapot", "kettle", "french press", "milk frother", "pour over", "mug")),
    Theme("clean_home", "Clean-Home Keeper", "cleaning", ("cleaner", "cleaning", "mop", "vacuum", "detergent", "microfiber", "stain remov", "trash bag", "dishwasher clean", "dishwasher tab", "descal", "scrub brush", "paper towel")),
    Theme("home_office", "Remote Worker", "working from home", ("standing desk", "monitor arm", "desk mat", "desk lamp", "office chair", "footrest", "laptop stand", "lumbar", "headphone", "keyboard", "webcam", "shredder")),
    Theme("stationery", "Stationery Lover", "paper, pens and teaching", ("notebook", "gel pen", "fountain pen", "highlighter", "planner", "sticky note", "laminat", "dry erase", "index card", "marker", "binder", "washi")),
    Theme("workshop", "Do-It-Yourselfer", "tools and repairs", ("cordless drill", "drill bit", "screwdriver", "socket set", "wrench", "circular saw", "sander", "clamp set", "bar clamp", "tape measure", "pliers", "caulk", "multimeter", "stud finder", "shop light")),
    Theme("smart_home", "Home-Safety Planner", "lighting and home safety", ("smoke", "carbon monoxide", "motion sensor", "light bulb", "smart plug", "smart lock", "doorbell", "flashlight", "water leak", "solar pathway")),
    Theme("sleep", "Better-Sleep Seeker", "sleep", ("pillow", "weighted blanket", "sleep", "white noise", "blackout", "mattress topper", "mattress pad", "melatonin", "sheet set", "sunrise alarm")),
    Theme("allergy_air", "Clean-Air Seeker", "clean air and allergies", ("air purifier", "hepa", "humidifier", "dehumidifier", "allergen", "allergy", "nasal", "saline", "furnace filter", "mold test", "air quality")),
    Theme("senior_care", "Caregiver", "caring for an older person", ("walker", "shower chair", "grab bar", "bed rail", "pill organizer", "raised toilet", "blood pressure", "incontinence", "reacher", "cane", "hearing", "oximeter")),
    Theme("organizing", "Home Organizer", "order at home", ("organizer", "storage bin", "wall shelf", "shelving", "drawer", "hanger", "label maker", "shoe rack", "pantry", "closet", "under-bed")),
)  # fmt: skip
BY_KEY = {theme.key: theme for theme in THEMES}


class Label(BaseModel):
    """A rule-made name for a shopper and what it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    reasons: list[str]
    themes: list[str]
    """Keys of `THEMES`, strongest first; empty where the history shows none."""


_START = re.compile(r"(?<!\w)\w\w")


@cache
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """Group the phrases by their first two letters: (phrase, theme)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for theme in THEMES:
        for phrase in theme.words:
            found.setdefault(phrase[:2], []).append((phrase, theme.key))
    return found


def themes_of(title: str) -> list[str]:
    """Every theme that a product's title speaks of, in the order of `THEMES`."""
    text = title.casefold()
    phrases = _phrases()
    hit = {
        key
        for start in _START.finditer(text)
        for phrase, key in phrases.get(start[0], ())
        if text.startswith(phrase, start.start())
    }
    return [theme.key for theme in THEMES if theme.key in hit]


def shopper_label(bought: Sequence[tuple[str, str, int]]) -> Label:
    """Label a shopper from (title, category, times bought). Up to two themes with a fifth of the purchases each, else the category."""
    total = sum(times for _, _, times in bought)
    if total < 3:
        return Label(
            name="New Shopper", reasons=[f"only {total} purchase{'s' * (total != 1)} on record"], themes=[]
        )
    counts: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    for title, category, times in bought:
        categories[category.replace("_", " ")] += times
        for key in themes_of(title):
            counts[key] += times
    order = {theme.key: place for place, theme in enumerate(THEMES)}
    ranked = sorted(counts, key=lambda key: (-counts[key], order[key]))
    strong = [key for key in ranked if counts[key] >= 2 and counts[key] >= 0.2 * total][:2]
    if not strong:
        name, count = min(categories.items(), key=lambda item: (-item[1], item[0]))
        return Label(
            name="Varied Shopper",
            reasons=[f"no theme holds a fifth of {total} purchases; most are in {name} ({count})"],
            themes=ranked[:2],
        )
    return Label(
        name=" and ".join(BY_KEY[key].label for key in strong),
        reasons=[f"{counts[key]} of {total} purchases are about {BY_KEY[key].about}" for key in strong],
        themes=ranked[:3],
    )
