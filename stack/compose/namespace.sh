#!/bin/sh
# Creates or updates the namespace of the rounds: a retention of 30 days, and the search attributes.
# Runs in the admin-tools image. Every step may be repeated. The CLI reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE itself.
set -eu

retention=720h

if temporal operator namespace describe >/dev/null 2>&1; then
  temporal operator namespace update --retention "$retention"
else
  temporal operator namespace create --retention "$retention" -n "$TEMPORAL_NAMESPACE"
fi

# All parts of the server know a new namespace only after some seconds.
tries=0
until known=$(temporal operator search-attribute list 2>/dev/null); do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "the server does not know the namespace $TEMPORAL_NAMESPACE after 60 tries" >&2; exit 1; }
  sleep 1
done

# The same as in src/contracts/search-attributes.ts. test/stack/compose.test.ts compares them.
for attribute in \
  OperatorId=Keyword \
  PlayerId=Keyword \
  GameCode=Keyword \
  ProviderId=Keyword \
  Currency=Keyword \
  GameroundAttention=KeywordList \
  AmountAtRisk=Double \
  WaitingSince=Datetime; do
  name=${attribute%=*}
  if echo "$known" | grep -qw "$name"; then continue; fi
  temporal operator search-attribute create --name "$name" --type "${attribute#*=}"
done
