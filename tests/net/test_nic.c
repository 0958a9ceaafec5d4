/* SPDX-License-Identifier: MIT */
/* Ports: words, facts, promiscuous mode, the link, other people's programs. On a real kernel. */
#include "io/clock.h"
#include "io/netns.h"
#include "io/nic.h"
#include "sandbox.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <netlink/route/link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- ports --- */

static void nic_reads_the_facts_of_a_port(void **state)
{
	struct nic nic;

	assert_int_equal(shell("ip link set t0 address 02:11:22:33:44:55 mtu 1400"), 0);
	assert_int_equal(nic_open(&nic, "t0"), 0);
	assert_string_equal(nic.text, "t0");
	assert_string_equal(nic.driver, "veth");
	assert_string_equal(nic.kind, "veth");
	assert_memory_equal(nic.mac, "\x02\x11\x22\x33\x44\x55", 6);
	assert_int_equal(nic.mtu, 1400);
	assert_int_equal(nic.ifindex, if_nametoindex("t0"));
	assert_int_equal(nic.netns, NETNS_OWN);
	assert_int_equal(nic.speed_bps, 10000000000);
	assert_true(nic.speed_nominal && nic.ethernet && nic.carrier);
	assert_false(nic.wireless || nic.loopback);
	assert_int_equal(nic.rx_ring, 0);

	assert_int_equal(shell("ip link set t0 mtu 1300; ip link set t1 down"), 0);
	assert_int_equal(nic_refresh(&nic), 0);
	assert_int_equal(nic.mtu, 1300);
	assert_false(nic.carrier);
	assert_int_equal(shell("ip link del t0"), 0);
	assert_int_equal(nic_refresh(&nic), -ENODEV);
	nic_close(&nic);
	nic_close(&nic);
}

static void nic_counts_queues_in_use_not_those_allocated(void **state)
{
	struct nic nic;

	assert_int_equal(shell("ip link add q0 numtxqueues 4 numrxqueues 4 type veth peer name q1 "
			       "numtxqueues 4 numrxqueues 4"),
			 0);
	if (!shell("ethtool -L q0 rx 3 tx 2")) {
		assert_int_equal(nic_open(&nic, "q0"), 0);
		assert_int_equal(nic.rx_queues, 3);
		assert_int_equal(nic.tx_queues, 2);
		nic_close(&nic);
	} else {
		print_message("# not tried: ethtool -L does not work here\n");
	}
	assert_int_equal(shell("ip link del q0"), 0);
}

static void nic_close_takes_a_zeroed_nic(void **state)
{
	struct nic nic = {};

	nic_close(&nic);
	nic_close(NULL);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

static void nic_names_the_ports_there_are_instead(void **state)
{
	struct nic nic;

	said_start();
	assert_int_equal(nic_open(&nic, "eth9"), -ENODEV);
	/* Newest first or last: the kernel's order. */
	assert_says(said(), "xdploop: no port \"eth9\" here; there are: t");
	assert_int_equal(shell("for i in 1 2 3 4 5 6; do ip link add b$i type bridge; done"), 0);
	said_start();
	assert_int_equal(nic_open(&nic, "eth9"), -ENODEV);
	assert_says(said(), ", and 2 more\n");
	assert_int_equal(shell("for i in 1 2 3 4 5 6; do ip link del b$i; done"), 0);
	assert_int_equal(shell("ip netns add blue"), 0);
	said_start();
	assert_int_equal(nic_open(&nic, "blue:t0"), -ENODEV);
	assert_string_equal(said(), "xdploop: no port \"t0\" in blue; there is none\n");
	assert_int_equal(shell("ip netns del blue"), 0);
	said_start();
	assert_int_equal(nic_open(&nic, "grey:t0"), -ENOENT);
	assert_says(said(), "no network namespace \"grey\"");
}

static void nic_refuses_words_that_are_no_port(void **state)
{
	static const struct {
		const char *word, *says;
	} cases[] = {
		{"", "\"\" is no port: write [NETNS:]NAME"},
		{":t0", "\":t0\" is no port: write [NETNS:]NAME"},
		{"blue:", "\"blue:\" is no port: write [NETNS:]NAME"},
		{":", "\":\" is no port"},
		{"sixteen-letters-", "\"sixteen-letters-\" is no port: a name has at most 15"},
		{"/run/netns/a-name-that-is-much-longer-than-anybody-would-write-it:eth0",
		 "is too long for a port: at most 63"},
	};
	struct nic nic;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		said_start();
		assert_int_equal(nic_open(&nic, cases[i].word), -EINVAL);
		assert_says(said(), cases[i].says);
	}
}

static void nic_opens_a_port_in_a_named_namespace(void **state)
{
	char word[64];
	struct nic nic;
	int fd;

	assert_int_equal(shell("ip netns add blue && ip link set t1 netns blue && "
			       "ip -n blue link set t1 up"),
			 0);
	assert_int_equal(nic_open(&nic, "blue:t1"), 0);
	assert_string_equal(nic.name, "t1");
	assert_string_equal(nic.text, "blue:t1");
	assert_string_equal(nic.driver, "veth");
	assert_int_equal(nic_promiscuous(&nic), 0);
	nic_close(&nic);
	assert_int_equal(nic_open(&nic, "/run/netns/blue:t1"), 0);
	nic_close(&nic);
	/* By an open descriptor, as for a namespace without a name. */
	assert_int_equal(netns_open("blue", &fd), 0);
	snprintf(word, sizeof(word), "/proc/%d/fd/%d:t1", getpid(), fd);
	assert_int_equal(nic_open(&nic, word), 0);
	nic_close(&nic);
	close(fd);
	assert_int_equal(shell("ip netns del blue"), 0);
}

