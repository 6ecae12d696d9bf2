"""What a person says about a fault, by Fault.key."""

#: Why no test can notice it: what the product does is the same with it. It is shown to no test.
EQUIVALENT: dict[str, str] = {
    "a9e8a76cbe": "every caller only asks whether there is a reason: None is as false as the empty text.",
}
#: What was done about it.
NOTES: dict[str, str] = {
    "2633048638": "would have kept ten times as many prepared schemas as there are documents; the unit is new.",
    "35313fb231": "the unit of a Pod without a namespace's file is new.",
    "423c8a2ff0": "would have deleted OLM's programs before its objects; the unit is new.",
    "73aa3b6bde": (
        "would have ignored tls-server-name for watches; the unit is new, and found that the name was not checked at"
        " all."
    ),
    "65c51270ae": "a ClusterCatalog's page would have had nobody read it; the unit is new.",
    "6501500d02": "any method would have been taken; the unit, which asks every address, is new.",
    "035ec2a0e8": "would have read one page of 500 Pods more; the unit now has a bound that is a multiple of it.",
    "1a387d18b5": "no key would have reached a terminal; the unit is new.",
    "24db0e35ac": "any method would have been taken; the same unit notices it.",
    "b173a1f0aa": "would have called every annotation a slip; the unit is new.",
    "731515d006": "left work behind a stream whose server had ended it; the unit is new.",
}
