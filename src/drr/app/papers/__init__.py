"""The papers that this project reproduces: their printed figures, and the commands that make figures to compare."""
