"""The plug-in of PDR-Bench."""

from __future__ import annotations

from drr.env.plugins import JudgingTask, Paper, Placed

_HERE = "drr.papers.pdr"
PAPER = Paper(
    name="pdr",
    title="PDR-Bench",
    tasks=(
        JudgingTask("criteria", f"{_HERE}.judging.making:CRITERIA_TASK"),
        JudgingTask("pqr", f"{_HERE}.judging.scoring:SCORES_TASK"),
        JudgingTask("pqr", f"{_HERE}.judging.violations:VIOLATIONS_TASK"),
        JudgingTask("swap", f"{_HERE}.judging.swap:SWAP_TASK"),
        JudgingTask("swap", f"{_HERE}.judging.swap:ADOPTION_TASK"),
    ),
    besides={
        "pqr": ("faithfulness", "citations"),  # R is summed from verdicts on citations
        "swap": ("pqr",),  # it is held against the scores under one's own criteria
    },
    asks={"ours": f"{_HERE}.judging.forms:OURS", "paper": f"{_HERE}.judging.forms:AS_PRINTED"},
    metrics=(
        Placed(f"{_HERE}.metrics.reliability", before="fact"),
        Placed(f"{_HERE}.metrics.pqr", before="quality"),
        Placed(f"{_HERE}.metrics.swap", before="effort"),
        Placed(f"{_HERE}.metrics.attributes", before="effort"),
    ),
    documents={"settings": f"{_HERE}.metrics:document_part"},
    printed=f"{_HERE}.metrics.pqr:AS_PRINTED",
    judge_rules=f"{_HERE}.judging.rules:RULES",
    ruled=("criteria", "scores", "swap"),
    labels=f"{_HERE}.labels:labels_of",
    corrected=f"{_HERE}.labels:figures_of",
    formats={"pdr": f"{_HERE}.foreign:PdrBench"},
    sums={
        "pqr": (f"{_HERE}.sum_rows:PqrSums", "PDR-Bench's P or Q from the scores of criteria"),
        "pqr-r": (
            f"{_HERE}.sum_rows:ReliabilitySums",
            "PDR-Bench's R: factual accuracy and citation coverage",
        ),
        "swap": (
            f"{_HERE}.sum_rows:SwapSums",
            "reports under other persons' criteria: delta, CFA_min, A_min",
        ),
    },
    giving=f"{_HERE}.giving",
    commands=f"{_HERE}.commands:ROWS",
    gone={
        "memory": "a memory is named in a setting: `drr run STUDY --settings memory:recent:8k`",
        "pairs": "`drr papers tasks pairs` does it",
        "swap": "`drr judge STUDY --what swap` does it",
    },
    annotations={"criteria": f"{_HERE}.labels:scored_reports"},
    agreement={"PDR-Bench, best judge": {"pca": 0.43, "mard": 1.40}},
    leads={"pqr": ("pqr_r",)},
    examples={
        "study import": (
            "  drr study import study raw_data/my-agent.jsonl --format pdr --queries queries150_en.jsonl",
        ),
    },
    task_actions=f"{_HERE}.wish_actions",
    report=f"{_HERE}.report:PARTS",
    viewer=f"{_HERE}.viewer:PersonPages",
    choices=f"{_HERE}.judging.choices",
    reproduction=f"{_HERE}.reproduction",
    exhibits=_HERE,
    prompts=_HERE,
    judging_prompts=f"{_HERE}.judging",
)
