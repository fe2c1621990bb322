"""Blind judgements (A, B or tie) by people: the plan of pairs, the pages for annotators, and the labels."""
