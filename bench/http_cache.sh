#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a compile costs whose result other machines made: 12 sources over CUB for 7 targets, cold, then from nginx on
# this machine (over HTTP, with an empty folder), then from the folder.
#
#     bench/http_cache.sh BUILD DIR [SOURCES]
#
# BUILD is a build tree of Cubinet, DIR a folder to work in. Needs nginx, a CUDA toolkit and Ninja, and no GPU. NGINX
# names the program if it is not in the PATH.
set -eu

if [ $# -lt 2 ]; then
    sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
cubinet=$(cd "$1" && pwd)/packager/cubinet
mkdir -p "$2"
dir=$(cd "$2" && pwd)
sources=${3:-12}
rounds=5
PATH=$PATH:/usr/sbin:$here/../build/nginx/usr/sbin
nginx=${NGINX:-nginx}
port=${PORT:-8391}
unset CUBINET_CACHE_SHARED_DIR XDG_CACHE_HOME CUBINET_REMOTE_CACHE_READ_ONLY CUBINET_REMOTE_CACHE_TOKEN
export NETRC=/dev/null no_proxy=127.0.0.1

start_nginx() {
    rm -rf "$dir/nginx"
    mkdir -p "$dir/nginx/files/cache"
    cat >"$dir/nginx/nginx.conf" <<END
daemon off;
pid $dir/nginx/pid;
error_log $dir/nginx/error.log;
worker_processes 1;
user $(id -un) $(id -gn);
events {}
http {
    access_log off;
    client_body_temp_path $dir/nginx/body;
    proxy_temp_path $dir/nginx/proxy;
    fastcgi_temp_path $dir/nginx/fastcgi;
    uwsgi_temp_path $dir/nginx/uwsgi;
    scgi_temp_path $dir/nginx/scgi;
    client_max_body_size 0;
    server {
        listen 127.0.0.1:$port;
        root $dir/nginx/files;
        location /cache/ { dav_methods PUT; create_full_put_path on; }
    }
}
END
    "$nginx" -e "$dir/nginx/error.log" -p "$dir/nginx" -c "$dir/nginx/nginx.conf" 2>/dev/null &
    server=$!
    trap 'kill $server; wait $server || :' EXIT
    while [ ! -s "$dir/nginx/pid" ]; do
        kill -0 $server || exit 1
        sleep 0.05
    done
}

write_build() {
    set -- # options of `cubinet build`: each source with a kernel of its own
    number=0
    while [ $((number += 1)) -le "$sources" ]; do
        cp "$here/../samples/segmented_sum/segsum.cu" "$dir/segsum$number.cu"
        set -- "$@" "segsum$number.cu" --kernel "segsum<float,int,256,$number>"
    done
    (cd "$dir" && "$cubinet" ninja "$@" -o all.cubinet --arch 75-real,80-real,86-real,89-real,90-real,100-real,120 \
        --build-dir "$dir/build" --file build.ninja)
}

build() { # the folder of the cache, and its server
    ninja -C "$dir" -f build.ninja -t clean >/dev/null 2>&1
    start=$(date +%s%N)
    CUBINET_CACHE_DIR=$1 CUBINET_REMOTE_CACHE=$2 ninja -C "$dir" -f build.ninja >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        exit 1
    }
    echo $((($(date +%s%N) - start) / 1000000))
}

median() { # of the numbers on standard input
    sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

repeat() { # a function, its median over the rounds
    round=0
    while [ $((round += 1)) -le $rounds ]; do
        "$@"
    done | median
}

from_server() {
    rm -rf "$dir/empty"
    build "$dir/empty" "$url"
}

start_nginx
write_build
url=http://127.0.0.1:$port/cache
rm -rf "$dir/folder"
cold=$(build "" "")
filling=$(build "$dir/folder" "$url")
http=$(repeat from_server)
folder=$(repeat build "$dir/folder" "")
edges=$(grep -c '^build .*: cubinet_compile' "$dir/build.ninja" || :)
echo "$sources sources, $edges compiles on $(nproc) processors; medians of $rounds, cold and filling once"
awk -v cold="$cold" -v filling="$filling" -v http="$http" -v folder="$folder" -v edges="$edges" 'BEGIN {
    printf "%-40s %8d ms\n", "without a cache", cold
    printf "%-40s %8d ms\n", "made, and sent to the server", filling
    printf "%-40s %8d ms, %5.1f times as fast, %4.1f ms a compile\n", "from the server, with an empty folder", http,
        cold / http, http / edges
    printf "%-40s %8d ms, %5.1f times as fast, %4.1f ms a compile\n", "from the folder", folder, cold / folder,
        folder / edges
}'
find "$dir/nginx/files/cache/cas" -type f -printf '%s\n' | awk '{ sum += $1 } END {
    printf "on the server: %d files, %d KB\n", NR, sum / 1000 }'
