"""Reading examples, labels and fingerprints."""
