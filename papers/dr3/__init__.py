"""Tasks with files: a drawer of a shopper's files, frozen pages in nested sizes, a question, and the truth of all three."""
