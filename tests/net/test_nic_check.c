/* SPDX-License-Identifier: MIT */
/* Ports that a test must not run on: each refused, in words of its own. */
#include "io/nic.h"
#include "sandbox.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Open, check, close; what was said is in *text. */
static int check(const char *word, uint32_t frame_bytes, bool force, const char **text)
{
	struct nic nic;
	int err;

	assert_int_equal(nic_open(&nic, word), 0);
	said_start();
	err = nic_check(&nic, frame_bytes, force);
	*text = said();
	nic_close(&nic);
	return err;
}

static void check_lets_a_port_pass_in_silence(void **state)
{
	const char *text;

	assert_int_equal(check("t0", 64, false, &text), 0);
	assert_string_equal(text, "");
	assert_int_equal(check("t0", 1518, false, &text), 0);
	assert_string_equal(text, "");
	assert_int_equal(check("t0", 0, false, &text), 0); /* no size: count and reflect */
}

static void check_refuses_loopback(void **state)
{
	const char *text;

	assert_int_equal(check("lo", 64, true, &text), -EINVAL);
	assert_says(text, "xdploop: lo is the loopback device");
	assert_says(text, "xdploop demo");
}

static void check_refuses_a_port_that_is_down(void **state)
{
	const char *text;

	assert_int_equal(shell("ip link set t0 down"), 0);
	assert_int_equal(check("t0", 64, true, &text), -ENETDOWN);
	assert_string_equal(text, "xdploop: t0 is down: ip link set t0 up\n");
	assert_int_equal(shell("ip netns add blue && ip link set t0 netns blue"), 0);
	assert_int_equal(check("blue:t0", 64, true, &text), -ENETDOWN);
	assert_string_equal(text, "xdploop: blue:t0 is down: ip -n blue link set t0 up\n");
	assert_int_equal(check("/run/netns/blue:t0", 64, true, &text), -ENETDOWN);
	assert_says(text, "nsenter --net=/run/netns/blue ip link set t0 up");
	assert_int_equal(shell("ip netns del blue"), 0);
}

static void check_refuses_frames_that_the_mtu_cuts(void **state)
{
	const char *text;

	assert_int_equal(check("t0", 1519, false, &text), -EMSGSIZE);
	assert_string_equal(text, "xdploop: t0: frames of 1519 bytes need an MTU of 1501, it has "
				  "1500: ip link set t0 mtu 1501, or --size 1518\n");
	assert_int_equal(shell("ip link set t0 mtu 1501"), 0);
	assert_int_equal(check("t0", 1519, false, &text), 0);
}

/* kind as the kernel names it; from the kernel where it can make one, else said of a veth port. */
static void kind_refused(const char *kind, const char *make, const char *what)
{
	const char *text;
	struct nic nic;

	if (!shell("%s && ip link set k0 up", make)) {
		assert_int_equal(check("k0", 64, true, &text), -EINVAL);
		assert_says(text, what);
	} else {
		print_message("# not with a real one: this kernel makes no %s\n", kind);
	}
	shell("ip link del k0");
	assert_int_equal(nic_open(&nic, "t0"), 0);
	snprintf(nic.kind, sizeof(nic.kind), "%s", kind);
	said_start();
	assert_int_equal(nic_check(&nic, 64, true), -EINVAL);
	text = said();
	assert_says(text, what);
	nic_close(&nic);
}

static void check_refuses_a_bond(void **state)
{
	kind_refused("bond", "ip link add k0 type bond",
		     "0 is a bond: give the ports it is made of");
}

static void check_refuses_a_team(void **state)
{
	kind_refused("team", "ip link add k0 type team", "0 is a team of ports: give the ports");
}

static void check_refuses_a_bridge(void **state)
{
	kind_refused("bridge", "ip link add k0 type bridge",
		     "0 is a bridge: give the ports that are in it");
}

static void check_refuses_a_vlan(void **state)
{
	kind_refused("vlan", "ip link add link t0 name k0 type vlan id 5",
		     "0 is a VLAN: give the port below it");
}

static void check_refuses_wireless(void **state)
{
	const char *text;
	struct nic nic;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	nic.wireless = true;
	said_start();
	assert_int_equal(nic_check(&nic, 64, true), -EINVAL);
	text = said();
	assert_says(text, "t0 is wireless");
	nic_close(&nic);
}

