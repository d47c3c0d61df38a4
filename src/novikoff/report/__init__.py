"""What people read: the summary of a fit, and what a check has found."""
