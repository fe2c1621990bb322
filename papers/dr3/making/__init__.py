"""Sets of tasks with files: making them, checking them, and the folders in which they lie."""
