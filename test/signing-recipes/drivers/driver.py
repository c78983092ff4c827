"""Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what `matches` says of it and of another."""

import sys

from signing import matches, sign_body, sign_fields

for line in sys.stdin:
    kind, *parts = line.split()
    values = [bytes.fromhex(part.strip("-")) for part in parts]
    if kind == "fields":
        signature = sign_fields(*[value.decode() for value in values])
    else:
        signature = sign_body(values[0].decode(), values[2], values[1].decode())
    other = "A" + signature[1:] if signature[0] != "A" else "B" + signature[1:]
    print(signature, matches(signature, signature), matches(other, signature), matches("é", signature))
