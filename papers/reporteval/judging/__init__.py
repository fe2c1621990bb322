"""ReportEval's judgements of a report by itself: five grades, and what its passages repeat of each other."""
