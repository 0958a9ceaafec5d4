/* SPDX-License-Identifier: MIT */
/* The live socket: a run that serves and others that watch it. */
#include "io/clock.h"
#include "io/live.h"
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define SLOTS  4

static const char hello[] = "{\"schema\": \"xdploop.live/1\"}";

static struct snapshot *sent, *got;
static size_t size;

static int snapshots_alloc(void **state)
{
	size = snapshot_size(SLOTS);
	sent = calloc(1, size);
	got = calloc(1, size);
	if (!sent || !got)
		return -1;
	sent->nslots = SLOTS;
	for (int i = 0; i < SLOTS; i++)
		sent->queue[i].worker = (struct worker_counters){.received = 1000u + (unsigned)i};
	sent->latency[PORTS_MAX - 1].bucket[HIST_BUCKETS - 1] = 0x1122334455667788;
	return 0;
}

static int snapshots_free(void **state)
{
	free(sent);
	free(got);
	return 0;
}

static gid_t watchers(void)
{
	const struct group *group = getgrnam("xdploop");

	return group ? group->gr_gid : getegid();
}

struct client {
	const char *path;
	char text[256];
	int fd;
};

static void *client_thread(void *arg)
{
	struct client *client = arg;

	client->fd = live_connect(client->path, client->text, sizeof(client->text));
	return NULL;
}

/* Connect while the server serves, woken by its epoll_fd as a session would be. */
static int client_open(struct live_server *s)
{
	struct pollfd woken = {.fd = s->epoll_fd, .events = POLLIN};
	struct client client = {.path = s->path};
	pthread_t thread;

	pthread_create(&thread, NULL, client_thread, &client);
	assert_int_equal(poll(&woken, 1, 10000), 1);
	do
		live_serve(s);
	while (pthread_tryjoin_np(thread, NULL) && poll(&woken, 1, 10) >= 0);
	if (client.fd >= 0)
		assert_string_equal(client.text, hello);
	assert_int_equal(poll(&woken, 1, 0), 0);
	return client.fd;
}

static void send_numbered(struct live_server *s, uint64_t number)
{
	sent->time_ns = number;
	live_send(s, sent);
}

static void live_serves_hello_and_snapshots_to_two_clients(void **state)
{
	struct live_server s;
	int a, b;

	assert_int_equal(live_open(&s, hello), 0);
	a = client_open(&s);
	b = client_open(&s);
	assert_true(a >= 0 && b >= 0);
	assert_int_equal(s.nclients, 2);
	assert_int_equal(live_receive(a, got, size, 0), 0);
	for (uint64_t i = 1; i <= 3; i++) {
		send_numbered(&s, i);
		assert_int_equal(live_receive(a, got, size, 10000), 1);
		assert_memory_equal(got, sent, size);
		memset(got, 0, size);
		assert_int_equal(live_receive(b, got, size, 10000), 1);
		assert_memory_equal(got, sent, size);
	}
	assert_int_equal(live_receive(b, got, size, 0), 0);
	close(a);
	close(b);
	live_close(&s);
}

