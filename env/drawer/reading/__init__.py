"""One reader for each kind of file: bytes in, plain data out. They run in a process of their own, which ends when they take too much."""
