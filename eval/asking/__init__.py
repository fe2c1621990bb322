"""The messages to a judge, and the answers that it must give."""
