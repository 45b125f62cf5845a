"""From the store to the queues in memory: which pages come when, and which wait."""
