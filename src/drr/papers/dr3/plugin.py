"""The declaration of the DR3-Eval paper: all that it adds to the program."""

from __future__ import annotations

from drr.env.plugins import JudgingTask, Paper, Placed

_HERE = "drr.papers.dr3"
PAPER = Paper(
    name="dr3",
    title="DR3-Eval",
    needs=("openpyxl", "pypdf"),
    worlds={"files": f"{_HERE}.world:open_files"},
    kinds={"file": f"{_HERE}.folders:FileSources"},
    tasks=(
        JudgingTask("dr3", "facts", f"{_HERE}.judging.facts:FACTS_TASK"),
        JudgingTask("dr3", "insights", f"{_HERE}.judging.judge_tasks:INSIGHTS_TASK"),
        JudgingTask("dr3", "following", f"{_HERE}.judging.judge_tasks:FOLLOWING_TASK"),
        JudgingTask("dr3", "depth", f"{_HERE}.judging.judge_tasks:DEPTH_TASK"),
    ),
    besides={"dr3": ("faithfulness", "citations")},  # FA is summed from verdicts on citations
    asks={"ours": f"{_HERE}.judging.forms:OURS"},
    metrics=(
        Placed(f"{_HERE}.metrics.accuracy", after="fact"),
        Placed(f"{_HERE}.metrics.dr3", before="quality", tasks=("facts", "insights", "following", "depth")),
    ),
    documents={"dr3": f"{_HERE}.metrics:document_part"},
    judge_rules=f"{_HERE}.judging.forms:RULES",
    ruled=("depth",),
    labels=f"{_HERE}.metrics.document:labels_of",
    formats={"dr3": f"{_HERE}.foreign:DR3"},
    sums={"dr3": (f"{_HERE}.sums:Dr3Sums", "DR3-Eval's six figures and their mean")},
    architectures=f"{_HERE}.agent:ARCHITECTURES",
    graphs={"dr3": f"{_HERE}.agent.graph:graph", "sub-agent": f"{_HERE}.agent.sub_agents:graph"},
    agent_prompts=f"{_HERE}.agent",
    task_folders=f"{_HERE}.task_folders",
    agreement={"DR3-Eval": {"pearson": 0.78, "spearman": 0.73, "pairwise": 0.89}},
    examples={
        "study import": (
            "  drr study import study result/128k/gpt-4.1 --format dr3 --queries datasets_en/query.jsonl",
        )
    },
    task_actions=f"{_HERE}.task_actions",
    traces=(),
    headline="dr3_avg",
    report=f"{_HERE}.report:PARTS",
    viewer=f"{_HERE}.viewer.pages:TaskFolderPages",
    choices=f"{_HERE}.judging.choosing",
    reproduction=f"{_HERE}.reproduction",
    exhibits=_HERE,
    prompts=_HERE,
    judging_prompts=f"{_HERE}.judging",
)
