#!/bin/sh
# Temporal's tables in PostgreSQL: made the first time, brought up to the server's version afterwards.
# Runs in the admin-tools image; every step may be repeated.
set -eu

: "${SCHEMA_DIR:=/etc/temporal/schema/postgresql/v12}"
: "${SQL_TOOL:=temporal-sql-tool}"

# SQL_PASSWORD is read by the tool itself, so that it stands on no command line.
sql() {
  "$SQL_TOOL" --plugin postgres12 --ep "$POSTGRES_SEEDS" --port "${DB_PORT:-5432}" --user "$POSTGRES_USER" "$@"
}

for part in temporal visibility; do
  case $part in
    temporal) db=temporal ;;
    visibility) db=temporal_visibility ;;
  esac
  sql --db "$db" create
  sql --db "$db" setup-schema -v 0.0
  sql --db "$db" update-schema -d "$SCHEMA_DIR/$part/versioned"
done
