"""The declaration of the PDR-Bench paper: all that it adds to the program."""

from __future__ import annotations

from drr.env.plugins import JudgingTask, Paper, Placed

_HERE = "drr.papers.pdr"
_JUDGING, _METRICS = f"{_HERE}.judging", f"{_HERE}.metrics"
PAPER = Paper(
    name="pdr",
    title="PDR-Bench",
    tasks=(
        JudgingTask("criteria", "criteria", f"{_JUDGING}.making:CRITERIA_TASK"), JudgingTask("pqr", "scores", f"{_JUDGING}.scoring:SCORES_TASK"),
        JudgingTask("pqr", "violations", f"{_JUDGING}.violations:VIOLATIONS_TASK"), JudgingTask("swap", "swap", f"{_JUDGING}.swap:SWAP_TASK"),
        JudgingTask("swap", "adoption", f"{_JUDGING}.swap:ADOPTION_TASK"),
    ),
    # R is summed from verdicts on citations; the swap needs the scores under own criteria
    besides={"pqr": ("faithfulness", "citations"), "swap": ("pqr",)},
    asks={"ours": f"{_JUDGING}.forms:OURS", "paper": f"{_JUDGING}.forms:AS_PRINTED"},
    metrics=(
        Placed(f"{_METRICS}.reliability", before="fact"), Placed(f"{_METRICS}.pqr", before="quality", tasks=("scores", "violations")),
        Placed(f"{_METRICS}.swap", before="effort", tasks=("scores", "swap", "adoption")), Placed(f"{_METRICS}.attributes", before="effort"),
    ),
    documents={"settings": f"{_METRICS}:document_part"},
    printed=f"{_METRICS}.pqr:AS_PRINTED",
    judge_rules=f"{_JUDGING}.rules:RULES",
    ruled=("criteria", "scores", "swap"),
    labels=f"{_HERE}.labels:labels_of",
    corrected=f"{_HERE}.labels:figures_of",
    formats={"pdr": f"{_HERE}.foreign:PDR"},
    sums={
        "pqr": (f"{_HERE}.sum_rows:PqrSums", "PDR-Bench's P or Q from the scores of criteria"),
        "pqr-r": (f"{_HERE}.sum_rows:ReliabilitySums", "PDR-Bench's R: factual accuracy and citation coverage"),
        "swap": (f"{_HERE}.sum_rows:SwapSums", "reports under other persons' criteria: delta, CFA_min, A_min"),
    },
    person_facts=f"{_HERE}.person_settings",
    commands=f"{_HERE}.commands:ROWS",
    gone={
        "memory": "a memory is named in a setting: `drr run STUDY --settings memory:recent:8k`",
        "pairs": "`drr papers tasks pairs` does it", "swap": "`drr judge STUDY --what swap` does it",
    },
    annotations={"criteria": f"{_HERE}.labels:scored_reports"},
    agreement={"PDR-Bench, best judge": {"pca": 0.43, "mard": 1.40}},
    leads={"pqr": ("pqr_r",)},
    examples={"study import": ("  drr study import study raw_data/my-agent.jsonl --format pdr --queries queries150_en.jsonl",)},
    canaries=f"{_HERE}.canaries",
    task_actions=f"{_HERE}.wish_actions",
    traces=("contexts", "settings", "persons.jsonl", "criteria.jsonl"),
    headline="pqr_p",
    report=f"{_HERE}.report:PARTS",
    viewer=f"{_HERE}.viewer:PersonPages",
    choices=f"{_JUDGING}.choices",
    reproduction=f"{_HERE}.reproduction",
    exhibits=_HERE,
    prompts=_HERE,
    judging_prompts=_JUDGING,
)  # fmt: skip
