"""Statements of a report that its shop's records contradict: found by a judge and by rules, weighed by the judge once more."""
