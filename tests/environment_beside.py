"""`python -m tests.environment_beside PLACE PACKAGE ...`: an environment with these packages, which sees those installed here too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def main(place: Path, packages: Sequence[str]) -> None:
    """Made once; whatever is installed here later is seen there at once."""
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=300)
    (own,) = place.glob("lib/python3.*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (own / "beside.pth").write_text(
        "".join(f"import site; site.addsitedir({path!r})\n" for path in here), encoding="utf-8"
    )
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True, timeout=900)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
