"""An operator in KUDO's form: packages of plans instead of code (README.md)."""
