#!/usr/bin/env bash
# Downloads the released program for this platform, verifies its checksum, and adds it to the PATH of later steps.
set -euo pipefail

here=$(cd "$(dirname "$0")/../../.." && pwd)
version=${PAGEKIN_VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/Cargo.toml" | head -n 1)}
version=${version#v}
if ! [[ $version =~ ^[0-9A-Za-z.+-]+$ ]]; then
  echo "::error::invalid version. Pass a version such as 1.2.3"
  exit 1
fi
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  MINGW64*-x86_64 | MSYS*-x86_64) target=x86_64-pc-windows-msvc ;;
  *)
    echo "::error::pagekin is not released for $(uname -s) on $(uname -m), only for Linux and macOS on x86-64 and ARM64, and Windows on x86-64"
    exit 1
    ;;
esac
name="pagekin-v$version-$target"
case "$target" in
  *windows*) archive=$name.zip unpack=(unzip -q -o) ;;
  *) archive=$name.tar.gz unpack=(tar -xzf) ;;
esac
folder="$RUNNER_TEMP/pagekin"
releases=${PAGEKIN_RELEASES:-https://github.com/pagekin/pagekin/releases/download}

# A mirror of the releases must be on a host with TLS or on the runner's disk.
case "$releases" in
  https://*) protocol=https ;;
  file://*) protocol=file ;;
  *)
    echo "::error::PAGEKIN_RELEASES must start with https:// or file://"
    exit 1
    ;;
esac

mkdir -p "$folder"
cd "$folder"
for file in "$archive" "$archive.sha256"; do
  curl --proto "=$protocol" --proto-redir =https --tlsv1.2 --fail --location --silent --show-error --retry 3 \
    --output "$file" "$releases/v$version/$file" || {
    echo "::error::cannot fetch $releases/v$version/$file. Check that version $version is released"
    exit 1
  }
done
# Only the hash of the archive is compared; the file name in the published checksum file does not matter.
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum --algorithm 256); fi
read -r found _ < <("${sum[@]}" < "$archive")
read -r expected _ < "$archive.sha256" || true
if ! [[ $expected =~ ^[0-9a-f]{64}$ && $found == "$expected" ]]; then
  echo "::error::the checksum of $archive does not match the published one"
  exit 1
fi
"${unpack[@]}" "$archive"
echo "$folder/$name" >> "$GITHUB_PATH"
echo "version=$version" >> "$GITHUB_OUTPUT"
