/* SPDX-License-Identifier: MIT */
/* Namespaces, the lab, log, clock and capabilities, on a real kernel. */
#include "io/clock.h"
#include "io/lab.h"
#include "io/log.h"
#include "io/netns.h"
#include "io/priv.h"
#include "sandbox.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- log --- */

static void log_prefixes_say_how_bad_it_is(void **state)
{
	said_start();
	log_error("no %s", "port");
	log_warn("slow");
	log_info("fine");
	log_debug("detail");
	assert_string_equal(said(), "xdploop: no port\nxdploop: warning: slow\nfine\n");
	log_set_level(LOG_WARN_LEVEL);
	said_start();
	log_warn("slow");
	log_info("fine");
	assert_string_equal(said(), "xdploop: warning: slow\n");
	log_set_level(LOG_INFO_LEVEL);
}

static void log_holds_the_last_256_lines(void **state)
{
	const char *text;

	said_start();
	log_hold(true);
	for (int i = 0; i < 300; i++)
		log_info("line %d", i);
	assert_string_equal(said(), "");
	said_start();
	log_hold(false);
	log_info("after");
	text = said();
	assert_memory_equal(text, "(44 earlier messages were not kept)\nline 44\n", 44);
	assert_says(text, "line 299\nafter\n");
	said_start();
	log_hold(false);
	assert_string_equal(said(), "");
}

static void log_shows_library_warnings_only_when_asked(void **state)
{
	log_route_libraries();
	said_start();
	bpf_object__open_file("/run/no-such-file.o", NULL);
	assert_string_equal(said(), "");
	log_set_level(LOG_DEBUG_LEVEL);
	said_start();
	bpf_object__open_file("/run/no-such-file.o", NULL);
	log_set_level(LOG_INFO_LEVEL);
	assert_says(said(), "no-such-file.o");
}

static void *log_many(void *arg)
{
	for (int i = 0; i < 500; i++)
		log_info("0123456789");
	return NULL;
}

static void log_lines_of_two_threads_stay_whole(void **state)
{
	const char *text;
	pthread_t thread;

	said_start();
	pthread_create(&thread, NULL, log_many, NULL);
	log_many(NULL);
	pthread_join(thread, NULL);
	text = said();
	assert_int_equal(strlen(text), 1000 * 11);
	for (size_t i = 0; i < 1000; i++)
		assert_memory_equal(text + i * 11, "0123456789\n", 11);
}

/* --- clock --- */

static void clock_sleeps_at_least_as_long_as_told(void **state)
{
	uint64_t before = clock_now();

	clock_sleep(3000000);
	assert_true(clock_now() - before >= 3000000);
}

static atomic_bool spinning;

static void *spin(void *arg)
{
	while (atomic_load(&spinning))
		;
	return NULL;
}

static void clock_counts_the_cpu_time_of_another_thread(void **state)
{
	uint64_t end = deadline(), own = clock_thread_cpu(pthread_self());
	pthread_t thread;

	assert_true(own > 0);
	atomic_store(&spinning, true);
	pthread_create(&thread, NULL, spin, NULL);
	while (clock_thread_cpu(thread) < 3000000 && clock_now() < end)
		clock_sleep(1000000);
	assert_true(clock_thread_cpu(thread) >= 3000000);
	atomic_store(&spinning, false);
	/* It ends; as it is not joined yet, it may be asked for. */
	while (clock_thread_cpu(thread) && clock_now() < end)
		clock_sleep(1000000);
	assert_int_equal(clock_thread_cpu(thread), 0);
	pthread_join(thread, NULL);
}

/* --- namespaces --- */

static void netns_that_does_not_exist_is_named_with_those_that_do(void **state)
{
	const char *text;
	int fd = -7;

	said_start();
	assert_int_equal(netns_open("grey", &fd), -ENOENT);
	assert_string_equal(said(), "xdploop: no network namespace \"grey\"; there is none in "
				    "/run/netns\n");
	assert_int_equal(shell("ip netns add blue && ip netns add red"), 0);
	said_start();
	assert_int_equal(netns_open("grey", &fd), -ENOENT);
	text = said();
	assert_says(text, "no network namespace \"grey\"; there are: ");
	assert_says(text, "blue");
	assert_says(text, "red");
	assert_int_equal(fd, -7);
	assert_int_equal(netns_open("blue", &fd), 0);
	close(fd);
	assert_int_equal(shell("ip netns del blue; ip netns del red"), 0);
}

