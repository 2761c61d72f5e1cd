#!/bin/sh
# JDK 17, Maven and Python's venv, or with the argument `orb` omniORB and a compiler for C++:
# installed where the user is root on a Debian system, else one line says what to install. Prints
# nothing when all is there.
set -eu

missing=
if [ "${1:-}" = orb ]; then
  command -v g++ >/dev/null || missing="$missing g++"
  command -v omniidl >/dev/null || missing="$missing omniidl"
  [ -e /usr/include/omniORB4/CORBA.h ] || missing="$missing libomniorb4-dev"
  [ -e /usr/include/nlohmann/json.hpp ] || missing="$missing nlohmann-json3-dev"
  [ -e /usr/include/zlib.h ] || missing="$missing zlib1g-dev"
elif [ "${SOURCE:-measure}" != archive ]; then # for which no Java program is built or started
  javac -version 2>&1 | grep -Eq '^javac (1[7-9]|[2-9][0-9])' || missing="$missing openjdk-17-jdk-headless"
  command -v mvn >/dev/null || missing="$missing maven"
fi
if [ "${1:-}" != orb ]; then
  "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "error: missing:$missing; install them (Debian: apt-get install$missing) and try again" >&2
  exit 3
fi
echo "installing$missing"
apt-get update -qq
# $missing is a list of package names from above
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
