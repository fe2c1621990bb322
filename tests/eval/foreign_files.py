"""Files in the forms of other benchmarks, written here: their fields, none of their texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WISHES = {
    1: "Which feeder suits a balcony?",
    2: "阳台上适合用哪种喂鸟器？",
    3: "Wie reinige ich ein Futterhaus?",
}
LANGUAGES = {1: "en", 2: "zh", 3: "de"}


def lines(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def document(path: Path, row: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(row, indent=1), encoding="utf-8")
    return path


def report(system: str, number: int) -> str:
    return f"# {WISHES[number]}\n\n{system} says: take the cedar one.\r\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def page(*results: str, error: str | None = None) -> dict[str, Any]:
    verdicts = [{"idx": n, "result": one} for n, one in enumerate(results)]
    return {"facts": ["f"] * len(results), "validate_res": verdicts, "validate_error": error}


def drb(root: Path) -> Path:
    """Two systems, three prompts in three languages; RACE and FACT of the first."""
    prompts = [
        {"id": n, "topic": "Home", "language": LANGUAGES[n], "prompt": wish} for n, wish in WISHES.items()
    ]
    lines(root / "query.jsonl", *prompts)
    for system in ("alpha", "beta"):
        rows = [{"id": n, "prompt": wish, "article": report(system, n)} for n, wish in WISHES.items()]
        lines(root / f"raw_data/{system}.jsonl", *rows)
    sides = dict.fromkeys(("comprehensiveness", "insight", "instruction_following", "readability"), 0.5)
    race = [{"id": n, "prompt": WISHES[n], **sides, "overall_score": 0.25 * n} for n in (1, 2)]
    lines(
        root / "race/alpha/raw_results.jsonl",
        *race,
        {"id": 3, "prompt": WISHES[3], "error": "Failed after 10 retries"},
    )
    fact = [
        {
            "id": 1,
            "prompt": WISHES[1],
            "article": "kept elsewhere",
            "citations": [{"fact": "f", "ref_idx": "1", "url": "https://a.example"}],
            "citations_deduped": {
                "https://a.example": page("supported", "supported", "unknown"),
                "__proto__": page("unsupported"),
                "https://b.example": page("supported", error="timeout"),
            },
        },
        {
            "id": 2,
            "prompt": WISHES[2],
            "citations": [{}],
            "citations_deduped": {"u": page("unsupported")},
        },
        {"id": 3, "prompt": WISHES[3], "citations": [], "citations_deduped": {}},
    ]
    lines(root / "fact/alpha/validated.jsonl", *fact)
    return root


def pdr(root: Path) -> Path:
    """One task, two persons, in two languages with the same ids."""
    for language, wish in (("en", WISHES[1]), ("zh", WISHES[2])):
        pairs = [
            {"id": n, "domain": "Home", "language": language, "taskid": 7, "userid": user}
            for n, user in ((1, "ada"), (2, "bo"))
        ]
        lines(root / f"queries_{language}.jsonl", *({**pair, "task": wish} for pair in pairs))
        lines(
            root / f"raw_data_{language}/alpha.jsonl",
            *({**pair, "article": f"# Alpha for {pair['userid']} ({language})\n"} for pair in pairs),
        )
        p = dict.fromkeys(("goal_alignment", "content_alignment", "presentation_fit"), 5.0)
        lines(
            root / f"personalization_{language}/alpha/personalization_results.jsonl",
            *(
                {**pair, **p, "actionability_practicality": 4, "p_overall_score": 4.5 + n, "details": {}}
                for n, pair in enumerate(pairs)
            ),
        )
        claims = {"https://a.example": page("supported", "unsupported"), "no_url": {"facts": ["x", "y"]}}
        none = {"https://b.example": page("unknown")}
        lines(
            root / f"reliability_{language}/alpha/validated.jsonl",
            {**pairs[0], "factual_claims": [{}], "factual_claims_deduped": claims},
            {**pairs[1], "factual_claims": [{}], "factual_claims_deduped": none},
        )
    return root


def dr3(root: Path) -> Path:
    """One model under two sizes, two tasks."""
    lines(root / "query.jsonl", {"number": "001", "query": WISHES[1]}, {"number": "002", "query": WISHES[3]})
    for size in ("32k", "128k"):
        for number in (1, 3):
            task = root / f"result/{size}/model-a/00{1 if number == 1 else 2}"
            task.mkdir(parents=True, exist_ok=True)
            (task / "final_report.md").write_text(report(size, number), encoding="utf-8")
    first = root / "result/128k/model-a/001"
    recall = {
        "components": {
            "long_context": {"available": True, "score": 40.0},
            "source_documents": {"available": False},
        }
    }
    metrics = {
        "information_recall": {
            "metric_name": "information_recall",
            "score": 40.0,
            "weight": 1.0,
            "details": recall,
        },
        "factual_accuracy": {
            "metric_name": "factual_accuracy",
            "score": -1,
            "weight": 1.0,
            "details": {"x": 1},
        },
        "new_metric": {"metric_name": "new_metric", "score": 3.0},
    }
    document(first / "combined_result.json", {"total_score": 61.5, "metrics": metrics})
    for stamp, score in (("20260101_000000", 10.0), ("20260102_000000", 70.0)):
        document(
            first / f"eval_overall_quality_{stamp}.json",
            {"metric_name": "overall_quality", "score": score, "weight": 1, "details": {}},
        )
    return root


def reporteval(root: Path) -> Path:
    rows = [{"topic": wish, "report": report("qwen", n)} for n, wish in WISHES.items()]
    lines(root / "qwen.jsonl", *rows)
    names = ("comprehensiveness", "coherence", "clarity", "insight", "overall")
    grades = {f"{name}_score": 3 for name in names}
    for number, repeated in ((1, 2.5), (2, None)):
        document(
            root / f"grades/qwen/{number}.json",
            {
                "file_id": "x",
                "topic": WISHES[number],
                "compare_list": [["a", "b", 2]],
                **grades,
                "repeat_score": repeated,
            },
        )
    labels = [
        {"url": "https://a.example", "context": "c", "label": {"is_factual": n, "sentence_support": "s"}}
        for n in (1, 1, 0, -1)
    ]
    lines(root / "facts/qwen.jsonl", *labels, {"url": "u", "context": "c", "label": "__ERROR__: timeout"})
    return root


MAKERS = {"drb": drb, "pdr": pdr, "dr3": dr3, "reporteval": reporteval}
