#!/bin/sh
# The part of the official image's entrypoint that examples/operators/galera/mariadb relies on: an empty folder gets a
# database whose root has the password, then the server runs with the container's arguments.
set -eu
folder=/var/lib/mysql
shift
if [ ! -d "$folder/mysql" ]; then
  mariadb-install-db --datadir="$folder" --auth-root-authentication-method=normal --skip-test-db --skip-log-bin > /dev/null
  mariadbd --datadir="$folder" --bootstrap --wsrep-on=OFF << SQL
FLUSH PRIVILEGES;
DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1', 'root'@'$(hostname)', ''@'localhost', ''@'$(hostname)';
ALTER USER 'root'@'localhost' IDENTIFIED BY '${MARIADB_ROOT_PASSWORD:?}';
CREATE USER 'root'@'%' IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
SQL
fi
exec mariadbd --datadir="$folder" "$@"
