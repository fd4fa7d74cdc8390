"""The figures about noiseless privacy, after Grining and Klonowski (2017): all the book's own."""

# Names and modules, in the order of the book.
FIGURES = {
    "wages": "wages",
    "shares": "shares",
    "conditions": "conditions",
    "notions": "notion_curves",
    "known-values": "known_values",
    "adversary": "adversary",
    "tilting": "tilting",
    "normal-bounds": "normal_bounds",
    "gaps": "gaps",
    "dependence-factor": "dependence_factor",
    "group-profiles": "group_profiles",
    "families": "family_totals",
    "least-noise": "least_noise",
    "noise-on-parity": "noise_on_parity",
    "moments": "moments",
}
