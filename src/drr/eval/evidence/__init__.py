"""The evidence of a judgement: answers, their sources, and the passages of sources."""
