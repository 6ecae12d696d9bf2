# The part of the official image's entrypoint that deploy/base/postgres.yaml and docker-compose.yml rely on.
set -eu
password=$(cat "${POSTGRES_PASSWORD_FILE:-/dev/null}")
password=${password:-${POSTGRES_PASSWORD:?}}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  file=$(mktemp)
  printf '%s' "$password" > "$file"
  # shellcheck disable=SC2086 - several options
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$file" --auth-local=trust ${POSTGRES_INITDB_ARGS:-}
  rm "$file"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
  createdb -U "$POSTGRES_USER" -h /var/run/postgresql "$POSTGRES_DB"
  pg_ctl -D "$PGDATA" -w stop
fi
exec postgres -D "$PGDATA" -c listen_addresses='*'