static void netns_refuses_what_is_none(void **state)
{
	static const char *const words[] = {"",	 "/", "/dev/null", "/run/pipe", "/proc/self/ns/mnt",
					    ".."};
	int fd = -7;

	/* To open a pipe that nobody writes to would never end. */
	assert_int_equal(shell("mkfifo /run/pipe"), 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		said_start();
		assert_int_equal(netns_open(words[i], &fd), -EINVAL);
		assert_says(said(), "is not a network namespace");
	}
	said_start();
	assert_int_equal(netns_open("/run/no/such", &fd), -ENOENT);
	assert_string_equal(said(), "xdploop: no network namespace \"/run/no/such\"\n");
	assert_int_equal(unlink("/run/pipe"), 0);
	assert_int_equal(fd, -7);
}

static int links_here(void *arg)
{
	return if_nametoindex("t0") ? 1 : 0;
}

static void netns_call_moves_there_and_the_process_stays(void **state)
{
	int fd;

	assert_int_equal(netns_new(&fd), 0);
	assert_int_equal(netns_call(fd, links_here, NULL), 0);
	assert_int_equal(netns_call(NETNS_OWN, links_here, NULL), 1);
	assert_int_equal(links_here(NULL), 1);
	close(fd);
	assert_int_equal(netns_call(fd, links_here, NULL), -EBADF);
}

/* --- the lab --- */

static int packet_socket(void *arg)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static void frames_send(const struct nic *from, int n)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)from->ifindex,
		.sll_halen = 6,
	};
	uint8_t frame[60] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x88, 0xb5};
	int fd = netns_call(from->netns, packet_socket, NULL);

	assert_true(fd >= 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to,
					sizeof(to)),
				 sizeof(frame));
	close(fd);
}

static int ipv6_addresses(void *arg)
{
	return shell("test ! -s /proc/net/if_inet6 && "
		     "{ test ! -e /proc/sys/net/ipv6 || "
		     "grep -qx 1 /proc/sys/net/ipv6/conf/%s/disable_ipv6; }",
		     (char *)arg);
}

static void lab_port_check(const struct lab *lab, int port, struct nic *nic, uint32_t queues)
{
	int netns = lab->netns[lab->port[port].netns];

	assert_int_equal(nic_open_at(nic, netns, lab->port[port].name, lab->port[port].name), 0);
	assert_string_equal(nic->driver, "veth");
	assert_int_equal(nic->rx_queues, queues);
	assert_int_equal(nic->tx_queues, queues);
	assert_true(nic->carrier);
	assert_int_equal(nic->mac[0] & 3, 2); /* locally administered, not a group */
	assert_int_equal(netns_call(netns, ipv6_addresses, nic->name), 0);
	assert_int_equal(nic_check(nic, 1518, false), 0);
}

/* What is sent on one arrives at the other, all of it and nothing else. */
static void cable_check(struct nic *from, struct nic *to)
{
	struct port_counters from_before, to_before, from_after, to_after;

	assert_int_equal(nic_counters(from, &from_before), 0);
	assert_int_equal(nic_counters(to, &to_before), 0);
	frames_send(from, 10);
	for (uint64_t end = deadline(); clock_now() < end; clock_sleep(1000000)) {
		assert_int_equal(nic_counters(to, &to_after), 0);
		if (to_after.netdev.rx_packets >= to_before.netdev.rx_packets + 10)
			break;
	}
	assert_int_equal(nic_counters(from, &from_after), 0);
	assert_int_equal(from_after.netdev.tx_packets - from_before.netdev.tx_packets, 10);
	assert_int_equal(to_after.netdev.rx_packets - to_before.netdev.rx_packets, 10);
	assert_true(to_after.netdev.rx_bytes > to_before.netdev.rx_bytes);
	assert_int_equal(to_after.netdev.tx_packets, to_before.netdev.tx_packets);
	assert_int_equal(to_after.carrier, 1);
}

