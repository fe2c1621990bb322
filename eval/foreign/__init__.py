"""Reports and scores of other benchmarks in their own files: read, kept beside ours as what others said, written again."""
