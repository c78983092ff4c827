# shellcheck shell=bash
# Reads cases from stdin, one a line (see ../cases.ts), and writes one signature a line.
. ./signing.sh

bytes() { printf '%b' "$(sed 's/^-$//; s/../\\x&/g' <<<"$1")"; }

while read -r kind rest; do
  args=()
  for hex in $rest; do args+=("$(bytes "$hex")"); done
  if [ "$kind" = fields ]; then
    sign_fields "${args[@]}"
  else
    bytes "${rest##* }" | sign_body "${args[0]}" "${args[1]}"
  fi
done