static void lab_pair_is_two_ports_and_a_cable(void **state)
{
	struct nic a, b;
	struct lab lab;

	assert_int_equal(lab_up(&lab, LAB_PAIR, 2), 0);
	assert_int_equal(lab.nports, 2);
	assert_string_equal(lab.port[0].name, "lab-a");
	assert_string_equal(lab.port[1].name, "lab-b");
	assert_int_not_equal(lab.port[0].netns, lab.port[1].netns);
	lab_port_check(&lab, 0, &a, 2);
	lab_port_check(&lab, 1, &b, 2);
	assert_memory_not_equal(a.mac, b.mac, 6);
	cable_check(&a, &b);
	cable_check(&b, &a);
	nic_close(&a);
	nic_close(&b);
	lab_down(&lab);
	assert_int_equal(lab.nports, 0);
	lab_down(&lab);
}

static void lab_chain_is_two_cables_with_two_ports_between(void **state)
{
	struct nic nic[4];
	struct lab lab;

	assert_int_equal(lab_up(&lab, LAB_CHAIN, 3), 0);
	assert_int_equal(lab.nports, 4);
	assert_int_equal(lab.port[1].netns, lab.port[2].netns);
	assert_int_not_equal(lab.port[0].netns, lab.port[3].netns);
	for (int i = 0; i < 4; i++)
		lab_port_check(&lab, i, &nic[i], 3);
	cable_check(&nic[0], &nic[1]);
	cable_check(&nic[2], &nic[3]);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			assert_memory_not_equal(nic[i].mac, nic[j].mac, 6);
	for (int i = 0; i < 4; i++)
		nic_close(&nic[i]);
	lab_down(&lab);
}

