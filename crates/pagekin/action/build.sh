#!/usr/bin/env bash
# Indexes SITE into OUTPUT, reusing the index of the last run in CACHE, and caches the new index there.
set -euo pipefail

output=${OUTPUT:-$SITE/pagekin}
arguments=("$SITE" --output "$output" --base-url "$BASE_URL")
if [ -n "$CACHE" ]; then arguments+=(--previous "$CACHE"); fi
read -ra more <<< "$ARGS"

# The output contains names and titles of the site, which must not act as commands for the runner, such as `::error::`.
# Both outputs share one stream, because otherwise the runner might read the end before the last warning.
exec 2>&1 3>&1
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT
summary=$(pagekin build "${arguments[@]}" ${more[@]+"${more[@]}"} 2>&3)
echo "$summary"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  # Indented, because a name could end a fenced block.
  { printf '### pagekin\n\n'; sed 's/^/    /' <<< "$summary"; echo; } >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "$CACHE" ]; then
  rm -rf "$CACHE"
  mkdir -p "$(dirname "$CACHE")"
  cp -R "$output" "$CACHE"
fi
