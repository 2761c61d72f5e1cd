#!/bin/sh
# ArcadeDB and the Java runtime that it needs, into target/dist/programs: they come in a Python
# package, of which nothing is imported. Without a package index everything else is built all the same.
set -eu
cd "$(dirname "$0")"
programs=target/dist/programs
if cmp -s requirements.txt "$programs/.complete"; then exit 0; fi
rm -rf "$programs" target/pip
python3 -m venv target/pip
target/pip/bin/pip install -q --disable-pip-version-check --no-deps --no-compile --require-hashes \
  --only-binary :all: --python-version 3.11 --implementation cp --abi cp311 \
  --platform "manylinux_2_34_$(uname -m)" --target "$programs" -r requirements.txt || {
  echo "ArcadeDB cannot be had from the package index; the tool arcadedb will not start" >&2
  rm -rf "$programs" target/pip
  exit 0
}
rm -rf target/pip "$programs"/arcadedb_embedded/*.py
# what nobody here asks, some of which listens as soon as it is there
for part in console graphql mcp postgresw python-bridge redisw; do
  rm -f "$programs/arcadedb_embedded/jars/arcadedb-$part"*.jar
done
cp requirements.txt "$programs/.complete"
