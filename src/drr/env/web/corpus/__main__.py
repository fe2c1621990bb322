"""`python -m drr.env.web.corpus`: write the shipped sandbox again from facts and pages."""

from __future__ import annotations

import sys

from drr.env.web.corpus.generate import FOLDER, write

if __name__ == "__main__":
    manifest = write(FOLDER)
    sys.stdout.write(f"{FOLDER}: {manifest['documents']} documents {manifest['kinds']}\n")
