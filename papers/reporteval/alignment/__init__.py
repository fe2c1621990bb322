"""The alignment of a judge with experts: a sealed split of labels, versions of a prompt, the error of each."""
