"""Why an object isn't well: pure rules that read statuses and Events and name the cause in one sentence.

evidence.py is what the rules read, cause.py what they return, rules/ has one rule a file (each found by being there),
engine.py runs them all. resources/diagnosis.py reads the evidence from a cluster and turns targets into addresses.
docs/causes.md says how to add a rule.
"""
