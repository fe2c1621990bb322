"""The shop as an environment to train in: episodes, their rewards, and proof that no trick earns them."""
