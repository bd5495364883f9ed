#!/bin/sh
# Builds samples/bazel with Bazel: in its sandbox, from a cache, and by two workers of BuildGrid on this machine. With
# arguments, it then times how a build of many sources spreads over workers; they are those of bench/remote.py.
#
#     scripts/remote.sh [--sources 200] [--workers 1,2,4]
#
# Needs root, Debian 12 and some minutes. It installs Bazel, and fetches BuildGrid and PostgreSQL, which BuildGrid keeps its
# queue in, into build/. What is started listens on this machine alone, and ends with the script.
set -eu
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"

fetch_bazel() {
    command -v bazel >/dev/null || install_packages bazel-bootstrap
}

fetch_buildgrid() {
    [ -x build/buildgrid/bin/bgd ] ||
        fetch_wheels build/buildgrid buildgrid==0.4.4 aiohappyeyeballs==2.7.1 aiohttp==3.14.5 aiosignal==1.4.0 \
            alembic==1.20.1 annotated-types==0.8.0 async-lru==2.4.0 attrs==26.1.0 boto3==1.44.8 botocore==1.44.8 \
            buildgrid-metering-client==0.0.4 cachetools==8.0.2 certifi cffi==2.1.1 charset-normalizer==3.5.3 click==8.5.1 \
            cryptography==50.0.2 dnspython==2.9.2 frozenlist==1.8.0 grpcio==1.85.3 grpcio-health-checking==1.85.1 \
            grpcio-reflection==1.85.1 idna==3.20 janus==2.0.0 Jinja2==3.1.6 jmespath==1.1.0 jsonschema==4.26.0 \
            jsonschema-specifications==2025.9.1 lark-parser==0.12.0 Mako==1.4.3 MarkupSafe==3.0.4 mmh3==5.3.1 \
            multidict==7.2.1 propcache==0.5.4 protobuf==7.36.2 psycopg2-binary==2.9.13 pycparser==3.12 pycurl==7.49.0 \
            pydantic==2.14.4 pydantic_core==2.50.5 PyJWT==2.15.1 python-dateutil==2.9.0.post0 PyYAML==6.0.4 \
            referencing==0.37.0 requests==2.34.2 rpds-py==2026.9.1 s3transfer==0.19.3 sentry-sdk==2.75.0 six==1.17.0 \
            SQLAlchemy==2.1.9 tenacity==9.2.1 typing_extensions==4.16.0 typing-inspection==0.4.5 urllib3==2.8.0 yarl==1.25.1
}

# Only unpacked, with its libraries: installed, it would start to serve.
fetch_postgres() {
    for program in /usr/lib/postgresql/*/bin/postgres build/postgres/usr/lib/postgresql/*/bin/postgres; do
        [ ! -x "$program" ] || return 0
    done
    fetch_packages "$(dpkg --print-architecture)" build/postgres postgresql-15 libpq5 libicu72 libxml2 libldap-2.5-0 \
        libsasl2-2 libxslt1.1 libpam0g libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1
}

[ "$(id -u)" -eq 0 ] || die "run this as root: workers give each action a root of its own"
say "Bazel, BuildGrid and PostgreSQL"
fetch_bazel || die "Bazel could not be installed"
fetch_buildgrid || die "BuildGrid could not be fetched"
fetch_postgres || die "PostgreSQL could not be fetched"

say "Building"
quietly cmake --build --preset release --parallel "$jobs"

say "The sample"
export CUBINET_TEST_BAZEL=1
ctest --preset release --output-on-failure -R '^remote\.(bazel|execution|sample|sandbox)$'

[ $# -eq 0 ] || {
    say "A build of many sources"
    CMAKE=cmake CUBINET_BUILD=$PWD/build/release CUBINET_TOOLKIT_ROOT=$CUDAToolkit_ROOT python3 bench/remote.py "$@"
}
