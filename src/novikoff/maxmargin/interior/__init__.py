"""An interior-point method: hard margins of sparse data whose columns exclude one another."""
