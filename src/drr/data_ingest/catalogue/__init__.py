"""Makes a shop of a catalogue's own files: CSV, TSV, JSONL, Parquet or XML."""
