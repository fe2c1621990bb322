"""The pages of tasks with files: what is asked, the files, the corpus, and what is true of them, for the owner of the tasks alone."""
