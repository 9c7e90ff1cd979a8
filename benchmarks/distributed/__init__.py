"""What several devices cost, on paper: scaling.py."""
