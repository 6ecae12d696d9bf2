"""Sign-in: each user has the permissions of their own credentials (docs/decisions/0021-sign-in.md).

Unused while SIGN_IN=local.
"""
