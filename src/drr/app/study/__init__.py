"""Studies of answers: request, run and state."""
