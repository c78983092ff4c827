#!/bin/sh
# The namespace that rounds live in: closed ones kept 30 days, and what operations search for.
# Runs in the admin-tools image; every step may be repeated. TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are the CLI's own.
set -eu

retention=720h

if temporal operator namespace describe >/dev/null 2>&1; then
  temporal operator namespace update --retention "$retention"
else
  temporal operator namespace create --retention "$retention" -n "$TEMPORAL_NAMESPACE"
fi

# A namespace takes some seconds to become known to every part of the server.
tries=0
until known=$(temporal operator search-attribute list 2>/dev/null); do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "namespace $TEMPORAL_NAMESPACE does not become known" >&2; exit 1; }
  sleep 1
done

# The same as src/contracts/search-attributes.ts; the test test/stack/compose.test.ts compares them.
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