static uint32_t promiscuity(const struct nic *nic)
{
	struct rtnl_link *link;
	uint32_t n;

	assert_int_equal(rtnl_link_get_kernel(nic->netlink, (int)nic->ifindex, NULL, &link), 0);
	n = rtnl_link_get_promiscuity(link);
	rtnl_link_put(link);
	return n;
}

static void nic_promiscuous_mode_goes_with_the_port(void **state)
{
	struct nic nic, other;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	assert_int_equal(nic_open(&other, "t0"), 0);
	assert_int_equal(promiscuity(&other), 0);
	assert_int_equal(nic_promiscuous(&nic), 0);
	assert_int_equal(nic_promiscuous(&nic), 0);
	assert_int_equal(promiscuity(&other), 1);
	nic_close(&nic);
	assert_int_equal(promiscuity(&other), 0);
	nic_close(&other);
}

/* --- the link --- */

struct later {
	uint64_t after_ns;
	const char *command;
};

static void *later_run(void *arg)
{
	struct later *later = arg;

	clock_sleep(later->after_ns);
	assert_int_equal(shell("%s", later->command), 0);
	return NULL;
}

static void nic_waits_until_the_link_is_up(void **state)
{
	struct later later = {30000000, "ip link set t1 up"};
	volatile int stop = 0;
	pthread_t thread;
	struct nic nic;
	uint32_t before;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	before = nic.carrier_changes;
	assert_int_equal(nic_wait_link(&nic, before, 10000000000ull, &stop), 0);
	assert_int_equal(shell("ip link set t1 down"), 0);
	said_start();
	assert_int_equal(nic_wait_link(&nic, before, 20000000, &stop), -ETIMEDOUT);
	assert_string_equal(said(), "xdploop: t0: no link after 0.02 s: is the cable in, and the "
				    "other end up?\n");
	assert_false(nic.carrier);
	stop = 1;
	said_start();
	assert_int_equal(nic_wait_link(&nic, before, 10000000000ull, &stop), -EINTR);
	assert_string_equal(said(), "");
	pthread_create(&thread, NULL, later_run, &later);
	assert_int_equal(nic_wait_link(&nic, before, 10000000000ull, NULL), 0);
	pthread_join(thread, NULL);
	assert_true(nic.carrier);
	assert_true(nic.carrier_changes > before);
	nic_close(&nic);
}

/* A port that is no virtual device: an "up" counts once it lasted. */
static void nic_does_not_trust_an_up_before_the_reset(void **state)
{
	struct later later = {30000000, "ip link set t1 down; sleep 0.2; ip link set t1 up"};
	pthread_t thread;
	struct nic nic;
	uint32_t before;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	before = nic.carrier_changes;
	nic.kind[0] = '\0';
	pthread_create(&thread, NULL, later_run, &later);
	assert_int_equal(nic_wait_link(&nic, before, 10000000000ull, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(nic.carrier_changes, before + 2);
	nic_close(&nic);
}

static void nic_that_goes_away_ends_the_wait(void **state)
{
	struct port_counters counters = {.carrier = 99};
	struct nic nic;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	assert_int_equal(shell("ip link del t0"), 0);
	said_start();
	assert_int_equal(nic_wait_link(&nic, 0, 10000000000ull, NULL), -ENODEV);
	assert_says(said(), "t0: the port went away");
	assert_int_equal(nic_counters(&nic, &counters), -ENODEV);
	assert_int_equal(counters.carrier, 99);
	nic_close(&nic);
}

/* --- another's XDP program --- */

static uint32_t program_id(int fd)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

static void nic_names_the_xdp_program_of_another(void **state)
{
	static const int modes[] = {XDP_FLAGS_DRV_MODE, XDP_FLAGS_SKB_MODE};
	int fd = program_load("their_filter");
	char name[32] = "?";
	struct nic nic;

	assert_int_equal(nic_open(&nic, "t0"), 0);
	assert_int_equal(nic_xdp_program(&nic, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bpf_xdp_attach((int)nic.ifindex, fd, modes[i], NULL), 0);
		assert_int_equal(nic_xdp_program(&nic, name, sizeof(name)), program_id(fd));
		assert_string_equal(name, "their_filter");
		assert_int_equal(nic_xdp_program(&nic, NULL, 0), program_id(fd));
		assert_int_equal(bpf_xdp_detach((int)nic.ifindex, modes[i], NULL), 0);
	}
	nic_close(&nic);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, port_setup, port_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nic_reads_the_facts_of_a_port),
		TEST(nic_counts_queues_in_use_not_those_allocated),
		TEST(nic_close_takes_a_zeroed_nic),
		TEST(nic_names_the_ports_there_are_instead),
		TEST(nic_refuses_words_that_are_no_port),
		TEST(nic_opens_a_port_in_a_named_namespace),
		TEST(nic_promiscuous_mode_goes_with_the_port),
		TEST(nic_waits_until_the_link_is_up),
		TEST(nic_does_not_trust_an_up_before_the_reset),
		TEST(nic_that_goes_away_ends_the_wait),
		TEST(nic_names_the_xdp_program_of_another),
	};
	const char *reason = sandbox_enter();

	if (reason) {
		printf("skip - nic: %s\n", reason);
		return 0;
	}
	return cmocka_run_group_tests_name("nic", tests, NULL, NULL);
}
