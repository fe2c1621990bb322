"""Statements of a report that its shop's records contradict: charged by a judge, who weighs each charge once more."""
