/* SPDX-License-Identifier: MIT */
/*
 * Frames, byte by byte, and what has to become of them. Written as hexadecimal text, so that they
 * owe nothing to the code that builds frames. The same rows are put before both compilers' copies
 * of abi/match.h: the loaded XDP program and the functions as gcc made them.
 */
#ifndef TESTS_BPF_VECTORS_H
#define TESTS_BPF_VECTORS_H

#include "abi/match.h"

struct vector {
	const char *name;
	const char *hex;
	enum match_kind kind; /* with MATCH_STAMPED */
	int udp;	      /* named by MATCH_UDP with vector_match's ports */
	int stamp_offset;     /* 0: none */
	enum refusal refusal; /* when it is asked to be sent back */
};

/* The port under test is B. Spaces are only for the eye. */
#define MAC_A	  "020000000a00 "
#define MAC_B	  "020000000b00 "
#define MAC_C	  "020000000c00 "
#define MAC_ALL	  "ffffffffffff "
#define MAC_MCAST "01005e000001 "
#define MAC_LLDP  "0180c200000e "
#define MAC_ZERO  "000000000000 "
#define A_TO_B	  MAC_B MAC_A
#define C_TO_B	  MAC_B MAC_C

#define VLAN   "8100 0064 "
#define S_VLAN "88a8 0065 "
#define NET_A  "c6120001 "
#define NET_B  "c6130001 "
#define OTHERS "0a000001 0a000002 "

#define IPV4_OF(first, frag, protocol, addresses) \
	"0800 " first "00 002e 0000 " frag " 40" protocol " 0000 " addresses
#define IPV4(protocol, addresses) IPV4_OF("45", "4000", protocol, addresses)
#define UDP(ports)		  ports " 001a 0000 "
#define OUR_IP			  IPV4("11", NET_A NET_B)
#define OUR_UDP			  UDP("c005 c000")
#define TO_PORT(port)		  IPV4("11", OTHERS) UDP("3039 " port) ZERO18
#define ZERO18			  "000000000000 000000000000 000000000000 "
#define IPV6(next, type)                                                                        \
	"86dd 60000000 0020 " next " ff fe800000000000000000000000000001 "                      \
	"fe800000000000000000000000000002 " type "00 0000 00000000 fe80000000000000 0000 0000 " \
	"000000000000 0000"
#define ARP "0806 0001 0800 06 04 0001 020000000a00 0a000001 000000000000 0a000002 " ZERO18

/* run 0x1234, flow 5, sequence 7, time 0x0123456789 */
#define STAMP	      "7864 de97 1234 000005 00000007 0123456789 "
#define STAMP_REPLIED "7864 be97 1234 200005 00000007 0123456789 "
#define BAD_CHECK     "7864 de98 1234 000005 00000007 0123456789 "
#define BAD_MAGIC     "7865 de96 1234 000005 00000007 0123456789 "
#define BAD_TIME      "7864 de97 1234 000005 00000007 0123456788 "

#define OURS	     OUR_IP OUR_UDP STAMP
#define STAMPED	     .kind = MATCH_STAMP, .stamp_offset = 42
#define TAGGED	     .kind = MATCH_STAMP, .stamp_offset = 46
#define DAMAGED	     .kind = MATCH_LOOKALIKE
#define FOREIGN	     .kind = MATCH_NONE
#define SENDABLE     .refusal = REFUSE_NOT
#define REFUSED(why) .refusal = REFUSE_##why

static const struct match_config vector_match = {
	.mac = {0x02, 0x00, 0x00, 0x00, 0x0b, 0x00},
	.stamp_offset = {42, 46},
	.net_a = 0xc6120001,
	.net_b = 0xc6130001,
	.udp = {{7, 7}, {5000, 5010}},
};

