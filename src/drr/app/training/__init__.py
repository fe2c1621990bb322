"""The shop as a training environment for agents: episodes, rewards, and a proof that no trick earns a reward."""
