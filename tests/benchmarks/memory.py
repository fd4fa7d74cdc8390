"""Prints the gigabytes that a count of ten million different records takes, all in all."""

import resource

import numpy as np

from pkdp import counting

if __name__ == "__main__":
    counting.exact(np.random.default_rng(1).uniform(0.0, 1.0, 10**7)).delta(2e-3)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
