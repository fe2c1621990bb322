"""The question of a case, and the points by which its answer is checked."""
