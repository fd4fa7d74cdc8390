"""Functions to be swept: other processes import them, and need little else for it."""

import os
import signal
import time
from pathlib import Path


def quotient(x, y):
    return x / y


def called(folder):
    """The points at which `recorded` was called, in order."""
    path = Path(folder, "calls")
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def recorded(x, folder):
    """Say that it was called; at 5 do as the file ``stop`` says, if there is one."""
    with open(Path(folder, "calls"), "a") as calls:
        calls.write(f"{x}\n")
    stop = Path(folder, "stop")
    if x == 5 and stop.exists():
        match stop.read_text():
            case "error":
                raise ValueError("stopped")
            case "interrupt":
                raise KeyboardInterrupt
            case "death":
                os.kill(os.getpid(), signal.SIGKILL)
            case "wait":
                Path(folder, f"waits-{os.getpid()}").touch()
                while stop.exists():
                    time.sleep(0.01)
    return {"seventh": x / 7, "parity": "odd" if x % 2 else "even"}
