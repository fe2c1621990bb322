"""Studies of answers: what is asked, the run, its state."""
