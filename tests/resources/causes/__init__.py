"""The rules for causes: each with statuses as controllers write them."""
