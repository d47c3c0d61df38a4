"""Wolfe's minimum-norm point on a working set: hard margins, and soft ones of few examples."""
