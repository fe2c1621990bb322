"""ReportEval (paper 004): grades and repetition of any report, and a judge brought near to experts."""
