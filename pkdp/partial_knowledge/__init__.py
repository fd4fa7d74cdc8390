"""What "Differential privacy with partial knowledge" is about, exactly and with bounds.

`background` has differential privacy itself, `simulators` distributional differential privacy.
`counting` answers for counts and histograms, and `closed_forms` in a formula; `thresholding` for
counts that are not shown when small, `kanonymity` for tables with rare values left out, `noise` for
noise added to what is uncertain already, `dependent_counts` for counts over records that depend on
each other. `composition` puts releases together, `daily_counts` and `daily_profiles` those about
the same people day after day. `published` has the statements as they are printed, to be held
against what is true; nothing here computes with it.
"""
