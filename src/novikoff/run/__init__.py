"""What every search shares: the loop, the clock with its limits, the history of bounds."""
