"""The declaration of the ReportEval paper: all that it adds to the program."""

from __future__ import annotations

from drr.env.plugins import JudgingTask, Paper, Placed

_HERE = "drr.papers.reporteval"
PAPER = Paper(
    name="reporteval",
    title="ReportEval",
    tasks=(
        JudgingTask("reporteval", "grades", f"{_HERE}.judging.grades:GRADES_TASK"),
        JudgingTask("reporteval", "repetition", f"{_HERE}.judging.repetition:REPETITION_TASK"),
    ),
    besides={"reporteval": ("faithfulness", "citations")},  # support is summed from verdicts on citations
    asks={"ours": f"{_HERE}.judging.forms:ASKS", "paper": f"{_HERE}.judging.forms:ASKS"},
    metrics=(Placed(f"{_HERE}.support", after="fact"), Placed(f"{_HERE}.metrics", before="quality", tasks=("grades", "repetition"))),
    printed=f"{_HERE}.metrics:AS_PRINTED",
    judge_rules=f"{_HERE}.judging.rules:RULES",
    ruled=("grades", "repetition"),
    formats={"reporteval": f"{_HERE}.foreign:REPORTEVAL"},
    sums={"reporteval": (f"{_HERE}.sums:ReportEvalSums", "ReportEval's grades, repetition and support")},
    commands=f"{_HERE}.commands:ROWS",
    leads={"reporteval": ("re_support", "re_strong")},
    examples={"study import": ("  drr study import study qwen-reports.jsonl --format reporteval --system qwen",)},
    documents={"alignment": f"{_HERE}.alignment:document_part"}, traces=(), headline="re_overall",
    report=f"{_HERE}.report:PARTS", viewer=f"{_HERE}.viewer:GradePages", choices=f"{_HERE}.judging.choosing",
    reproduction=f"{_HERE}.reproduction", exhibits=_HERE, judging_prompts=f"{_HERE}.judging",
)  # fmt: skip
