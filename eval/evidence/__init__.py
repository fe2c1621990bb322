"""The ground of a judgement: answers, their sources, the passages of these."""
