#!/bin/sh
# Write the base image's file system as a tar archive: Debian packages only, from wherever this
# machine's apt has them. The same packages give the same bytes.
# Usage: base.sh SUITE OUT
set -eu
suite=$1
out=$2
export SOURCE_DATE_EPOCH=1704067200
packages=openjdk-17-jdk-headless,python3,iproute2,iptables
# hooks must never delete $1/dev: the host's /dev/shm is mounted there meanwhile
mmdebstrap --quiet --variant=apt --mode=root --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --setup-hook='mkdir -p "$1"/usr/share/man/man1' \
  --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/tmp/*' \
  --customize-hook='rm -f "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/*' \
  "$suite" "$out"
