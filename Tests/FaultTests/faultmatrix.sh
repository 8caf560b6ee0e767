#!/usr/bin/env bash
# Runs a program under strace, once for every cell of a matrix: one system call is made to fail,
# at its N-th occurrence, and the table says how the program came through. README.md tells what
# the program must do and what the verdicts mean.
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'TEXT'
usage: faultmatrix.sh [option...] [--] PROGRAM [ARGUMENT...]
  -c FILE     the matrix                                          (cells.txt)
  -g GROUPS   only these groups, separated by commas
  -w LIST     occurrences: N, N+ (from N on), N+S (every S-th)    ("1 2 3 1+2 1+")
  -q          quick: -w "1 1+"
  -t SECONDS  limit of one run          (3 times the slowest clean run, at least 3)
  -j N        runs at the same time                               (2)
  -o FOLDER   keep results.tsv, and a log of each cell that did not come through
  -p REGEX    faults of groups mem, thread and misc begin at the first call that matches, so that
              they spare the dynamic loader             (the first call that makes a descriptor)
Status: 0 every cell that was reached came through; 1 some did not; 3 it could not be run; 77 there
is no strace, or it may not trace.
TEXT
}

cells=$here/cells.txt groups="" occurrences="1 2 3 1+2 1+" limit="" jobs=2 out=""
marker='^(epoll_create1?|eventfd2?|timerfd_create|io_uring_setup)[(]'
spin_limit=2000 # so many injections into one run mean that it goes round and round
storm=1000      # so long does a storm of interruptions last: no kernel interrupts for ever
while getopts c:g:w:qt:j:o:p:h option; do
    case $option in
        c) cells=$OPTARG ;;
        g) groups=$OPTARG ;;
        w) occurrences=$OPTARG ;;
        q) occurrences="1 1+" ;;
        t) limit=$OPTARG ;;
        j) jobs=$OPTARG ;;
        o) out=$OPTARG ;;
        p) marker=$OPTARG ;;
        h) usage; exit 0 ;;
        *) usage >&2; exit 3 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { usage >&2; exit 3; }
program=("$@")

work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
[ -z "$out" ] || mkdir -p "$out" || exit 3
strace -qq -o /dev/null true 2>/dev/null || { echo "strace is not to be had here"; exit 77; }

now_ms() {
    local t=${EPOCHREALTIME/[.,]/}
    echo $((t / 1000))
}

# The program must be right without faults. Sets the limit from how long it takes.
run_clean() {
    local round began took slowest=0 status
    for round in 1 2 3; do
        began=$(now_ms)
        timeout 30 "${program[@]}" >"$work/clean" 2>&1 </dev/null
        status=$?
        took=$(($(now_ms) - began))
        if [ $status -ne 0 ]; then
            echo "faultmatrix: run $round without faults ended with status $status" >&2
            tail -n 3 "$work/clean" >&2
            exit 3
        fi
        [ $took -le $slowest ] || slowest=$took
    done
    clean_ms=$slowest
    [ -n "$limit" ] || limit=$(((slowest * 3 + 999) / 1000))
    [ "$limit" -ge 3 ] || limit=3
}

# How often the program makes each system call, and how often its first thread does before the
# marker.
declare -A total before_marker
take_census() {
    local name count before
    timeout 60 strace -f -qq -o "$work/census" "${program[@]}" >/dev/null 2>&1 </dev/null ||
        { echo "faultmatrix: the traced run without faults failed" >&2; exit 3; }
    while read -r name count before; do
        total[$name]=$count
        before_marker[$name]=$before
    done < <(awk -v marker="$marker" '
        NR == 1 { first = $1 }
        {
            thread = $1
            call = $0
            sub(/^[0-9]+ +/, "", call)
            if (thread == first && call ~ marker) past_marker = 1
            name = call
            sub(/\(.*/, "", name)
            if (name !~ /^[a-z_0-9]+$/) next
            count[name]++
            if (thread == first && !past_marker) before[name]++
        }
        END { for (name in count) print name, count[name], before[name] + 0 }' "$work/census")
}

# The occurrence as strace counts it: from the start of the program.
occurrence_for() { # GROUP SYSCALL FAULT OCCURRENCE
    local first=${4%%+*} rest="" skip=0
    [[ $4 != *+* ]] || rest=+${4#*+}
    case $1 in mem | thread | misc) skip=${before_marker[$2]:-0} ;; esac
    first=$((first + skip))
    case $3 in
        error=EINTR | retval=* | signal=*) [ "$rest" != + ] || rest=..$((first + storm - 1)) ;;
    esac
    echo "$first$rest"
}

count_injections() { # FAULT TRACE
    case $1 in
        signal=*) grep -c -- "--- ${1#signal=}" "$2" ;;
        delay_*) grep -c DELAYED "$2" ;;
        *) grep -c INJECTED "$2" ;;
    esac
}

