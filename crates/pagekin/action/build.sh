#!/usr/bin/env bash
# Indexes SITE into OUTPUT, after the index of the last run in CACHE, and keeps the new one there.
set -euo pipefail

output=${OUTPUT:-$SITE/pagekin}
arguments=("$SITE" --output "$output" --base-url "$BASE_URL")
if [ -n "$CACHE" ]; then arguments+=(--previous "$CACHE"); fi
read -ra more <<< "$ARGS"

# Names and titles of the site are in what is printed: none of it may be a command for the runner, such as `::error::`.
# Both outputs are one stream, or the runner might see the end before the last warning.
exec 2>&1 3>&1
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT
summary=$(pagekin build "${arguments[@]}" ${more[@]+"${more[@]}"} 2>&3)
echo "$summary"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  # Indented, as a name could end a fence.
  { printf '### pagekin\n\n'; sed 's/^/    /' <<< "$summary"; echo; } >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "$CACHE" ]; then
  rm -rf "$CACHE"
  mkdir -p "$(dirname "$CACHE")"
  cp -R "$output" "$CACHE"
fi
