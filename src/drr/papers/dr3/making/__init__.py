"""The making and checking of sets of tasks with files, and the folders that hold them."""
