"""The theorems of "Differential privacy with partial knowledge", made exact or corrected.

`background` has differential privacy itself, `posteriors` definitions by beliefs before and after
an output, `simulators` distributional differential privacy, `normalization` what attackers know.
`counting` is about counts and histograms, `thresholding` about counts that are suppressed when
small, `rounding` about rounded ones, `kanonymity` and `suppressed_tables` about tables without
their small cells, `noise` about counts with noise, `dependent_counts` and `dependence` about
records that depend on each other. `composition` combines releases, `daily_counts` and
`daily_profiles` those about the same people day after day, and `post_processing` is about chained
mechanisms. `published` has the statements as printed, for comparison; no other module of this
package uses it.

Functions take what is counted first (`n` and `lam`, `n` and `p`, or `probabilities`). All else is
given by keyword: the mechanism (`multiplicities`, `threshold`, `noise`, `k`, `categories`), the
attacker (`known`), then the question (`eps`, `tol`).
"""
