"""The audit: user, verb, object and time of each change. Collected during a request (scene, about, changes), saved
(entries), limited (bounds), searched and exported (search, exporting).
"""
