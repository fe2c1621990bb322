"""`python -m tests.versions`: security, crash and determinism tests with other Pythons of this machine, and as an ordinary user.

`python -m tests.versions covered` runs the tests of `make test-coverage` with the Python that counts lines at the least cost.
What the machine lacks is skipped and said in a sentence. Each Python has an environment `.venv-VERSION` with the locked packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from pwd import getpwnam
from shutil import which

VERSIONS = ("3.13", "3.14")
"""Beside the own one and 3.12, with which all tests are counted (`covered`)."""
TESTS = (
    "tests/security", "tests/agents/commands",
    "tests/study/test_kills.py", "tests/app/test_interrupted.py", "tests/eval/test_kept_answers.py",
    "tests/sample/test_sample.py", "tests/persons/test_context.py", "tests/drawer", "tests/agents/test_replay.py",
)  # fmt: skip
_PYTEST = (
    "-m", "pytest", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider", "-m", "not endurance and not wheel", *TESTS,
)  # fmt: skip
_COVERED = (
    "-m", "pytest", "-n", "3", "--dist", "loadfile", "-p", "pytest_cov", "--cov", "--cov-report=term", "-m",
    "not servers and not browser and not wheel and not ray and not doors and not model and not endurance",
)  # fmt: skip
_COUNTING = "3.12"
"""The first Python that tells a counter of a line once (`sys.monitoring`): half the time of one that is called at each."""
_TELLS = "import sys; print('%d.%d' % sys.version_info[:2])"
NOBODY = "nobody"
AXES = (
    "products = 200\nusers = 80\nreviews = 2600\nkinds = 14\npages = 12\nquestions = 10\ncurriculum = true\n"
)


def _version(python: str, user: str | None = None) -> str | None:
    """What it says of itself; `None` where this user cannot start it."""
    try:
        told = subprocess.run(
            [python, "-c", _TELLS], capture_output=True, text=True, user=user, cwd="/", timeout=60
        )
    except OSError:
        return None
    return told.stdout.strip() if told.returncode == 0 else None


def interpreter(version: str) -> str | None:
    kept = Path.home() / ".pyenv" / "versions"
    found = [which(f"python{version}"), *map(str, sorted(kept.glob(f"{version}.*/bin/python"), reverse=True))]
    return next((python for python in found if python and _version(python) == version), None)


def environment(version: str, python: str) -> Path:
    """Return its Python; made once, and anew where the lock has changed."""
    own, lock = Path(f".venv-{version}"), Path("requirements.lock")
    stamp, made = own / ".stamp", own / "bin" / "python"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        pip = [str(made), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([python, "-m", "venv", str(own)], check=True)
        subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(lock)], check=True)
        subprocess.run([*pip, "--no-build-isolation", "-e", "."], check=True)
        stamp.touch()
    return made


def fresh_shop(python: str) -> str:
    """Make a fresh shop, and return the hashes of its products, web and questions."""
    with tempfile.TemporaryDirectory() as place:
        axes, folder = Path(place, "axes.toml"), Path(place, "made")
        axes.write_text(AXES)
        make = ("shop", "make", "--seed", "5", "--axes", str(axes), "--out", str(folder), "--quiet")
        subprocess.run([python, "-m", "drr.app.cli", *make], check=True)
        return (folder / "made.json").read_text()


def as_ordinary_user(packages: str) -> int | None:
    """Run the tests as `nobody`, with a Python that it may start and the packages that are installed here; `None`: it has none."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = (which(f"python{here}"), sys.executable, f"/usr/bin/python{here}", f"/usr/local/bin/python{here}")
    python = next((one for one in found if one and _version(one, NOBODY) == here), None)
    if python is None or subprocess.run(["ls", "tests"], user=NOBODY, capture_output=True).returncode:
        return None
    with tempfile.TemporaryDirectory(prefix="drr-ordinary-") as place:
        user = getpwnam(NOBODY)
        os.chown(place, user.pw_uid, user.pw_gid)
        environ = {
            "PATH": f"{place}/env/bin:/usr/local/bin:/usr/bin:/bin", "HOME": place, "TMPDIR": place, "LANG": "C.UTF-8",
            "PYTHONPYCACHEPREFIX": f"{place}/compiled", "HYPOTHESIS_STORAGE_DIRECTORY": f"{place}/hypothesis",
        }  # fmt: skip

        def run(*words: str) -> int:
            return subprocess.run(
                words, user=NOBODY, group=user.pw_gid, extra_groups=(), env=environ
            ).returncode

        run(python, "-m", "venv", "--without-pip", f"{place}/env")
        (within,) = Path(place).glob("env/lib/python3.*/site-packages")
        (within / "beside.pth").write_text(f"import site; site.addsitedir({packages!r})\n", encoding="utf-8")
        command = Path(place, "env", "bin", "drr")
        command.write_text(
            f"#!{place}/env/bin/python\nfrom drr.app.cli import main\nraise SystemExit(main())\n"
        )
        command.chmod(0o755)
        return run(f"{place}/env/bin/python", *_PYTEST)


def covered() -> int:
    """Run the tests of `make test-coverage`; a machine without the Python that counts fast takes its own."""
    python = interpreter(_COUNTING)
    if python is None:
        print(f"== no Python {_COUNTING} here: the own one counts, in twice the time", flush=True)
        return subprocess.run([sys.executable, *_COVERED]).returncode
    own = str(environment(_COUNTING, python).absolute())
    return subprocess.run([own, *_COVERED], env={**os.environ, "COVERAGE_CORE": "sysmon"}).returncode


def main(words: list[str]) -> int:
    if words == ["covered"]:
        return covered()
    failed = []
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            print(
                f"== Python {version}: skipped, this machine has none (`pyenv install {version}`)", flush=True
            )
            continue
        print(f"== Python {version}: {python}", flush=True)
        own = str(environment(version, python))
        if subprocess.run([own, *_PYTEST]).returncode:
            failed.append(version)
        if fresh_shop(own) != fresh_shop(sys.executable):
            failed.append(f"the bytes of a fresh shop on {version}")
    if os.geteuid() == 0:
        packages = next(path for path in sys.path if path.endswith("site-packages"))
        code = as_ordinary_user(packages)
        if code is None:
            print(
                f"== an ordinary user: skipped, {NOBODY} may start no Python here or not read this folder",
                flush=True,
            )
        elif code:
            failed.append("an ordinary user")
    else:
        print("== an ordinary user: these were run by one", flush=True)
    print(f"== failed: {', '.join(failed)}" if failed else "== none failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
