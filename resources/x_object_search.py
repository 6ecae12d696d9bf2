"""Joined."""
