#!/usr/bin/env bash
# Explores each model in each of its configurations, in which no error may be found, and with each
# of its mutations, in which one must. README.md tells what a model is.
set -u

usage() {
    cat <<'TEXT'
usage: run.sh [option...] [model...]
  --cc COMMAND   the compiler for the explorers that spin writes       (cc)
  --jobs N       explorers at the same time                            (2)
  --list         print the configurations and mutations, explore nothing
  --trace MODEL CONFIGURATION [MUTATION]
                 print the steps that lead to the first error found
A model is a name, wake for example; none means all.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cc=${CC:-cc} jobs=2 list=0 trace=0
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --cc) cc=$2; shift ;;
        --jobs) jobs=$2; shift ;;
        --list) list=1 ;;
        --trace) trace=1 ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "run.sh: there is no option $1" >&2; usage >&2; exit 2 ;;
        *) wanted+=("${1%.pml}") ;;
    esac
    shift
done

# Another program of that name exists.
spin -V 2>/dev/null | grep -q '^Spin Version' || { echo "spin is not installed"; exit 77; }
work=$(mktemp -d -t models.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT

flags_of() { # MODEL CONFIGURATION
    awk -v name="$2" '$2 == "config" && $3 == name { for (i = 4; i <= NF; i++) print $i }' \
        "$here/$1.pml"
}

checks_of() { # MODEL: lines of CONFIGURATION, or CONFIGURATION MUTATION
    awk '$2 == "config" { print $3 } $2 == "mutant" { print $3, $4 }' "$here/$1.pml"
}

# Leaves what the explorer said in FOLDER/said. It stops at the first error; a path that is deeper
# than it can follow is one, and so is a memory that it cannot fit in.
explore() { # FOLDER OPTIMISATION MODEL CONFIGURATION [MUTATION]
    local flags
    mapfile -t flags < <(flags_of "$3" "$4")
    [ $# -lt 5 ] || flags+=("-D$5")
    mkdir -p "$1" && cd "$1" || return
    {
        spin -P"$cc -E -x c" "${flags[@]}" -a "$here/$3.pml" &&
            $cc "$2" -w -DSAFETY -DCOLLAPSE -DMEMLIM=3000 pan.c -o pan && ./pan -b -m20000 -n
    } >said 2>&1 </dev/null
}

is_whole() { # FOLDER: every state was seen, and none is wrong
    grep -q 'errors: 0$' "$1/said" && ! grep -q 'Search not completed' "$1/said"
}

judge() { # FOLDER MODEL CONFIGURATION [MUTATION]: prints "passed", or what is wrong
    if [ $# -eq 3 ]; then
        explore "$1" -O1 "$2" "$3"
        if is_whole "$1"; then echo passed; else grep -m1 -E '^pan|rror' "$1/said"; fi
    else
        # Found soon: not worth an optimiser's time.
        explore "$1" -O0 "$2" "$3" "$4"
        if grep -qE '^pan:1: (assertion violated|invalid end state)' "$1/said"; then
            echo passed
        else
            echo "no error was found: $(grep -m1 -E '^pan|rror' "$1/said")"
        fi
    fi
}

if [ $trace = 1 ]; then
    explore "$work" -O0 "${wanted[@]}"
    [ -e "$work/${wanted[0]}.pml.trail" ] || { grep -E '^pan|rror' "$work/said"; exit 1; }
    mapfile -t flags < <(flags_of "${wanted[0]}" "${wanted[1]}")
    [ ${#wanted[@]} -lt 3 ] || flags+=("-D${wanted[2]}")
    spin -P"$cc -E -x c" "${flags[@]}" -k "$work/${wanted[0]}.pml.trail" -p -g \
        "$here/${wanted[0]}.pml"
    exit
fi

[ ${#wanted[@]} -gt 0 ] || wanted=(wake stop gate signal perform recycle queue)
for model in "${wanted[@]}"; do
    [ -e "$here/$model.pml" ] || { echo "run.sh: there is no model $model" >&2; exit 2; }
    while read -r check; do
        if [ $list = 1 ]; then echo "$model $check"; continue; fi
        folder=$work/$model.${check/ /.}
        mkdir "$folder" || exit 2
        # shellcheck disable=SC2086 # one word or two
        judge "$folder" "$model" $check >"$folder/verdict" &
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    done < <(checks_of "$model")
done
wait
[ $list = 0 ] || exit 0

passed=0 failed=0
for model in "${wanted[@]}"; do
    states=0 configurations=0 mutations=0 refuted=0
    while read -r check; do
        folder=$work/$model.${check/ /.}
        verdict=$(cat "$folder/verdict")
        if [ "$verdict" = passed ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL $model $check: $verdict"
        fi
        if [[ $check == *' '* ]]; then
            mutations=$((mutations + 1))
            [ "$verdict" != passed ] || refuted=$((refuted + 1))
        else
            configurations=$((configurations + 1))
            states=$((states + $(awk '/states, stored/ { print $1 }' "$folder/said")))
        fi
    done < <(checks_of "$model")
    printf '%-8s %9d states in %d configurations, errors in %d of %d mutations\n' \
        "$model" $states $configurations $refuted $mutations
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
