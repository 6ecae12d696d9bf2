"""What a person says about a fault, by Fault.key: why no test can notice it, or what was done about it."""

NOTES: dict[str, str] = {
    "2633048638": "how many prepared schemas a cache holds: no test is to be expected.",
    "423c8a2ff0": "would have deleted OLM's programs before its objects; the unit is new.",
    "731515d006": "left work behind a stream whose server had ended it; the unit is new.",
}