static void check_refuses_what_is_not_ethernet(void **state)
{
	const char *text;

	if (shell("ip tuntap add mode tun name k0 && ip link set k0 up")) {
		print_message("# no tun device here\n");
		skip();
	}
	assert_int_equal(check("k0", 64, true, &text), -EINVAL);
	assert_says(text, "k0 is not an Ethernet port");
	assert_int_equal(shell("ip link del k0"), 0);
}

/* The default route, over whatever stands on the port. */
static void route_refused(const char *set, const char *says)
{
	const char *text;

	assert_int_equal(shell("%s", set), 0);
	assert_int_equal(check("t0", 64, false, &text), -EBUSY);
	assert_says(text, says);
	assert_says(text, "--force");
	assert_int_equal(check("t0", 64, true, &text), 0);
	assert_string_equal(text, "");
	assert_int_equal(check("t1", 64, false, &text), 0);
}

static void check_refuses_the_default_route_unless_forced(void **state)
{
	route_refused("ip route add 198.51.100.0/24 dev t1; ip route add default dev t0",
		      "xdploop: t0 carries the default route: a test would cut");
}

static void check_refuses_the_default_route_of_any_table(void **state)
{
	route_refused("ip route add default dev t0 table 77",
		      "xdploop: t0 carries the default route: ");
}

static void check_refuses_one_hop_of_several(void **state)
{
	const char *text;

	assert_int_equal(shell("ip link add t2 type veth peer name t3 && ip link set t2 up && "
			       "ip link set t3 up && ip route add default nexthop dev t2 "
			       "nexthop dev t0"),
			 0);
	assert_int_equal(check("t0", 64, false, &text), -EBUSY);
	assert_int_equal(check("t2", 64, false, &text), -EBUSY);
	assert_int_equal(check("t3", 64, false, &text), 0);
	assert_int_equal(shell("ip link del t2"), 0);
}

static void check_refuses_the_default_route_of_ipv6(void **state)
{
	if (shell("ip -6 route add default dev t0")) {
		print_message("# no IPv6 here\n");
		skip();
	}
	route_refused("true", "t0 carries the default route: ");
}

static void check_sees_the_default_route_through_a_bridge(void **state)
{
	route_refused("ip link add br0 type bridge && ip link set br0 up && "
		      "ip link set t0 master br0 && ip route add default dev br0",
		      "xdploop: t0 carries the default route (through br0): ");
	assert_int_equal(shell("ip link del br0"), 0);
}

static void check_sees_the_default_route_through_two_stories(void **state)
{
	if (shell("ip link add br0 type bridge && ip link set br0 up && ip link set t0 master br0 "
		  "&& ip link add link br0 name up1 type macvlan && ip link set up1 up")) {
		shell("ip link del br0");
		print_message("# no macvlan here\n");
		skip();
	}
	route_refused("ip route add default dev up1", "(through up1)");
	assert_int_equal(shell("ip link del br0"), 0);
}

/* An unreachable or a blackhole default carries nothing. */
static void check_ignores_a_default_that_leads_nowhere(void **state)
{
	const char *text;

	assert_int_equal(shell("ip route add blackhole default metric 9"), 0);
	assert_int_equal(check("t0", 64, false, &text), 0);
	assert_int_equal(shell("ip route del blackhole default metric 9"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, port_setup, port_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(check_lets_a_port_pass_in_silence),
		TEST(check_refuses_loopback),
		TEST(check_refuses_a_port_that_is_down),
		TEST(check_refuses_frames_that_the_mtu_cuts),
		TEST(check_refuses_a_bond),
		TEST(check_refuses_a_team),
		TEST(check_refuses_a_bridge),
		TEST(check_refuses_a_vlan),
		TEST(check_refuses_wireless),
		TEST(check_refuses_what_is_not_ethernet),
		TEST(check_refuses_the_default_route_unless_forced),
		TEST(check_refuses_the_default_route_of_any_table),
		TEST(check_refuses_one_hop_of_several),
		TEST(check_refuses_the_default_route_of_ipv6),
		TEST(check_sees_the_default_route_through_a_bridge),
		TEST(check_sees_the_default_route_through_two_stories),
		TEST(check_ignores_a_default_that_leads_nowhere),
	};
	const char *reason = sandbox_enter();

	if (reason) {
		printf("skip - nic_check: %s\n", reason);
		return 0;
	}
	return cmocka_run_group_tests_name("nic_check", tests, NULL, NULL);
}
