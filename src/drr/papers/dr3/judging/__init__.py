"""The DR3-Eval judgements of a report on a task with files: facts stated, distractors repeated, checklist points met."""
