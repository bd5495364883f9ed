#!/bin/sh
# Builds the libraries that the wheel of Cubinet brings, from the sources of Debian's packages: libraries.sh SOURCES PREFIX HOST.
# SOURCES gets the sources, PREFIX what is installed; HOST is as in ./configure --host. CC, AR and RANLIB compile.
# It needs dpkg-dev, cmake, ninja-build, make, autoconf, automake and libtool.
# zstd, LZ4, zlib and jansson become static libraries. libsodium and libarchive are shared, since Cubinet opens them by name.
set -eu

sources=$1
prefix=$2
host=$3
here=$(cd "$(dirname "$0")" && pwd)
packages='libzstd lz4 zlib jansson libsodium xxhash libarchive curl'

say() { printf '%s\n' "-- $*"; }

# By an apt of their own: the system may have packages in its lists, and no sources.
fetch() {
    [ ! -e "$sources/fetched" ] || return 0
    say "fetching the sources of $packages"
    mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial"
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' |
        sort -u >"$sources/sources.list"
    cat >"$sources/apt.conf" <<END
Dir::Etc::SourceList "$sources/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$sources/lists";
Dir::Cache "$sources/cache";
APT::Sandbox::User "root";
END
    # shellcheck disable=SC2086 # a list of words
    (
        cd "$sources" && export APT_CONFIG="$sources/apt.conf" && apt-get update -qq &&
            apt-get source -qq --download-only $packages &&
            for package in *.dsc; do
                name=${package%%_*}
                rm -rf "$name" && dpkg-source --no-check -x "$package" "$name" >/dev/null 2>&1 || exit
            done
    )
    touch "$sources/fetched"
}

# What they are licensed under is in the wheel as it is in their sources.
check_licences() {
    for licence in "$here"/licenses/*.txt; do
        name=$(basename "$licence" .txt)
        case $name in
            libarchive) file=libarchive/COPYING ;;
            lz4) file=lz4/lib/LICENSE ;;
            *) file=$name/LICENSE ;;
        esac
        cmp -s "$licence" "$sources/$file" || {
            echo "error: $licence differs from the source's $file: copy that, and check what it asks for" >&2
            exit 1
        }
    done
}

# A copy of a source to build in, so that another architecture finds it clean.
enter() {
    rm -rf "${work:?}/$1"
    cp -r "$sources/$1" "$work/$1"
    cd "$work/$1"
}

with_cmake() { # the source's folder, and options
    folder=$1
    shift
    cmake -S "$folder" -B "$folder/build-wheel" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${host%%-*}" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_AR="$AR" -DCMAKE_RANLIB="$RANLIB" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY "$@"
    cmake --build "$folder/build-wheel"
    cmake --install "$folder/build-wheel"
}

build_zstd() {
    enter libzstd
    with_cmake build/cmake -DZSTD_BUILD_SHARED=OFF -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_MULTITHREAD_SUPPORT=ON
}

build_lz4() {
    enter lz4
    with_cmake build/cmake -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON -DLZ4_BUILD_CLI=OFF -DLZ4_BUILD_LEGACY_LZ4C=OFF
}

build_zlib() {
    enter zlib
    CHOST=$host CFLAGS='-O2 -fPIC' ./configure --static --prefix="$prefix"
    make -j2 libz.a
    make install
}

build_jansson() {
    enter jansson
    with_cmake . -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
}

build_sodium() {
    enter libsodium
    ./autogen.sh -s
    ./configure --host="$host" --prefix="$prefix" --disable-static --enable-shared CFLAGS=-O2 LDFLAGS=-s
    make -j2 -C src
    make -C src install
    make install-pkgconfigDATA # and not the tests
}

# Zip files, and nothing else that another library would be needed for.
build_archive() {
    enter libarchive
    # The number that its other build, and so Debian's library, has.
    sed -i 's/^ *SET(SOVERSION .*/SET(SOVERSION 13)/' CMakeLists.txt
    with_cmake . -DENABLE_TEST=OFF -DENABLE_TAR=OFF -DENABLE_CPIO=OFF -DENABLE_CAT=OFF -DENABLE_XATTR=OFF -DENABLE_ACL=OFF \
        -DENABLE_ICONV=OFF -DENABLE_OPENSSL=OFF -DENABLE_NETTLE=OFF -DENABLE_MBEDTLS=OFF -DENABLE_LIBB2=OFF -DENABLE_LZMA=OFF \
        -DENABLE_BZip2=OFF -DENABLE_LIBXML2=OFF -DENABLE_EXPAT=OFF -DENABLE_LZ4=OFF -DENABLE_LZO=OFF -DENABLE_ZSTD=OFF \
        -DENABLE_PCREPOSIX=OFF -DENABLE_CNG=OFF -DENABLE_WERROR=OFF -DPOSIX_REGEX_LIB=NONE \
        -DCMAKE_SHARED_LINKER_FLAGS=-s "-DCMAKE_C_FLAGS=-Wno-error"
}

# Of these two the headers are enough: xxHash is compiled in, and libcurl is opened where there is one.
copy_headers() {
    cp "$sources/xxhash/xxhash.h" "$prefix/include/"
    mkdir -p "$prefix/include/curl"
    cp "$sources"/curl/include/curl/*.h "$prefix/include/curl/"
    version=$(sed -n 's/^#define LIBCURL_VERSION "\([0-9.]*\).*/\1/p' "$sources/curl/include/curl/curlver.h")
    printf 'Name: libcurl\nDescription: headers\nVersion: %s\nCflags: -I%s\n' "$version" "$prefix/include" \
        >"$prefix/lib/pkgconfig/libcurl.pc"
}

mkdir -p "$sources" "$prefix/lib/pkgconfig" "$prefix/include"
fetch
check_licences
work=$prefix.work
mkdir -p "$work"
for library in zstd lz4 zlib jansson sodium archive; do
    [ ! -e "$prefix/built-$library" ] || continue
    say "building $library for $host"
    # Not `(…) ||`, after which the first command that fails would not end it.
    (build_$library) >"$work/$library.log" 2>&1 &
    wait $! || {
        tail -n 40 "$work/$library.log" >&2
        echo "error: $library could not be built; all of what its build said is in $work/$library.log" >&2
        exit 1
    }
    touch "$prefix/built-$library"
done
copy_headers
rm -rf "$work"
