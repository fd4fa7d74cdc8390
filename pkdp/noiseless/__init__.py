"""What "Towards extending noiseless privacy" is about: sums that are released without noise."""
