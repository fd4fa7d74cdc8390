"""fast-poibin's times and values, as JSON; it runs in the environment of ``make peers``."""

import json
from importlib.metadata import version

import numpy as np
from fast_poibin import PoiBin

from tests.benchmarks.masses import QUESTIONS, chances, delta_of, seconds_of

P = chances().tolist()


def delta(eps: float) -> float:
    return delta_of(np.asarray(PoiBin(P).pmf), eps)


if __name__ == "__main__":
    answers = {
        question: (seconds_of(lambda eps=eps: delta(eps)), delta(eps))
        for question, eps in QUESTIONS.items()
    }
    print(json.dumps({"version": version("fast-poibin"), "answers": answers}))
