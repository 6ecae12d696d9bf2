"""What a person says about a fault, by Fault.key: why no test can notice it, or what was done about it."""

NOTES: dict[str, str] = {}
