"""What a text says by figures that it sets down itself: means and ranges of them, costs over a time, multiples, ranks, and which of two is the greater."""
