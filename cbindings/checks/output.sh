#!/usr/bin/env bash
# Runs a program and compares what it prints with a file: output.sh EXPECTED PROGRAM [ARGUMENT...]
# Where EXPECTED has a sister NAME.in, the program gets that through a pipe as its standard input.
set -u -o pipefail
expected=$1
shift
input=${expected%.txt}.in
if [ -e "$input" ]; then
    got=$(cat "$input" | "$@")
else
    got=$("$@" </dev/null)
fi
status=$?
diff -u --label expected --label got "$expected" <(printf '%s\n' "$got") || exit 1
[ $status -eq 0 ] || { echo "the program ended with status $status"; exit 1; }
