# dex serve FILE: the official image has gomplate fill in {{ getenv "NAME" }} in the file.
set -eu
text=$(sed 's/{{ getenv "\([A-Z_]*\)" }}/${\1}/g' "$3")
eval "cat > /tmp/config.yaml <<END
$text
END"
exec /usr/local/bin/dex serve /tmp/config.yaml
