"""Python starts with this where `PYTHONPATH` names its folder: every connection and every look-up of a name is written down.

It is an audit hook, so it hears of what Python's own socket module is asked for, in this process and in every one it starts.
"""

import os
import sys

_WANTED = (
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.sendto",
    "socket.sendmsg",
)  # fmt: skip


def _hear(event, arguments):
    if event in _WANTED:
        about = (
            arguments[1] if event in ("socket.connect", "socket.sendto", "socket.sendmsg") else arguments[:2]
        )
        if (
            isinstance(about, (str, bytes)) or about is None
        ):  # a socket of this machine's file system, or one that is connected
            return
        line = f"{event} {about[0]} {about[1]}\n"
        handle = os.open(os.environ["DRR_TESTS_CONNECTIONS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, line.encode("utf-8", "backslashreplace"))
        os.close(handle)


if "DRR_TESTS_CONNECTIONS" in os.environ:
    sys.addaudithook(_hear)
