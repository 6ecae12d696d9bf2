"""Faults planted on purpose, to see which tests notice them (tools/plant_faults.py)."""
