#!/bin/sh
# Creates the namespace of the rounds with a retention of 30 days, and adds the search attributes that it lacks. A namespace
# that exists keeps its retention. Runs in the admin-tools image. Every step may be repeated. The CLI reads TEMPORAL_ADDRESS
# and TEMPORAL_NAMESPACE itself.
set -eu

if temporal operator namespace describe >/dev/null 2>&1; then
  echo "the namespace $TEMPORAL_NAMESPACE exists and keeps its retention"
else
  temporal operator namespace create --retention 720h -n "$TEMPORAL_NAMESPACE"
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
