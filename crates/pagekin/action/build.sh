#!/usr/bin/env bash
# Indexes SITE into OUTPUT, after the index of the last run in CACHE, and keeps the new one there.
set -euo pipefail

output=${OUTPUT:-$SITE/pagekin}
arguments=("$SITE" --output "$output" --base-url "$BASE_URL")
if [ -n "$CACHE" ]; then arguments+=(--previous "$CACHE"); fi
read -ra more <<< "$ARGS"

summary=$(pagekin build "${arguments[@]}" ${more[@]+"${more[@]}"})
echo "$summary"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  printf '### pagekin\n\n```text\n%s\n```\n' "$summary" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "$CACHE" ]; then
  rm -rf "$CACHE"
  mkdir -p "$(dirname "$CACHE")"
  cp -R "$output" "$CACHE"
fi
