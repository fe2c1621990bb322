"""DR3-Eval (paper 003): tasks with files, their worlds of frozen pages, and reports held against truth known by construction."""
