"""The loop that aligns a judge with experts. A sealed split, versions of a prompt, what each is worth, and when to stop."""
