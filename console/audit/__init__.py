"""The audit: user, verb, object and time of each change. Collected during a request (scene, act_target, changes), saved
(entries), limited (bounds), searched and exported (search).
"""