static void live_client_that_leaves_wakes_the_server(void **state)
{
	struct live_server s;
	struct pollfd woken;
	int a, b;

	assert_int_equal(live_open(&s, hello), 0);
	a = client_open(&s);
	b = client_open(&s);
	close(a);
	woken = (struct pollfd){.fd = s.epoll_fd, .events = POLLIN};
	assert_int_equal(poll(&woken, 1, 10000), 1);
	live_serve(&s);
	assert_int_equal(s.nclients, 1);
	assert_int_equal(poll(&woken, 1, 0), 0);
	/* What a client writes wakes nobody and is not read. */
	assert_int_equal(send(b, "x", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(poll(&woken, 1, 0), 0);
	send_numbered(&s, 7);
	assert_int_equal(live_receive(b, got, size, 10000), 1);
	assert_int_equal(got->time_ns, 7);
	/* One that left between: noticed when sending, without a signal. */
	close(b);
	send_numbered(&s, 8);
	assert_int_equal(s.nclients, 0);
	live_serve(&s);
	live_close(&s);
}

static void live_slow_client_skips_and_holds_up_nobody(void **state)
{
	struct live_server s;
	uint64_t last = 0, n = 0;
	int slow, fast;

	assert_int_equal(live_open(&s, hello), 0);
	slow = client_open(&s);
	fast = client_open(&s);
	for (uint64_t i = 1; i <= 200; i++) {
		send_numbered(&s, i);
		assert_int_equal(live_receive(fast, got, size, 10000), 1);
		assert_int_equal(got->time_ns, i);
	}
	assert_int_equal(s.nclients, 2);
	while (live_receive(slow, got, size, 0) == 1) {
		assert_true(got->time_ns > last);
		last = got->time_ns;
		n++;
	}
	assert_true(n >= 2 && n < 200);
	send_numbered(&s, 201);
	assert_int_equal(live_receive(slow, got, size, 10000), 1);
	assert_int_equal(got->time_ns, 201);
	close(slow);
	close(fast);
	live_close(&s);
}

static void live_end_of_the_run_comes_after_the_last_snapshot(void **state)
{
	struct live_server s;
	char path[108];
	int fd;

	assert_int_equal(live_open(&s, hello), 0);
	memcpy(path, s.path, sizeof(path));
	fd = client_open(&s);
	send_numbered(&s, 5);
	live_close(&s);
	assert_int_equal(s.listen_fd, -1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(live_receive(fd, got, size, 10000), 1);
	assert_int_equal(got->time_ns, 5);
	assert_int_equal(live_receive(fd, got, size, 10000), -ECONNRESET);
	assert_int_equal(live_receive(fd, got, size, 10000), -ECONNRESET);
	close(fd);
	live_close(&s);
}

static void live_message_of_another_size_is_refused(void **state)
{
	struct live_server s;
	int fd;

	assert_int_equal(live_open(&s, hello), 0);
	fd = client_open(&s);
	send_numbered(&s, 5);
	got->time_ns = 99;
	assert_int_equal(live_receive(fd, got, size - 8, 10000), -EPROTO);
	assert_int_equal(got->time_ns, 99);
	close(fd);
	live_close(&s);
}

static void live_serves_as_many_as_it_can_and_says_so(void **state)
{
	int fd[LIVE_CLIENTS_MAX];
	struct live_server s;

	assert_int_equal(live_open(&s, hello), 0);
	for (int i = 0; i < LIVE_CLIENTS_MAX; i++) {
		fd[i] = client_open(&s);
		assert_true(fd[i] >= 0);
	}
	said_start();
	assert_int_equal(client_open(&s), -EUSERS);
	assert_says(said(), "has as many watchers as it can serve");
	/* One leaves, and there is room again. */
	close(fd[0]);
	fd[0] = client_open(&s);
	assert_true(fd[0] >= 0);
	assert_int_equal(s.nclients, LIVE_CLIENTS_MAX);
	send_numbered(&s, 3);
	for (int i = 0; i < LIVE_CLIENTS_MAX; i++) {
		assert_int_equal(live_receive(fd[i], got, size, 10000), 1);
		close(fd[i]);
	}
	live_close(&s);
}

static void live_socket_belongs_to_its_user_and_a_group(void **state)
{
	struct live_server s;
	struct stat st;
	mode_t mask = umask(077);
	char path[64];

	snprintf(path, sizeof(path), "/run/xdploop/%d.sock", getpid());
	rmdir("/run/xdploop");
	assert_int_equal(live_open(&s, hello), 0);
	umask(mask);
	assert_string_equal(s.path, path);
	assert_int_equal(stat("/run/xdploop", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0660);
	assert_int_equal(st.st_gid, watchers());
	live_close(&s);
	assert_int_equal(stat(path, &st), -1);
}

static void live_group_is_of_who_called_sudo(void **state)
{
	static const struct {
		const char *gid;
		gid_t expect;
	} cases[] = {{"4321", 4321}, {"", 0}, {"x", 0}, {"4321x", 0}, {"-1", 0}, {"4294967295", 0}};
	struct live_server s;
	struct stat st;

	if (getgrnam("xdploop")) {
		print_message("# there is a group xdploop here\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("SUDO_GID", cases[i].gid, 1);
		assert_int_equal(live_open(&s, hello), 0);
		assert_int_equal(stat(s.path, &st), 0);
		assert_int_equal(st.st_gid, cases[i].expect);
		live_close(&s);
	}
	unsetenv("SUDO_GID");
}

/* As another user, with or without the group of the socket. */
struct other {
	const char *path;
	bool member;
};

static int other_user_connects(void *arg)
{
	const struct other *other = arg;
	gid_t group = watchers();
	char text[256];
	int fd;

	if (setgroups(other->member, &group) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	fd = live_connect(other->path, text, sizeof(text));
	if (fd < 0)
		return fd == -EACCES ? 2 : 3;
	return strcmp(text, hello) || live_receive(fd, got, size, 10000) != 1 || got->time_ns != 11;
}

static void live_lets_the_group_watch(void **state)
{
	struct pollfd woken;
	struct live_server s;
	struct other other = {.member = true};
	pid_t pid;
	int status;

	assert_int_equal(live_open(&s, hello), 0);
	other.path = s.path;
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(other_user_connects(&other));
	woken = (struct pollfd){.fd = s.epoll_fd, .events = POLLIN};
	assert_int_equal(poll(&woken, 1, 10000), 1);
	live_serve(&s);
	assert_int_equal(s.nclients, 1);
	send_numbered(&s, 11);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	live_close(&s);
}

static void live_keeps_others_out(void **state)
{
	struct other other = {.member = false};
	struct live_server s;

	assert_int_equal(live_open(&s, hello), 0);
	other.path = s.path;
	said_start();
	assert_int_equal(in_child(other_user_connects, &other), 2);
	assert_says(said(), "only its user and the group of the socket may watch");
	live_close(&s);
}

/* What a killed run leaves: a socket file with nobody behind it. */
static void stale_make(pid_t pid)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "/run/xdploop/%d.sock", pid);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	close(fd);
}

static void live_list_shows_runs_that_are_alive(void **state)
{
	struct live_run run[4];
	struct live_server s;
	char path[108];

	assert_int_equal(live_list(run, 4), 0);
	assert_int_equal(live_open(&s, hello), 0);
	stale_make(999999);
	assert_int_equal(shell("touch /run/xdploop/notes /run/xdploop/12.sock.old"), 0);
	assert_int_equal(live_list(run, 4), 1);
	assert_int_equal(run[0].pid, getpid());
	assert_string_equal(run[0].path, s.path);
	assert_int_equal(live_list(run, 0), 0);
	/* Those that only looked have left again. */
	live_serve(&s);
	live_serve(&s);
	assert_int_equal(s.nclients, 0);
	memcpy(path, s.path, sizeof(path));
	live_close(&s);
	assert_int_equal(live_list(run, 4), 0);
	assert_int_equal(shell("rm /run/xdploop/*"), 0);
}

static void live_takes_the_place_of_a_dead_run_of_its_number(void **state)
{
	struct live_run run[4];
	struct live_server s;
	int fd;

	mkdir("/run/xdploop", 0755);
	stale_make(getpid());
	assert_int_equal(live_list(run, 4), 0);
	assert_int_equal(live_open(&s, hello), 0);
	assert_int_equal(live_list(run, 4), 1);
	live_serve(&s);
	fd = client_open(&s);
	assert_true(fd >= 0);
	close(fd);
	live_close(&s);
}

static void live_open_removes_what_killed_runs_left(void **state)
{
	struct live_server s;

	mkdir("/run/xdploop", 0755);
	stale_make(999999);
	assert_int_equal(shell("touch /run/xdploop/notes /run/xdploop/1.sock"), 0);
	assert_int_equal(live_open(&s, hello), 0);
	assert_int_equal(access("/run/xdploop/999999.sock", F_OK), -1);
	/* Not a socket's name, and not that of a process that is gone: left alone. */
	assert_int_equal(access("/run/xdploop/notes", F_OK), 0);
	assert_int_equal(access("/run/xdploop/1.sock", F_OK), 0);
	live_close(&s);
	assert_int_equal(shell("rm /run/xdploop/*"), 0);
}

static void live_connect_says_what_is_wrong(void **state)
{
	static const struct {
		const char *path, *says;
	} cases[] = {
		{"/run/xdploop/1.sock", "can't watch /run/xdploop/1.sock: there is no such run"},
		{"/run/xdploop/999998.sock", "the run has ended"},
		{"/run/xdploop", "can't watch /run/xdploop: "},
		{"/run/a/path/that/is/much/longer/than/any/path/of/a/socket/can/be/on/this/system/"
		 "since/its/address/has/room/for/only/108",
		 "File name too long"},
	};
	char text[8] = "as was";

	mkdir("/run/xdploop", 0755);
	stale_make(999998);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		said_start();
		assert_true(live_connect(cases[i].path, text, sizeof(text)) < 0);
		assert_says(said(), cases[i].says);
	}
	assert_string_equal(text, "as was");
	assert_int_equal(shell("rm /run/xdploop/*"), 0);
}

static void live_hello_too_long_for_the_reader_is_refused(void **state)
{
	struct client client = {.fd = -1};
	char longer[sizeof(client.text) + 1];
	struct live_server s;
	struct pollfd woken;
	pthread_t thread;

	memset(longer, 'x', sizeof(client.text));
	longer[sizeof(client.text)] = '\0';
	assert_int_equal(live_open(&s, longer), 0);
	client.path = s.path;
	woken = (struct pollfd){.fd = s.epoll_fd, .events = POLLIN};
	said_start();
	pthread_create(&thread, NULL, client_thread, &client);
	poll(&woken, 1, 10000);
	live_serve(&s);
	pthread_join(thread, NULL);
	assert_says(said(), "does not speak as a run of xdploop does");
	assert_int_equal(client.fd, -EPROTO);
	assert_string_equal(client.text, "");
	live_close(&s);
}

static int open_without_run(void *arg)
{
	struct live_server s;
	const char *dir = arg;
	struct stat st;
	bool served;

	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	if (dir)
		setenv("XDG_RUNTIME_DIR", dir, 1);
	if (live_open(&s, hello))
		return 2;
	served = s.listen_fd >= 0;
	if (served && (strncmp(s.path, dir, strlen(dir)) || stat(s.path, &st) ||
		       (st.st_mode & 07777) != 0660 || live_list((struct live_run[1]){}, 1) != 1))
		return 3;
	if (!served && (s.epoll_fd != -1 || s.path[0]))
		return 4;
	live_serve(&s);
	live_send(&s, sent);
	live_close(&s);
	return served ? 100 : 200;
}

static void live_goes_to_the_users_own_place_else_nowhere(void **state)
{
	char own[] = "/run/user-of-test";

	rmdir("/run/xdploop");
	assert_int_equal(mkdir(own, 0700), 0);
	assert_int_equal(chown(own, NOBODY, NOBODY), 0);
	said_start();
	assert_int_equal(in_child(open_without_run, own), 100);
	assert_string_equal(said(), "");
	said_start();
	assert_int_equal(in_child(open_without_run, NULL), 200);
	assert_says(said(), "no live view for xdploop monitor");
	said_start();
	assert_int_equal(in_child(open_without_run, "relative"), 200);
	said();
	assert_int_equal(shell("rm -r %s", own), 0);
}

static void live_calls_are_fine_with_a_zeroed_server(void **state)
{
	struct live_server s = {};

	live_serve(&s);
	live_send(&s, sent);
	live_close(&s);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, port_setup, port_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(live_serves_hello_and_snapshots_to_two_clients),
		TEST(live_client_that_leaves_wakes_the_server),
		TEST(live_slow_client_skips_and_holds_up_nobody),
		TEST(live_end_of_the_run_comes_after_the_last_snapshot),
		TEST(live_message_of_another_size_is_refused),
		TEST(live_serves_as_many_as_it_can_and_says_so),
		TEST(live_socket_belongs_to_its_user_and_a_group),
		TEST(live_group_is_of_who_called_sudo),
		TEST(live_lets_the_group_watch),
		TEST(live_keeps_others_out),
		TEST(live_list_shows_runs_that_are_alive),
		TEST(live_takes_the_place_of_a_dead_run_of_its_number),
		TEST(live_open_removes_what_killed_runs_left),
		TEST(live_connect_says_what_is_wrong),
		TEST(live_hello_too_long_for_the_reader_is_refused),
		TEST(live_goes_to_the_users_own_place_else_nowhere),
		TEST(live_calls_are_fine_with_a_zeroed_server),
	};
	const char *reason = sandbox_enter();

	if (reason) {
		printf("skip - live: %s\n", reason);
		return 0;
	}
	return cmocka_run_group_tests_name("live", tests, snapshots_alloc, snapshots_free);
}
