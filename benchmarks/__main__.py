"""`make bench`: the benchmarks that fit a coffee break, one after the other. `python -m benchmarks NAME ...` runs some."""

from __future__ import annotations

import subprocess
import sys

SHORT = ("startup", "tools", "search", "harness", "citations", "viewer")


def main(names: list[str]) -> int:
    failed = [
        name
        for name in names or SHORT
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"]).returncode
    ]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
