"""The sandbox of a command on Linux: its namespaces, and the kernel calls that it may not make.

It is part of the launcher and so uses the standard library only. Users, files, processes, network, messages and host name are separate. The root holds only the
named files, read-only; a fresh folder and `/tmp` lie in memory with a limit. The network reaches only the sandbox itself. Calls for keys,
BPF programs, and sockets that namespaces do not contain are refused. Every failure is an `OSError` that names the step.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import platform
import socket
import struct

MYPY = False
if MYPY:  # `typing` costs time where the launcher starts
    from typing import TypedDict

    class LaunchOrder(TypedDict):
        """The first message to the launcher: the command, its folder, and the files to show and hide."""

        contained: bool
        program: str
        words: list[str]
        folder: str
        processes: int
        visible: list[str]
        hidden: list[str]


_NEW = {"files": 0x20000, "host name": 0x4000000, "messages": 0x8000000, "users": 0x10000000, "processes": 0x20000000, "network": 0x40000000}  # fmt: skip
_BIND, _RECURSIVE, _PRIVATE, _DETACH = 0x1000, 0x4000, 0x40000, 2
_NO_SUID, _NO_DEVICES, _NO_EXEC = 2, 4, 8
_SET_MOUNT, _HERE = 442, -100
_TREE, _READ_ONLY = 0x8000, 1
_PIVOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}
INSIDE = 1000
"""The command's user and group id inside the sandbox."""
ROOT = "/sys"
"""A folder that every Linux has and no command needs. The new root is mounted over it in the sandbox."""
FOLDER = "/agent"
_SIZE = "size=256m,nr_inodes=100k"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ACCOUNT = f"root:x:0:0:root:/root:/bin/sh\nagent:x:{INSIDE}:{INSIDE}:agent:{FOLDER}:/bin/sh\n"
_libc = ctypes.CDLL(None, use_errno=True)


def _done(result: int, step: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{step}: {os.strerror(number)}")


def enter_namespaces(processes: int) -> None:
    """Move this process into new namespaces; its children enter the new namespace of processes too."""
    user, group = os.geteuid(), os.getegid()
    flags = 0
    for flag in _NEW.values():
        flags |= flag
    _done(_libc.unshare(flags), "namespaces cannot be made")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE} {user} 1")
    _write("/proc/self/gid_map", f"{INSIDE} {group} 1")