/* A cable from here into the lab: it is gone when the namespace is. */
static void lab_down_leaves_nothing(void **state)
{
	struct lab lab, zeroed = {};

	assert_int_equal(lab_up(&lab, LAB_PAIR, 1), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(shell("ip link add w%d type veth peer name w netns /proc/%d/fd/%d",
				       i, getpid(), lab.netns[i]),
				 0);
	assert_true(if_nametoindex("w0") && if_nametoindex("w1"));
	lab_down(&lab);
	for (uint64_t end = deadline(); clock_now() < end; clock_sleep(5000000))
		if (!if_nametoindex("w0") && !if_nametoindex("w1"))
			break;
	assert_int_equal(if_nametoindex("w0"), 0);
	assert_int_equal(if_nametoindex("w1"), 0);
	lab_down(&zeroed);
	lab_down(NULL);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

static void lab_that_fails_leaves_nothing_and_is_untouched(void **state)
{
	struct lab lab = {.nports = 77};

	said_start();
	assert_true(lab_up(&lab, LAB_PAIR, 1 << 20) < 0);
	assert_says(said(), "the lab's ports could not be made");
	assert_int_equal(lab.nports, 77);
}

static int lab_without_rights(void *arg)
{
	struct lab lab;

	capng_clear(CAPNG_SELECT_BOTH);
	return capng_apply(CAPNG_SELECT_CAPS) || lab_up(&lab, LAB_PAIR, 1) != -EPERM;
}

static void lab_without_the_right_says_so(void **state)
{
	said_start();
	assert_int_equal(in_child(lab_without_rights, NULL), 0);
	assert_says(said(), "run it with sudo");
}

/* --- rights --- */

static int drop_to(const unsigned *capabilities, int n)
{
	capng_clear(CAPNG_SELECT_BOTH);
	for (int i = 0; i < n; i++)
		capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, capabilities[i]);
	return capng_change_id(65534, 65534, CAPNG_DROP_SUPP_GRP);
}

/* Everything on a port of its own namespace works with three capabilities; number of what failed.
 */
static int three_capabilities(void *arg)
{
	static const unsigned three[] = {CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF};
	int fd = program_load("theirs");
	struct port_counters counters;
	char name[16] = "?";
	struct nic nic;

	if (bpf_xdp_attach((int)if_nametoindex("t0"), fd, XDP_FLAGS_DRV_MODE, NULL) ||
	    drop_to(three, 3))
		return 1;
	if (priv_check(false))
		return 2;
	if (nic_open(&nic, "t0"))
		return 3;
	if (nic_check(&nic, 1518, false))
		return 4;
	if (nic_promiscuous(&nic) || nic_counters(&nic, &counters) || !counters.carrier)
		return 5;
	/* The id may be seen, the name not. */
	if (nic_xdp_program(&nic, name, sizeof(name)) == 0 || name[0])
		return 6;
	if (nic_wait_link(&nic, 0, 10000000000ull, NULL))
		return 7;
	nic_close(&nic);
	return priv_check(true) == -EPERM ? 0 : 8;
}

static void three_capabilities_do_for_ports_of_the_own_namespace(void **state)
{
	const char *text;

	said_start();
	assert_int_equal(in_child(three_capabilities, NULL), 0);
	text = said();
	assert_says(text, "not allowed without CAP_SYS_ADMIN (to enter another network namespace)");
	assert_null(strstr(text, "CAP_BPF"));
}

static int two_missing(void *arg)
{
	static const unsigned one[] = {CAP_NET_RAW};

	return drop_to(one, 1) || priv_check(false) != -EPERM;
}

static int admin_instead_of_bpf(void *arg)
{
	static const unsigned three[] = {CAP_NET_RAW, CAP_NET_ADMIN, CAP_SYS_ADMIN};

	return drop_to(three, 3) || priv_check(true);
}

static void missing_capabilities_are_named(void **state)
{
	assert_int_equal(priv_check(true), 0);
	said_start();
	assert_int_equal(in_child(two_missing, NULL), 0);
	assert_says(said(), "not allowed without CAP_NET_ADMIN, CAP_BPF: run it with sudo");
	assert_int_equal(in_child(admin_instead_of_bpf, NULL), 0);
}

static int named_netns_refused(void *arg)
{
	static const unsigned three[] = {CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF};
	struct nic nic;

	return drop_to(three, 3) || nic_open(&nic, "blue:t1") != -EPERM;
}

static void another_namespace_needs_more_and_says_so(void **state)
{
	assert_int_equal(shell("ip netns add blue"), 0);
	said_start();
	assert_int_equal(in_child(named_netns_refused, NULL), 0);
	assert_says(said(), "blue:t1: no right to enter its network namespace: run it with sudo");
	assert_int_equal(shell("ip netns del blue"), 0);
}

static int memlock_limited(void *arg)
{
	static const unsigned lock[] = {CAP_IPC_LOCK};
	struct rlimit limit = {1 << 20, 8 << 20};
	bool may_lock = *(bool *)arg;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || drop_to(lock, may_lock))
		return 1;
	if (priv_memlock() != (may_lock ? UINT64_MAX : 8 << 20))
		return 2;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	return limit.rlim_cur == 8 << 20 ? 0 : 3;
}

static void memlock_is_raised_to_the_hard_limit(void **state)
{
	bool may_lock = false;

	assert_int_equal(in_child(memlock_limited, &may_lock), 0);
	may_lock = true;
	assert_int_equal(in_child(memlock_limited, &may_lock), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, port_setup, port_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(log_prefixes_say_how_bad_it_is),
		TEST(log_holds_the_last_256_lines),
		TEST(log_shows_library_warnings_only_when_asked),
		TEST(log_lines_of_two_threads_stay_whole),
		TEST(clock_sleeps_at_least_as_long_as_told),
		TEST(clock_counts_the_cpu_time_of_another_thread),
		TEST(netns_that_does_not_exist_is_named_with_those_that_do),
		TEST(netns_refuses_what_is_none),
		TEST(netns_call_moves_there_and_the_process_stays),
		TEST(lab_pair_is_two_ports_and_a_cable),
		TEST(lab_chain_is_two_cables_with_two_ports_between),
		TEST(lab_down_leaves_nothing),
		TEST(lab_that_fails_leaves_nothing_and_is_untouched),
		TEST(lab_without_the_right_says_so),
		TEST(three_capabilities_do_for_ports_of_the_own_namespace),
		TEST(missing_capabilities_are_named),
		TEST(another_namespace_needs_more_and_says_so),
		TEST(memlock_is_raised_to_the_hard_limit),
	};
	const char *reason = sandbox_enter();

	if (reason) {
		printf("skip - io: %s\n", reason);
		return 0;
	}
	return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
