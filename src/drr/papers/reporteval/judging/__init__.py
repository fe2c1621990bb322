"""The ReportEval judging of single reports: five grades, and repetition between passages."""
