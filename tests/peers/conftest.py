"""What is run by ``make peers`` needs packages that are not here."""

collect_ignore = ["ask.py"]
