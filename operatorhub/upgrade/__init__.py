"""Subscriptions and InstallPlans: what comes next, what it would change, and which instances it would refuse."""
