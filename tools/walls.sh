#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the walls between the rooms: which headers a room includes, and which functions the pure
# rooms call. Prints what breaks a wall, with its place; exit status 1 if anything does.
#
#   B=build tools/walls.sh     compiled objects of the pure rooms are taken from $B
set -u
cd "$(dirname "$0")/.." || exit 1
B=${B:-build}
bad=0

broken() {
	echo "$*"
	bad=1
}

# --- includes: room, rooms whose headers it may include ---

check_includes() { # ROOM ALLOWED...
	local room=$1 files file line text header

	shift
	files=(include/"$room"/*.h user/"$room"/*.[ch])
	while IFS=: read -r file line text; do
		header=$(sed -E 's/.*#include *"([^"]*)".*/\1/' <<<"$text")
		case $header in
		*/*) ;;
		version.h) continue ;;
		*.skel.h) continue ;; # below
		*)
			[ -e "user/$room/$header" ] || broken "$file:$line: $header: where is it?"
			continue
			;;
		esac
		case " $* " in
		*" ${header%%/*} "*) ;;
		*) broken "$file:$line: $room must not include $header" ;;
		esac
	done < <(grep -HnE '^#include *"' "${files[@]}" 2>/dev/null)
}

# Only these files may include what matches.
check_only() { # PATTERN ALLOWED-FILES...
	local pattern=$1 file line text

	shift
	while IFS=: read -r file line text; do
		case " $* " in
		*" $file "*) ;;
		*) broken "$file:$line: ${text#\#include }: only ${*:-nobody} may" ;;
		esac
	done < <(grep -rnE "^#include *[<\"]($pattern)[>\"]" include user)
}

# A pure room: no header of the system beyond these.
pure_headers='std(bool|int|def|arg|io|lib)|strings?|math|inttypes|limits|float|errno|ctype|assert|linux/types'
check_pure_headers() { # ROOM [more]
	local file line text

	while IFS=: read -r file line text; do
		broken "$file:$line: ${text#\#include } in a pure room"
	done < <(grep -HnE '^#include *<' include/"$1"/*.h user/"$1"/*.[ch] 2>/dev/null |
		grep -vE "#include *<($pure_headers${2:+|$2})\.h>")
}

# --- calls: undefined symbols of a room's joined objects ---

core_calls='mem(cpy|set|cmp|move|chr|mem)|str[a-z]*|snprintf|vsnprintf|qsort|bsearch|__errno_location'
core_calls+='|__ctype_.*|__isoc99_.*|__isoc23_strto.*|(exp|log|log2|log10|pow|sqrt|floor|ceil|round|l?lround|fabs|fmin|fmax|fmod|modf|erf|ldexp|frexp|trunc|rint|nearbyint|isnan|isinf)[fl]?'
core_calls+='|__stack_chk_fail|__(mem|str|snprintf|vsnprintf)[a-z]*_chk|__assert_fail|_GLOBAL_OFFSET_TABLE_|__u?(div|mod)ti3'
# A stream over memory of its own is no stdio; stdout, stderr and fopen are.
memstream_calls='open_memstream|f(printf|putc|puts|write|close|error|flush)|__fprintf_chk|putc'
alloc_calls='malloc|calloc|realloc|free|strdup|asprintf|vasprintf'

check_calls() { # ROOM ALLOWED OBJECTS-OF-OTHER-ROOMS -- OBJECTS
	local room=$1 allowed=$2 symbol objects=() lower=() joined defined

	shift 2
	while [ "$1" != -- ]; do
		lower+=("$1")
		shift
	done
	shift
	objects=("$@")
	joined=$(mktemp) || exit 1
	if ! ld -r "${objects[@]}" -o "$joined" 2>"$joined.err"; then
		broken "$room: can't join its objects: $(head -n 1 "$joined.err")"
		rm -f "$joined" "$joined.err"
		return
	fi
	defined=$(nm --defined-only "${lower[@]}" /dev/null 2>/dev/null | awk 'NF == 3 { print $3 }')
	while read -r symbol; do
		grep -qxE "$allowed" <<<"$symbol" && continue
		grep -qxF "$symbol" <<<"$defined" && continue
		broken "$(place_of "$symbol" "${objects[@]}"): $room must not use $symbol"
	done < <(nm -u "$joined" | awk '{ print $NF }')
	# core has no state: nothing it defines can be written.
	if [ "$room" = core ]; then
		while read -r symbol; do
			broken "$(place_of "$symbol" "${objects[@]}"): core must not keep $symbol"
		done < <(objdump -t "$joined" |
			awk 'NF > 3 && $(NF - 2) ~ /^(\.bss|\.data|\*COM\*)/ && $(NF - 2) !~ /\.rel\.ro/ &&
				$(NF - 2) != $NF { print $NF }')
	fi
	rm -f "$joined" "$joined.err"
}

# The source file and line that mention a symbol.
place_of() {
	local symbol=$1 object source line

	shift
	for object; do
		nm "$object" | awk '{ print $NF }' | grep -qxF "$symbol" || continue
		source=${object#"$B"/}
		source=${source%.o}.c
		line=$(grep -nwF -m 1 "$symbol" "$source" | cut -d: -f1)
		echo "$source${line:+:$line}"
		return
	done
}

objects_of() { # ROOM [but]
	local file

	for file in user/"$1"/*.c; do
		[ "$file" = "user/$1/${2-}" ] || echo "$B/${file%.c}.o"
	done
}

main() {
	local core report tui

	check_includes abi abi
	check_includes core abi core
	check_includes report abi core report
	check_includes tui abi core tui
	check_includes io abi core io
	check_includes run abi core io report run
	check_includes cli abi core io report run tui cli
	check_pure_headers abi
	check_pure_headers core
	check_pure_headers report jansson
	check_only '(n?curses|term)(w?/.*)?\.h' user/tui/screen.c
	check_only 'xdp/xsk\.h' include/io/queue_io.h user/io/queue.c user/io/queue_open.c
	check_only '[a-z_]*\.skel\.h' user/io/prog_steer.c user/io/inside_open.c
	check_only '(bpf/.*|linux/bpf\.h)' include/io/prog_load.h user/io/prog.c \
		user/io/inside.c user/io/inside_open.c user/io/log.c \
		user/io/nic_link.c

	mapfile -t core < <(objects_of core)
	mapfile -t report < <(objects_of report)
	mapfile -t tui < <(objects_of tui screen.c)
	check_calls core "$core_calls" -- "${core[@]}"
	check_calls report "$core_calls|$alloc_calls|$memstream_calls|json_.*|jsonp_.*" "${core[@]}" -- "${report[@]}"
	check_calls tui "$core_calls|$alloc_calls" "${core[@]}" -- "${tui[@]}"
	return $bad
}

main "$@"
