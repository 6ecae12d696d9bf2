"""The end of an operator: all that goes and all that stays, before and while it goes."""
