"""Blind A/B/Tie judgements by people: which pairs, who sees them how, where the labels go."""
