#!/bin/sh
# Creates Temporal's tables in PostgreSQL at the first start, and updates them to the server's version at later starts.
# Runs in the admin-tools image. Every step may be repeated.
set -eu

: "${SQL_TOOL:=temporal-sql-tool}"

# The tool reads SQL_PASSWORD itself, so that the password is on no command line.
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
  sql --db "$db" update-schema --schema-name "postgresql/v12/$part"
done
