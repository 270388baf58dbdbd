#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Bake the crowds of a file once, then render its frames in chunks, several at a time.
#
#     render.sh CROWD.blend OUT_FOLDER FIRST LAST [CHUNK [AT_A_TIME]]
#
# BLENDER names the program, BAKE further options of the bake: BAKE="--set 'crowds.From East.count=80' --seed 7".
# The folder keeps the baked file: when it is there already, newer, and of the same BAKE, it is not baked again.
# Exit code 2: the words are at fault, and nothing was done.
set -eu

fail() {
    printf 'render.sh: %s\n' "$1" >&2
    exit 2
}

# The number of a word such as 12 or 0012; $2 says what it is, $3 the least that it may be.
whole_number() {
    case $1 in
        "" | *[!0-9]*) fail "$2 must be a whole number of at least $3, got '$1'" ;;
    esac
    [ ${#1} -le 9 ] || fail "$2 has too many digits: '$1'"
    number=$(expr "$1" + 0) || [ "$number" = 0 ]
    [ "$number" -ge "$3" ] || fail "$2 must be at least $3, got '$1'"
    echo "$number"
}

# A path that no program takes for an option.
as_path() {
    case $1 in
        -*) printf './%s\n' "$1" ;;
        *) printf '%s\n' "$1" ;;
    esac
}

[ $# -ge 4 ] && [ $# -le 6 ] || { sed -n '3,9p' "$0" >&2; exit 2; }
file=$(as_path "$1")
folder=$(as_path "$2")
first=$(whole_number "$3" FIRST 0) # one a line: what fails ends the script only there
last=$(whole_number "$4" LAST 0)
chunk=$(whole_number "${5:-10}" CHUNK 1)
at_a_time=$(whole_number "${6:-2}" AT_A_TIME 1)
[ "$first" -le "$last" ] || fail "LAST must not be before FIRST, got $3 to $4"
[ -f "$file" ] || fail "there is no file '$file'"
blender=${BLENDER:-blender}

words=${BAKE:-}
set --
case $words in
    *[![:space:]]*)
        # xargs takes quotes apart, as 'From East', and runs nothing of what stands between them; a line for each word.
        each=$(printf '%s\n' "$words" | xargs -n 1 printf '.%s\n') || fail "BAKE cannot be read: $words"
        while IFS= read -r word; do
            set -- "$@" "${word#.}"
        done <<END
$each
END
        ;;
esac

mkdir -p "$folder" || fail "cannot make the folder '$folder'"
baked=$folder/$(basename "$file" .blend).baked.blend
if [ ! -e "$baked" ] || [ "$file" -nt "$baked" ] || [ "$words" != "$(cat "$baked.words" 2>/dev/null)" ]; then
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
