"""The shop as an environment to train in: episodes, their rewards, and proof that these cannot be had without an answer."""
