"""The ledger: its evidence and its tags, and how pages show claims, errata, results and proofs."""
