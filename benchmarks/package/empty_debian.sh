#!/bin/sh
# Installs the wheels into a Debian 12 that has Python 3.11 and nothing else (no JDK, Maven, git, no
# compiler), runs the demo there, and rebuilds an archive's tables with the light core. Prints
# minutes and sizes. Needs root, mmdebstrap, and the wheels (`make build wheels`).
# Usage: empty_debian.sh [FOLDER]   a new folder for the system, by default a temporary one
set -eu
here=$(dirname "$(readlink -f "$0")")
project=$(readlink -f "$here/../..")
root=${1:-$(mktemp -d -t empty-debian-XXXXXX)/root}
mkdir -p "$root"
wheels=$project/dist
archive=$project/archives/model-queries-claims.zip

packages=python3.11,python3-venv,ca-certificates
say() { printf '%-48s %s\n' "$1" "$2"; }
now() { date +%s; }
took() { say "$1" "$(($(now) - $2)) s"; }
inside() { # a command in the system, in its folder /work, with its own processes and mounts
  # a mount of its own, since OrientDB asks what is mounted at /
  unshare --mount --pid --fork --kill-child sh -c '
    mount --rbind "$1" "$1" && cd "$1"
    mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys"
    mount --rbind /dev "$1/dev" && mount --make-rslave "$1/dev"
    [ ! -d ~/.cache/pip ] || mount --bind ~/.cache/pip "$1/root/.cache/pip"
    root=$1 && shift && exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 \
      PATH="$1/bin:/usr/sbin:/usr/bin:/sbin:/bin" PIP_DISABLE_PIP_VERSION_CHECK=1 \
      sh -ec "cd /work; $2"' sh "$root" "$1" "$2"
}
size_mb() { du -sb --apparent-size "$root/work/$1/lib/python3.11/site-packages" | awk '{print int($1 / 1e6)}'; }

if [ ! -d "$root/work" ]; then
  begin=$(now)
  mmdebstrap --quiet --variant=minbase --mode=root --include="$packages" bookworm "$root"
  mkdir -p "$root/work" "$root/root/.cache/pip"
  took "an empty Debian 12" "$begin"
fi
# the network as it is here: names, certificates, where packages come from
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
rm -rf "$root/work/"* && mkdir "$root/work/wheels"
cp "$wheels"/*.whl "$archive" "$root/work/"
mv "$root/work/"*.whl "$root/work/wheels/"
if inside / "command -v java mvn git gcc"; then
  echo "error: the system is not empty" >&2
  exit 1
fi

begin=$(now)
inside / "python3 -m venv light"
empty=$(size_mb light)
inside /work/light "pip install -q --find-links wheels modelstress"
took "light core: installed" "$begin"
say "light core: size" "$(($(size_mb light) - empty)) MB"
cat >"$root/work/help.py" <<'END'
import os, subprocess
for _ in range(2):  # the first one compiles
    before = os.times()
    subprocess.run(["modelstress", "--help"], stdout=subprocess.DEVNULL, check=True)
    used = os.times()
children = used.children_user + used.children_system
print(f"{children - before.children_user - before.children_system:.2f} s")
END
say "modelstress --help: CPU" "$(inside /work/light "python3 help.py")"
begin=$(now)
inside /work/light "modelstress unpack $(basename "$archive") --to dataset && cd dataset &&
  modelstress derive && modelstress report" >/dev/null
took "light core: archive unpacked, derived, reported" "$begin"

begin=$(now)
inside / "python3 -m venv full"
inside /work/full "pip install -q --find-links wheels 'modelstress[measure]' \
  modelstress-cdo modelstress-hawk modelstress-mogwai"
took "modelstress[measure] and three tools: installed" "$begin"
say "modelstress[measure] and three tools: size" "$(($(size_mb full) - empty)) MB"
begin=$(now)
inside /work/full "modelstress init w && cd w && modelstress demo"
took "init and demo" "$begin"
say "figures" "$(ls "$root"/work/w/results/model-queries/figures/*.png | wc -l)"
echo "$root/work/w/results/report.html"
