"""What a judgement is held against: answers, their sources, the passages of these."""
