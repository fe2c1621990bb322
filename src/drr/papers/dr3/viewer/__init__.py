"""The viewer's pages of tasks with files, for the owner of the tasks alone: question, files, corpus and truth."""
