"""The rules that play the agents and the summariser."""
