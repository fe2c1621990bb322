"""The pages of tasks with files. Question, files, corpus, and what is true of them, for the owner of the tasks alone."""
