"""`python -m tests.rays.environment PLACE`: an environment with Ray beside links to the packages that are installed here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = "ray[client]==2.60.0"


def main(place: Path) -> None:
    """Made once; whatever is installed here later is seen there at once."""
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=300)
    (packages,) = place.glob("lib/python3.*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "beside.pth").write_text(
        "".join(f"import site; site.addsitedir({path!r})\n" for path in here), encoding="utf-8"
    )
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, PACKAGE], check=True, timeout=900)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
