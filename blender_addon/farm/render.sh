#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Bake the crowds of a file once, then render its frames in chunks, several at a time.
#
#     render.sh CROWD.blend OUT_FOLDER FIRST LAST [CHUNK [AT_A_TIME]]
#
# BLENDER names the program, BAKE what the bake is told besides: BAKE="--set 'crowds.From East.count=80' --seed 7".
# The folder keeps the baked file: when it is there already, newer, and of the same BAKE, it is not baked again.
set -eu

[ $# -ge 4 ] || { sed -n '3,8p' "$0" >&2; exit 2; }
file=$1 folder=$2 first=$3 last=$4 chunk=${5:-10} at_a_time=${6:-2}
blender=${BLENDER:-blender}

mkdir -p "$folder"
baked=$folder/$(basename "$file" .blend).baked.blend
words=${BAKE:-}
if [ ! -e "$baked" ] || [ "$file" -nt "$baked" ] || [ "$words" != "$(cat "$baked.words" 2>/dev/null)" ]; then
    eval "set -- $words" # several words, some in quotes
    "$blender" --background "$file" --command footfall bake --output "$baked" --report "$folder/footfall.json" "$@"
    printf '%s\n' "$words" >"$baked.words"
fi

start=$first
while [ "$start" -le "$last" ]; do
    end=$((start + chunk - 1))
    [ "$end" -le "$last" ] || end=$last
    echo "$start $end"
    start=$((end + 1))
done | xargs -P "$at_a_time" -n 2 sh -c \
    '"$0" --background "$1" --render-output "$2/######" --frame-start "$3" --frame-end "$4" --render-anim' \
    "$blender" "$baked" "$folder"
