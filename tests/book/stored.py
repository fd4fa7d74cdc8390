"""The ledger as it is stored, read once for all tests that ask for it, as that takes a second."""

from book._ext.claims import load
from tests.book.built import ROOT

LEDGER = load(ROOT / "claims")
