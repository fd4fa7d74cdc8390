"""Kernels for the tests that are there at once: forks of a process that has made the imports.

A kernel that starts from nothing takes seconds to import what nearly all notebooks import. A fork
has these modules in memory, but none of their names before a cell imports it, and nothing of this
project. Whether a notebook runs from nothing is what ``notebooks/execute.py`` and ``make test-all``
find out, which fork nothing.
"""

import multiprocessing
import os
import sys
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "ipykernel.kernelapp",
        "matplotlib.pyplot",
        "matplotlib_inline.backend_inline",
        "scipy.stats",
        "sympy",
    ]
)


class Kernel:
    """A forked kernel, as jupyter-client wants to see a process: like a ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, process: ForkServerProcess) -> None:
        assert process.pid is not None
        self._process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        """Return how the kernel ended, or None if it runs."""
        return self._process.exitcode

    def wait(self) -> int | None:
        """Wait for its end and return how it was."""
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it."""
        self._process.kill()


def launch(
    command: list[str],
    *,
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    **options: object,
) -> Kernel:
    """Start a kernel in the place of ``jupyter_client.launcher.launch_kernel``.

    Parameters
    ----------
    command : list of str
        What would have started it: a Python, ``-m ipykernel_launcher``, and its arguments.
    env : dict, optional
        The kernel's environment; by default this process's own.
    cwd : str, optional
        The folder that it runs in; by default this process's own.
    **options
        What else ``subprocess.Popen`` would be told. A kernel here has nothing to read, and what it
        writes past Jupyter is lost.
    """
    arguments = command[command.index("ipykernel_launcher") + 1 :]
    ours, theirs = _FORKS.Pipe(duplex=False)
    environment = dict(os.environ if env is None else env)
    process = _FORKS.Process(
        target=_run, args=(arguments, environment, cwd or os.getcwd(), theirs), daemon=True
    )
    process.start()
    theirs.close()
    # From here on it is the leader of a group of its own, which is what is signalled.
    ours.recv()
    ours.close()
    return Kernel(process)


def _run(arguments: list[str], env: dict[str, str], cwd: str, ready: Connection) -> None:
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.environ.clear()
    os.environ.update(env, JPY_PARENT_PID=str(os.getppid()))
    os.chdir(cwd)
    # Of the folders that pytest adds, a kernel has none.
    sys.path[:] = [entry for entry in sys.path if not entry.startswith(str(ROOT / "book"))]
    ready.send(None)
    ready.close()

    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(arguments)
