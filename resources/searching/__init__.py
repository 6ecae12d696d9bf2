"""Objects of all kinds, found by what somebody types."""
