"""The calls that a contained command may not make to the kernel. Keys, its programs, and sockets that namespaces do not contain.

Part of the launcher, so standard library only. Every failure is an `OSError` that names the step.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct

_COMMON = {"socket": 198, "socketpair": 199, "add_key": 217, "request_key": 218, "keyctl": 219, "perf_event_open": 241, "bpf": 280, "userfaultfd": 282}  # fmt: skip
_NUMBERS = {
    "x86_64": (0xC000003E, {"socket": 41, "socketpair": 53, "add_key": 248, "request_key": 249, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323}),
    "aarch64": (0xC00000B7, _COMMON),
    "riscv64": (0xC00000F3, _COMMON),
}  # fmt: skip
"""By machine: how the kernel calls it, and the numbers of its calls."""
_IO_URING = (425, 426, 427)
_FAMILIES = (1, 2, 10)
"""Unix, and both of the Internet."""
_NETLINK, _RAW, _NO_SUCH_FAMILY = 16, 3, 97
_LOAD, _IS, _FROM, _GIVE = 0x20, 0x15, 0x35, 0x06
_ALLOWED, _KILLED, _REFUSED, _NO_FAMILY = 0x7FFF0000, 0x80000000, 0x50000 | 1, 0x50000 | _NO_SUCH_FAMILY
_OTHER_NUMBERS = 1 << 30
"""From here on x86_64 has the same calls once more."""
_NO_NEW_RIGHTS, _SECCOMP, _BY_FILTER, _OWN_KEYRING = 38, 22, 2, 1


def close_doors() -> None:
    """Close the doors for this process and all that it starts. Needs no right; nothing opens them again."""
    if platform.machine() not in _NUMBERS:
        raise OSError(0, f"system calls cannot be filtered on {platform.machine()}")
    machine, numbers = _NUMBERS[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):
        libc.syscall(numbers["keyctl"], _OWN_KEYRING, None)  # where that fails there are no keys to reach
    rules = _rules(machine, numbers)
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    address = struct.pack("HP", len(rules), ctypes.addressof(program))
    libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0)
    if libc.prctl(_SECCOMP, _BY_FILTER, address, 0, 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"system calls cannot be filtered: {os.strerror(number)}")
    if libc.syscall(numbers["socket"], _NETLINK, _RAW, 0) >= 0 or ctypes.get_errno() != _NO_SUCH_FAMILY:
        raise OSError(
            0, "system calls cannot be filtered: the kernel took the filter and does not hold to it"
        )


def _rules(machine: int, numbers: dict[str, int]) -> list[tuple[int, int, int, int]]:
    """Code, steps further where it holds, steps further where not, value."""
    refused = [number for name, number in numbers.items() if not name.startswith("socket")]
    rules = [
        (_LOAD, 0, 0, 4), (_IS, 1, 0, machine), (_GIVE, 0, 0, _KILLED),
        (_LOAD, 0, 0, 0), (_FROM, 0, 1, _OTHER_NUMBERS), (_GIVE, 0, 0, _REFUSED),
    ]  # fmt: skip
    for number in (*refused, *_IO_URING):
        rules += [(_IS, 0, 1, number), (_GIVE, 0, 0, _REFUSED)]
    rules += [(_IS, 2, 0, numbers["socket"]), (_IS, 1, 0, numbers["socketpair"]), (_GIVE, 0, 0, _ALLOWED), (_LOAD, 0, 0, 16)]  # fmt: skip
    for family in _FAMILIES:
        rules += [(_IS, 0, 1, family), (_GIVE, 0, 0, _ALLOWED)]
    return [*rules, (_GIVE, 0, 0, _NO_FAMILY)]
