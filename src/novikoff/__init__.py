"""Linear classifiers that come with proof."""
