"""Functions to be swept: other processes import them, and need little else for it."""

import os
import time
from pathlib import Path


def quotient(x, y):
    return x / y


def called(folder):
    """The points at which `recorded` was called, in order."""
    path = Path(folder, "calls")
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def recorded(x, folder):
    """Say that it was called; stop at 5 as the file ``stop`` says, if there is one."""
    with open(Path(folder, "calls"), "a") as calls:
        calls.write(f"{x}\n")
    if x == 5 and Path(folder, "stop").exists():
        raise {"error": ValueError, "interrupt": KeyboardInterrupt}[
            Path(folder, "stop").read_text()
        ]("stopped")
    return {"seventh": x / 7, "parity": "odd" if x % 2 else "even"}


def waiting(x, folder):
    """Wait at 5 until the file ``go`` is there, and say which process waits."""
    if x == 5:
        Path(folder, f"waits-{os.getpid()}").touch()
        while not Path(folder, "go").exists():
            time.sleep(0.01)
    return x / 7


def deadly(x):
    if x == 5:
        os._exit(1)
    return x