/* clang-format off */
static const struct vector vectors[] = {
	/* ours */
	{"stamped", A_TO_B OURS, STAMPED, SENDABLE},
	{"stamped, with a payload", A_TO_B OURS "3c3d3e3f 40414243", STAMPED, SENDABLE},
	{"stamped, for somebody else", MAC_C MAC_A OURS, STAMPED, SENDABLE},
	{"stamped, addresses of others", A_TO_B IPV4("11", OTHERS) OUR_UDP STAMP, STAMPED, SENDABLE},
	{"stamped, no IP at all", A_TO_B "88b5 " ZERO18 "00000000 000000000000" STAMP, STAMPED,
		SENDABLE},
	{"stamped behind a tag", A_TO_B VLAN OURS, TAGGED, SENDABLE},
	{"stamped behind a service tag", A_TO_B S_VLAN OURS, TAGGED, SENDABLE},
	{"stamped, to the discard port", A_TO_B OUR_IP UDP("c005 0007") STAMP, STAMPED, .udp = 1,
		SENDABLE},

	/* ours, damaged */
	{"wrong check", A_TO_B OUR_IP OUR_UDP BAD_CHECK, DAMAGED, SENDABLE},
	{"wrong magic", A_TO_B OUR_IP OUR_UDP BAD_MAGIC, DAMAGED, SENDABLE},
	{"wrong time", A_TO_B OUR_IP OUR_UDP BAD_TIME, DAMAGED, SENDABLE},
	{"no stamp left", A_TO_B OUR_IP OUR_UDP ZERO18, DAMAGED, SENDABLE},
	{"no stamp left, from B", A_TO_B IPV4("11", NET_B NET_A) OUR_UDP ZERO18, DAMAGED, SENDABLE},
	{"wrong check behind a tag", A_TO_B VLAN OUR_IP OUR_UDP BAD_CHECK, DAMAGED, SENDABLE},
	{"stamped behind two tags, where none is looked for", A_TO_B S_VLAN VLAN OURS, DAMAGED,
		SENDABLE},
	{"wrong check, highest ports", A_TO_B OUR_IP UDP("ffff ffff") BAD_CHECK, DAMAGED, SENDABLE},
	{"wrong check, as a multicast", MAC_MCAST MAC_A OUR_IP OUR_UDP BAD_CHECK, DAMAGED,
		REFUSED(MULTICAST)},

	/* not ours, though they look a little like it */
	{"wrong check, from A to A", A_TO_B IPV4("11", NET_A NET_A) OUR_UDP BAD_CHECK, FOREIGN,
		SENDABLE},
	{"wrong check, source of others", A_TO_B IPV4("11", "0a000001" NET_B) OUR_UDP BAD_CHECK,
		FOREIGN, SENDABLE},
	{"wrong check, ports of others", A_TO_B OUR_IP UDP("bfff c000") BAD_CHECK, FOREIGN, SENDABLE},
	{"wrong check, to a port of others", A_TO_B OUR_IP UDP("c000 1389") BAD_CHECK, FOREIGN,
		.udp = 1, SENDABLE},
	{"wrong check, TCP", A_TO_B IPV4("06", NET_A NET_B) OUR_UDP BAD_CHECK, FOREIGN, SENDABLE},
	{"wrong check, a fragment", A_TO_B IPV4_OF("45", "2000", "11", NET_A NET_B) OUR_UDP BAD_CHECK,
		FOREIGN, SENDABLE},
	{"wrong check, IP options", A_TO_B IPV4_OF("46", "4000", "11", NET_A NET_B) OUR_UDP BAD_CHECK,
		FOREIGN, SENDABLE},
	{"stamp two bytes late", A_TO_B IPV4("11", OTHERS) OUR_UDP "0000" STAMP, FOREIGN, SENDABLE},

	/* foreign */
	{"UDP to 7", A_TO_B TO_PORT("0007"), FOREIGN, .udp = 1, SENDABLE},
	{"UDP to 6", A_TO_B TO_PORT("0006"), FOREIGN, SENDABLE},
	{"UDP to 8", A_TO_B TO_PORT("0008"), FOREIGN, SENDABLE},
	{"UDP to 4999", A_TO_B TO_PORT("1387"), FOREIGN, SENDABLE},
	{"UDP to 5000", A_TO_B TO_PORT("1388"), FOREIGN, .udp = 1, SENDABLE},
	{"UDP to 5010", A_TO_B TO_PORT("1392"), FOREIGN, .udp = 1, SENDABLE},
	{"UDP to 5011", A_TO_B TO_PORT("1393"), FOREIGN, SENDABLE},
	{"UDP to 5000 behind a tag", A_TO_B VLAN TO_PORT("1388"), FOREIGN, .udp = 1, SENDABLE},
	{"UDP to 5000 behind two tags", A_TO_B S_VLAN VLAN TO_PORT("1388"), FOREIGN, .udp = 1,
		SENDABLE},
	{"UDP to 5000 in a later fragment", A_TO_B IPV4_OF("45", "0010", "11", OTHERS)
		UDP("3039 1388") ZERO18, FOREIGN, SENDABLE},
	{"TCP to 5000", A_TO_B IPV4("06", OTHERS) UDP("3039 1388") ZERO18, FOREIGN, SENDABLE},
	{"ICMP", A_TO_B IPV4("01", OTHERS) "0800 0000 0001 0001" ZERO18, FOREIGN, SENDABLE},
	{"IPv6 ping", A_TO_B IPV6("3a", "80"), FOREIGN, SENDABLE},
	{"IPv6 UDP", A_TO_B IPV6("11", "13"), FOREIGN, SENDABLE},
	{"ICMPv6 132", A_TO_B IPV6("3a", "84"), FOREIGN, SENDABLE},
	{"ICMPv6 138", A_TO_B IPV6("3a", "8a"), FOREIGN, SENDABLE},
	{"stamped behind two tags, ports of others", A_TO_B S_VLAN VLAN OUR_IP UDP("3039 c000") STAMP,
		FOREIGN, SENDABLE},
	{"three tags", A_TO_B S_VLAN VLAN VLAN OURS, FOREIGN, SENDABLE},

	/* what must not be sent back */
	{"ARP request", MAC_ALL MAC_A ARP, FOREIGN, REFUSED(NEIGHBOUR)},
	{"ARP to us alone", A_TO_B ARP, FOREIGN, REFUSED(NEIGHBOUR)},
	{"ARP behind a tag", MAC_ALL MAC_A VLAN ARP, FOREIGN, REFUSED(NEIGHBOUR)},
	{"ARP from ourselves", MAC_A MAC_B ARP, FOREIGN, REFUSED(NEIGHBOUR)},
	{"router solicitation", "333300000002 " MAC_A IPV6("3a", "85"), FOREIGN, REFUSED(NEIGHBOUR)},
	{"neighbour solicitation", A_TO_B IPV6("3a", "87"), FOREIGN, REFUSED(NEIGHBOUR)},
	{"redirect", A_TO_B IPV6("3a", "89"), FOREIGN, REFUSED(NEIGHBOUR)},
	{"solicitation behind a tag", A_TO_B VLAN IPV6("3a", "87"), FOREIGN, REFUSED(NEIGHBOUR)},
	{"LLDP", MAC_LLDP MAC_A "88cc 0207 04 020000000a00" ZERO18, FOREIGN, REFUSED(LINK_LOCAL)},
	{"spanning tree", "0180c2000000 " MAC_A "0026 4242 03" ZERO18, FOREIGN, REFUSED(LINK_LOCAL)},
	{"pause", "0180c2000001 " MAC_A "8808 0001 ffff" ZERO18, FOREIGN, REFUSED(LINK_LOCAL)},
	{"last link-local address", "0180c200000f " MAC_A OURS, STAMPED, REFUSED(LINK_LOCAL)},
	{"one beyond link-local", "0180c2000010 " MAC_A OURS, STAMPED, REFUSED(MULTICAST)},
	{"stamped broadcast", MAC_ALL MAC_A OURS, STAMPED, REFUSED(MULTICAST)},
	{"stamped multicast", MAC_MCAST MAC_A OURS, STAMPED, REFUSED(MULTICAST)},
	{"multicast of others", MAC_MCAST MAC_A TO_PORT("1388"), FOREIGN, .udp = 1,
		REFUSED(MULTICAST)},
	{"our own source", MAC_A MAC_B OURS, STAMPED, REFUSED(SOURCE)},
	{"to where it came from", MAC_C MAC_C OURS, STAMPED, REFUSED(SOURCE)},
	{"no source", MAC_B MAC_ZERO OURS, STAMPED, REFUSED(SOURCE)},
	{"multicast source", MAC_B MAC_MCAST OURS, STAMPED, REFUSED(SOURCE)},
	{"UDP from ourselves", MAC_A MAC_B TO_PORT("0007"), FOREIGN, .udp = 1, REFUSED(SOURCE)},
	{"a reply", A_TO_B OUR_IP OUR_UDP STAMP_REPLIED, STAMPED, REFUSED(REPLY)},
	{"a reply behind a tag", A_TO_B VLAN OUR_IP OUR_UDP STAMP_REPLIED, TAGGED, REFUSED(REPLY)},
	{"a reply from ourselves", MAC_A MAC_B OUR_IP OUR_UDP STAMP_REPLIED, STAMPED,
		REFUSED(SOURCE)},
};
/* clang-format on */

#define VECTORS	   (sizeof(vectors) / sizeof(vectors[0]))
#define VECTOR_MAX 128

/* What the frame is in this mode. */
static inline enum match_kind vector_kind(const struct vector *v, enum match_mode mode)
{
	if (v->kind != MATCH_NONE)
		return v->kind;
	return mode == MATCH_ALL || (mode == MATCH_UDP && v->udp) ? MATCH_ASKED : MATCH_NONE;
}

/* The bytes of a vector; how many. */
static inline uint32_t vector_bytes(const struct vector *v, uint8_t bytes[VECTOR_MAX])
{
	uint32_t digits = 0;

	for (const char *p = v->hex; *p; p++) {
		int d = *p <= '9' ? *p - '0' : *p - 'a' + 10;

		if (*p == ' ')
			continue;
		bytes[digits / 2] = (uint8_t)(digits % 2 ? bytes[digits / 2] | d : d << 4);
		digits++;
	}
	return digits / 2;
}

#endif
