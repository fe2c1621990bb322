"""The viewer's pages of tasks with files: question, files, corpus and truth. They are for the owner of the tasks alone."""
