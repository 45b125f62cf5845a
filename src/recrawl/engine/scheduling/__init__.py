"""The policy at work: what it knows beyond single pages, what a request costs, and what may be spent today."""
