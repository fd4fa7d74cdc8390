"""What every test shares: hypothesis draws the same examples on every run and every machine."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, database=None, deadline=None, max_examples=60)
settings.register_profile("thorough", database=None, deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
