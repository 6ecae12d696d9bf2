"""Why an object of a cluster isn't well: reads the evidence that the rules of resources/causes/ need, with the reader's
own permissions, and links what they found to pages."""
