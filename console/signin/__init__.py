"""Several people, each with the rights of his own credentials (docs/decisions/0021-sign-in.md).

Nothing of it is in use while SIGN_IN=local.
"""
