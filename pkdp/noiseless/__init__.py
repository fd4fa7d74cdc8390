"""What "Towards extending noiseless privacy" is about: sums that are published as they are."""
