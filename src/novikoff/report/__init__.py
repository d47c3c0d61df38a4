"""What people read: summaries of fits."""
