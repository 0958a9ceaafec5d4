#!/bin/sh
# SPDX-License-Identifier: MIT
# The lab that "xdploop demo" makes for itself, with names, for trying commands by hand.
#
#   tools/lab.sh up [chain] [QUEUES]   make it (2 queues unless told)
#   tools/lab.sh shell [a|b|d]         a shell in one of its namespaces (a unless told)
#   tools/lab.sh down                  remove it
#
#   pair    xdploop-a: lab-a ======== lab-b :xdploop-b
#   chain   xdploop-a: lab-g0 === lab-d0 [xdploop-d] lab-d1 === lab-g1 :xdploop-b
set -u
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

usage() {
	sed -n 's/^# \{0,1\}//; 3,10p' "$0" >&2
	exit 2
}

die() {
	echo "lab.sh: $*" >&2
	exit 1
}

exists() {
	[ -e "/run/netns/xdploop-$1" ]
}

down() {
	for ns in a b d; do
		exists $ns && ip netns delete xdploop-$ns
	done
	return 0
}

# IPv6 goes off before there are links: it would send frames of its own.
namespace() {
	ip netns add "xdploop-$1" &&
		nsenter --net="/run/netns/xdploop-$1" sh -c '
			cd /proc/sys/net/ipv6/conf 2>/dev/null || exit 0
			echo 1 >default/disable_ipv6 && echo 1 >all/disable_ipv6'
}

# cable NS PORT MAC NS PORT MAC
cable() {
	ip -n "xdploop-$1" link add "$2" address "$3" numrxqueues "$queues" numtxqueues "$queues" \
		type veth peer name "$5" address "$6" netns "xdploop-$4" \
		numrxqueues "$queues" numtxqueues "$queues" &&
		ip -n "xdploop-$1" link set "$2" up && ip -n "xdploop-$4" link set "$5" up
}

make_pair() {
	namespace a && namespace b &&
		cable a lab-a 02:00:00:00:0a:00 b lab-b 02:00:00:00:0b:00
}

make_chain() {
	namespace a && namespace b && namespace d &&
		cable a lab-g0 02:00:00:00:0a:00 d lab-d0 02:00:00:00:0d:00 &&
		cable b lab-g1 02:00:00:00:0b:00 d lab-d1 02:00:00:00:0d:01
}

say_pair() {
	cat <<-END
		The lab is up. Try, as root:

		  xdploop bench xdploop-a:lab-a xdploop-b:lab-b --monitor
		  xdploop count xdploop-b:lab-b --duration 20s     and in another terminal
		  xdploop send xdploop-a:lab-a --dst-mac 02:00:00:00:0b:00 --frames 1000
		  xdploop reflect xdploop-b:lab-b                  and send again: the frames come back
		  xdploop monitor                                  while one of them runs
	END
}

say_chain() {
	cat <<-END
		The lab is up. Try, as root:

		  xdploop reflect xdploop-d:lab-d0 xdploop-d:lab-d1   and in another terminal
		  xdploop bench xdploop-a:lab-g0 xdploop-b:lab-g1
		  xdploop monitor                                     while one of them runs
	END
}

up() {
	shape=pair queues=2
	for word; do
		case $word in
		pair | chain) shape=$word ;;
		'' | *[!0-9]* | 0*) usage ;;
		*) queues=$word ;;
		esac
	done
	for ns in a b d; do
		! exists $ns || die "there is a lab already: tools/lab.sh down"
	done
	if ! "make_$shape"; then
		down
		die "the lab could not be made, nothing is left of it"
	fi
	"say_$shape"
	echo
	echo "tools/lab.sh shell gives a shell inside, tools/lab.sh down removes the lab."
}

[ $# -gt 0 ] || usage
command=$1
shift
case $command in
up | down | shell) ;;
*) usage ;;
esac
[ "$(id -u)" = 0 ] || die "needs root: sudo tools/lab.sh $command $*"
case $command in
up)
	up "$@"
	;;
down)
	[ $# = 0 ] || usage
	down
	;;
shell)
	ns=${1:-a}
	exists "$ns" || die "there is no namespace xdploop-$ns: tools/lab.sh up"
	# Not "ip netns exec": that mounts another /sys, without the BPF file system.
	exec nsenter --net="/run/netns/xdploop-$ns" "${SHELL:-/bin/sh}"
	;;
esac