def set_up_sandbox(order: LaunchOrder) -> None:
    """Set up the sandbox's files, devices and network, as the first process of the new namespaces."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE, None)
    _mount("tmpfs", ROOT, "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=755,{_SIZE}")
    _mount_empty_folder(f"{ROOT}{FOLDER}")
    _mount_empty_folder(f"{ROOT}/tmp")  # noqa: S108
    _look(order["visible"], order["hidden"])
    os.makedirs(f"{ROOT}/var", exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.symlink("/tmp", f"{ROOT}/var/tmp")  # noqa: S108
    _devices()
    _accounts()
    _processes(order["processes"])
    _network()
    os.chdir(ROOT)
    _pivot()
    with contextlib.suppress(OSError):
        socket.sethostname("agent")


def _mount(source: str, target: str, kind: str | None, flags: int, more: str | None) -> None:
    result = _libc.mount(os.fsencode(source), os.fsencode(target), kind and kind.encode(), flags, more and more.encode())  # fmt: skip
    _done(result, f"{target.removeprefix(ROOT) or '/'} cannot be mounted")


def _set(target: str, attributes: int, *, all_below: bool = True) -> None:
    """Set the attributes of a mount, or of the mount and all mounts below it."""
    wanted = struct.pack("QQQQ", attributes, 0, 0, 0)
    result = _libc.syscall(_SET_MOUNT, _HERE, os.fsencode(target), _TREE * all_below, wanted, len(wanted))
    _done(result, f"{target.removeprefix(ROOT)} cannot be made read-only")


def _look(visible: list[str], hidden: list[str]) -> None:
    """Show and hide paths from the outside in, so that a hidden path within a shown one stays hidden."""
    for path in sorted({*visible, *hidden}, key=lambda path: (path.count("/"), path)):
        (_hide if path in hidden else _show)(path)
    for path in hidden:
        if os.path.isdir(f"{ROOT}{path}") and os.path.ismount(f"{ROOT}{path}"):
            _set(f"{ROOT}{path}", _READ_ONLY | _NO_SUID | _NO_DEVICES, all_below=False)


def _show(path: str) -> None:
    """Show a file or folder in the sandbox at the same path, read-only; a link stays a link."""
    target = f"{ROOT}{path}"
    if os.path.lexists(target):  # shown with a folder above it
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    elif os.path.exists(path):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    else:
        return
    _mount(path, target, None, _BIND | _RECURSIVE, None)
    _set(target, _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _hide(path: str) -> None:
    """Hide a path within a shown folder by an empty folder or an empty file."""
    target = f"{ROOT}{path}"
    if os.path.isdir(target):
        _mount("tmpfs", target, "tmpfs", _NO_SUID | _NO_DEVICES, "mode=555,size=4k")
    elif os.path.exists(target):
        _device("null", target)


def _mount_empty_folder(target: str) -> None:
    os.makedirs(target, exist_ok=True)
    _mount("tmpfs", target, "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=700,{_SIZE}")


def _devices() -> None:
    os.makedirs(f"{ROOT}/dev/shm", exist_ok=True)  # noqa: S108
    for name in _DEVICES:
        os.close(os.open(f"{ROOT}/dev/{name}", os.O_CREAT | os.O_WRONLY, 0o644))
        _device(name, f"{ROOT}/dev/{name}")
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{ROOT}/dev/{name}")
    _mount("tmpfs", f"{ROOT}/dev/shm", "tmpfs", _NO_SUID | _NO_DEVICES, _SIZE)  # noqa: S108


def _device(name: str, target: str) -> None:
    """Show a device. It is mounted read-only, which allows writes to it, but no change of its mode, owner and times."""
    _mount(f"/dev/{name}", target, None, _BIND, None)
    _set(target, _READ_ONLY | _NO_SUID, all_below=False)


def _accounts() -> None:
    os.makedirs(f"{ROOT}/etc", exist_ok=True)
    _write(f"{ROOT}/etc/passwd", _ACCOUNT)
    _write(f"{ROOT}/etc/group", f"root:x:0:\nagent:x:{INSIDE}:\n")
    _write(f"{ROOT}/etc/hosts", "127.0.0.1 localhost agent\n")


def _processes(most: int) -> None:
    """Mount `/proc` with the sandbox's own processes. It is read-only, because the command may own the kernel's switches in it."""
    os.makedirs(f"{ROOT}/proc", exist_ok=True)
    _mount("proc", f"{ROOT}/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_EXEC, None)
    for switch, value in (("kernel/pid_max", most), ("user/max_user_namespaces", 0)):
        with contextlib.suppress(OSError):  # an older kernel: process limits hold all but root
            _write(f"{ROOT}/proc/sys/{switch}", str(value))
    if os.path.exists(f"{ROOT}/proc/keys"):  # the names of this user's
        _device("null", f"{ROOT}/proc/keys")
    _set(f"{ROOT}/proc", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_EXEC)


def _network() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14s", b"lo", 0x1 | 0x40, b""))


def _pivot() -> None:
    number = _PIVOT.get(platform.machine())
    if number is None:
        raise OSError(0, f"the root cannot be changed on {platform.machine()}")
    _done(_libc.syscall(number, b".", b"."), "the root cannot be changed")
    _done(_libc.umount2(b".", _DETACH), "the old root cannot be let go")
    os.chdir("/")
    _set("/", _READ_ONLY | _NO_SUID | _NO_DEVICES, all_below=False)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


_COMMON = {"socket": 198, "socketpair": 199, "add_key": 217, "request_key": 218, "keyctl": 219, "perf_event_open": 241, "bpf": 280, "userfaultfd": 282}  # fmt: skip
_NUMBERS = {
    "x86_64": (0xC000003E, {"socket": 41, "socketpair": 53, "add_key": 248, "request_key": 249, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323}),
    "aarch64": (0xC00000B7, _COMMON),
    "riscv64": (0xC00000F3, _COMMON),
}  # fmt: skip
"""The kernel's architecture number of each machine, and the numbers of its system calls."""
_IO_URING = (425, 426, 427)
_FAMILIES = (1, 2, 10)
"""Families of sockets that are allowed: Unix, IPv4 and IPv6."""
_NETLINK, _RAW, _NO_SUCH_FAMILY = 16, 3, 97
_LOAD, _IS, _FROM, _GIVE = 0x20, 0x15, 0x35, 0x06
_ALLOWED, _KILLED, _REFUSED, _NO_FAMILY = 0x7FFF0000, 0x80000000, 0x50000 | 1, 0x50000 | _NO_SUCH_FAMILY
_OTHER_NUMBERS = 1 << 30
"""The first number of the second (x32) set of the same system calls on x86_64."""
_NO_NEW_RIGHTS, _SECCOMP, _BY_FILTER, _OWN_KEYRING = 38, 22, 2, 1


def close_doors() -> None:
    """Filter the system calls of this process and of all that it starts. This needs no privilege and cannot be undone."""
    if platform.machine() not in _NUMBERS:
        raise OSError(0, f"system calls cannot be filtered on {platform.machine()}")
    machine, numbers = _NUMBERS[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    with contextlib.suppress(AttributeError):
        libc.syscall(numbers["keyctl"], _OWN_KEYRING, None)  # where this fails there are no keys
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
    """Return the filter's rules: operation, steps to skip where it holds, steps to skip where not, value."""
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
