"""What is run in the environment of ``make peers`` needs a package that is not here."""

collect_ignore = ["fast_poibin_timed.py"]
