#!/bin/sh
# A program that runs with another user's rights takes no folder from the environment of who runs it.
#   test_setuid.sh SHOW_DIRECTORY
set -eu

skip()
{
    echo "skipped: $1"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root can make a setuid program for another user"
command -v setpriv >/dev/null || skip "there is no setpriv"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
owner=65533 user=65534
cp "$1" "$folder/show"
mkdir "$folder/environment" "$folder/named"
chown "$owner" "$folder/show" "$folder/environment" "$folder/named"
chmod 755 "$folder"

"$folder/show" >/dev/null 2>&1 || skip "programs do not run in $folder"

show()
{
    CUBINET_CACHE_DIR="$folder/environment" XDG_CACHE_HOME="$folder" CUBINET_CACHE_SHARED_DIR="$folder/environment" \
        setpriv --reuid "$1" --clear-groups "$folder/show" "$folder/named"
}

expect()
{
    if [ "$1" != "$2" ]; then
        printf 'expected:\n%s\nprinted:\n%s\n' "$2" "$1" >&2
        exit 1
    fi
}

both="'$folder/environment'
'$folder/named'"
expect "$(show "$owner")" "$both"
chmod 4755 "$folder/show"
expect "$(show "$owner")" "$both" # the same user: nothing is raised
printed=$(show "$user")
[ "$printed" != "''
''" ] || skip "setuid programs are not honoured in $folder"
expect "$printed" "''
'$folder/named'"