verdict_of() { # STATUS INJECTIONS
    if [ "$2" -eq 0 ] && [ "$1" -eq 0 ]; then echo -
    elif [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then
        if [ "$2" -gt $spin_limit ]; then echo spin; else echo hang; fi
    elif [ "$1" -ge 128 ]; then echo crash
    elif [ "$1" -eq 2 ]; then echo reported
    elif [ "$1" -ne 0 ]; then echo wrong
    elif [ "$2" -gt $spin_limit ]; then echo spin
    else echo ok; fi
}

comes_through() { # VERDICT MUST: yes, no, or - for a cell that was not reached
    case $1/$2 in
        -/*) echo - ;;
        ok/* | reported/rep) echo yes ;;
        *) echo no ;;
    esac
}

keep_log() { # CELL TITLE
    {
        echo "$2"
        echo "output:"
        tail -n 20 "$work/$1.output"
        echo "last calls:"
        tail -n 40 "$work/$1.trace"
    } >"$out/$1.log"
}

run_cell() { # CELL GROUP SYSCALL FAULT PATH MUST OCCURRENCE
    local cell=$1 group=$2 syscall=$3 fault=$4 path=$5 must=$6 occurrence=$7
    local at status began took injections verdict through filter=()
    at=$(occurrence_for "$group" "$syscall" "$fault" "$occurrence")
    [ "$path" = - ] || filter=(-P "$path")
    began=$(now_ms)
    timeout -k 1 "$limit" strace -f -qq -o "$work/$cell.trace" "${filter[@]}" -e trace="$syscall" \
        -e "inject=$syscall:$fault:when=$at" "${program[@]}" >"$work/$cell.output" 2>&1 </dev/null
    status=$?
    took=$(($(now_ms) - began))
    injections=$(count_injections "$fault" "$work/$cell.trace")
    verdict=$(verdict_of $status "$injections")
    through=$(comes_through "$verdict" "$must")
    printf '%s\t' "$group" "$syscall" "$fault" "$occurrence" "$must" "$verdict" $status \
        "$injections" $took >"$work/$cell.result"
    echo "$through" >>"$work/$cell.result"
    if [ -n "$out" ] && [ "$through" = no ]; then
        keep_log "$cell" "$syscall $fault at $at, $injections times: $verdict, status $status"
    fi
    rm -f "$work/$cell.trace" "$work/$cell.output"
}

is_reachable() { # GROUP SYSCALL: it is asked for, the program makes the call, strace knows it
    case ",$groups," in ,, | *",$1,"*) ;; *) return 1 ;; esac
    [ -n "${total[$2]:-}" ] && strace -qq -o /dev/null -e trace="$2" true 2>/dev/null
}

run_matrix() {
    local group syscall fault path must occurrence number=0
    while read -r group syscall fault path must; do
        if ! is_reachable "$group" "$syscall"; then
            rows_left_out=$((rows_left_out + 1))
            continue
        fi
        for occurrence in $occurrences; do
            number=$((number + 1))
            run_cell "$(printf 'cell%04d' $number)" "$group" "$syscall" "$fault" "$path" "$must" \
                "$occurrence" 2>/dev/null &
            while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        done
    done < <(grep -vE '^[[:space:]]*(#|$)' "$cells")
    wait
    [ $number -gt 0 ] || { echo "faultmatrix: the program makes none of these calls" >&2; exit 3; }
    {
        printf 'group\tsyscall\tfault\toccurrence\tmust\tverdict\tstatus\tinjections\tms\tthrough\n'
        cat "$work"/cell*.result
    } >"$work/results.tsv"
    [ -z "$out" ] || cp "$work/results.tsv" "$out/results.tsv"
}

# The table, and the exit status.
show() {
    awk -F'\t' -v occurrences="$occurrences" '
        NR == 1 { next }
        {
            row = sprintf("%-7s %-17s %-18s %-4s", $1, $2, $3, $5)
            if (!(row in seen)) { seen[row] = 1; rows[++row_count] = row }
            verdict[row, $4] = $6 ($10 == "no" ? "!" : "")
            if ($10 == "-") { unreached++; next }
            reached++
            count[$6]++
            if ($10 == "yes") through++
        }
        END {
            columns = split(occurrences, column, " ")
            printf "%-7s %-17s %-18s %-4s", "group", "syscall", "fault", "must"
            for (c = 1; c <= columns; c++) printf " %-9s", "at " column[c]
            for (r = 1; r <= row_count; r++) {
                printf "\n%s", rows[r]
                for (c = 1; c <= columns; c++) printf " %-9s", verdict[rows[r], column[c]]
            }
            printf "\n\n%d cells reached, %d not: ", reached, unreached
            printf "ok %d, reported %d, wrong %d, ", count["ok"], count["reported"], count["wrong"]
            printf "crash %d, hang %d, spin %d\n", count["crash"], count["hang"], count["spin"]
            printf "%d of %d came through\n", through, reached
            exit through != reached
        }' "$work/results.tsv"
}

rows_left_out=0 clean_ms=0
run_clean
take_census
run_matrix
show
status=$?
echo "$rows_left_out rows left out, limit ${limit} s, run without faults ${clean_ms} ms"
exit $status
