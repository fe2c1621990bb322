"""Plans and runs the judging of a study, and reads its results."""
