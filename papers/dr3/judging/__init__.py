"""DR3-Eval's judgements of a report on a task with files. Which required facts it has, what it repeats of a
distractor, what it keeps of the checklist."""
