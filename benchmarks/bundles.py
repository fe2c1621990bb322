"""Bundles: their size beside the ledger's, a thousand changed bytes, and the time that verifying takes.

python -m benchmarks.bundles --study demo/live --shop demo/shop
"""

from __future__ import annotations

import argparse
import io
import lzma
import random
import resource
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from drr.app.bundles.builder import BundleConfig, write_bundle
from drr.app.bundles.verifier import VerifyTerms, verify

from benchmarks.results import record


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks bundles", description=__doc__)
    parser.add_argument("--study", type=Path, required=True)
    parser.add_argument("--shop")
    parser.add_argument("--changes", type=int, default=1000)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        bundle = Path(place, "bundle")
        made = write_bundle(BundleConfig(study=given.study, out=bundle, shop=given.shop))
        ledger = _compressed(given.study)
        verified = _verified(bundle, given.shop)
        found = _changes_found(bundle, given.changes)
    record(
        "Bundles",
        f"{made.size:,} bytes, {made.size / ledger:.2f} of the study's folder under xz; {verified}. Of {given.changes:,} bundles with one "
        f"changed bit {found:,} were refused.",
    )


def _compressed(study: Path) -> int:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        archive.add(study, "study")
    return len(lzma.compress(whole.getvalue()))


def _verified(bundle: Path, shop: str | None) -> str:
    began, cpu = time.perf_counter(), time.process_time()
    found = verify(bundle, VerifyTerms(shop=shop))
    took = time.perf_counter() - began, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answers = found.checked["answers"]
    return f"{answers:,} answers verified in {took[0]:.1f} s ({took[1]:.1f} s of a core), {memory:,.0f} MiB at most, {len(found.failed)} failed"


def _changes_found(bundle: Path, count: int) -> int:
    """Change one bit of one byte, each time another."""
    content, chance = bundle.read_bytes(), random.Random(55)
    changed = bundle.with_name("changed")
    found = 0
    for place in chance.sample(range(len(content)), count):
        other = bytearray(content)
        other[place] ^= 1 << chance.randrange(8)
        changed.write_bytes(other)
        found += bool(verify(changed, VerifyTerms()).failed)
    return found


if __name__ == "__main__":
    main()
