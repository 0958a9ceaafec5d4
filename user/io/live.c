/* SPDX-License-Identifier: MIT */
/* The live socket of a run: one side serves snapshots, the other watches. Nothing here waits. */
#include "io/live.h"
#include "io/log.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LIVE_DIR	 "/run/xdploop"
#define LIVE_GROUP	 "xdploop"
#define LIVE_BUFFER	 (1 << 20) /* several of the largest snapshots */
#define HELLO_TIMEOUT_MS 3000

/* Where sockets of runs may be: the system's place, then the user's. False: no such place. */
static bool live_dir(int which, char *dir, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (which == 0)
		return snprintf(dir, size, "%s", LIVE_DIR) > 0;
	return runtime && runtime[0] == '/' &&
	       snprintf(dir, size, "%s/xdploop", runtime) < (int)size;
}

#define LIVE_DIRS 2

static int seqpacket_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

static int path_connect(int fd, const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path));
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

/* 0: somebody listens there; -EAGAIN: so many that it can't take more now. */
static int path_try(const char *path)
{
	int fd = seqpacket_socket(), err;

	if (fd < 0)
		return fd;
	err = path_connect(fd, path);
	close(fd);
	return err;
}

/* Who may watch beside the owner: group xdploop; else whoever called, sudo or not. */
static gid_t watchers_group(void)
{
	const struct group *group = getgrnam(LIVE_GROUP);
	const char *sudo = getenv("SUDO_GID");
	unsigned long gid;
	char *end;

	if (group)
		return group->gr_gid;
	if (geteuid() || !sudo || !isdigit((unsigned char)*sudo))
		return getegid();
	errno = 0;
	gid = strtoul(sudo, &end, 10);
	return errno || *end || gid >= (gid_t)-1 ? getegid() : (gid_t)gid;
}

static int dir_make(const char *dir)
{
	if (mkdir(dir, 0755))
		return errno == EEXIST ? 0 : -errno;
	return chmod(dir, 0755) ? -errno : 0; /* whatever the umask was */
}

/* PID of "PID.sock"; 0: another name. */
static pid_t socket_pid(const char *name)
{
	char *end;
	long pid;

	if (!isdigit((unsigned char)*name))
		return 0;
	errno = 0;
	pid = strtol(name, &end, 10);
	return errno || pid > INT32_MAX || strcmp(end, ".sock") ? 0 : (pid_t)pid;
}

/* Sockets of runs that were killed: nobody listens there, and there is no such process. */
static void dir_sweep(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[128];

	while (d && (entry = readdir(d))) {
		pid_t pid = socket_pid(entry->d_name);

		if (!pid || !kill(pid, 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%d.sock", dir, pid);
		if (path_try(path) == -ECONNREFUSED)
			unlink(path);
	}
	if (d)
		closedir(d);
}

/* Nobody can connect before listen(): until then the file gets its owner and mode. */
static int listen_at(int fd, const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	gid_t group = watchers_group();
	int err;

	memcpy(addr.sun_path, path, strlen(path));
	if (path_try(path) == -ECONNREFUSED)
		unlink(path); /* left by a process of this number that was killed */
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	if (chown(path, (uid_t)-1, group))
		log_debug("%s keeps its group: %s", path, strerror(errno));
	if (!chmod(path, 0660) && !listen(fd, LIVE_CLIENTS_MAX))
		return 0;
	err = -errno;
	unlink(path);
	return err;
}

static int place_open(int which, char *path, size_t size)
{
	char dir[80];
	int fd, err;

	if (!live_dir(which, dir, sizeof(dir)))
		return -ENOENT;
	snprintf(path, size, "%s/%d.sock", dir, getpid());
	err = dir_make(dir);
	if (err)
		return err;
	dir_sweep(dir);
	fd = seqpacket_socket();
	if (fd < 0)
		return fd;
	err = listen_at(fd, path);
	if (err)
		close(fd);
	return err ? err : fd;
}

static int epoll_watch(const struct live_server *s, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int live_open(struct live_server *s, const char *hello)
{
	char path[sizeof(s->path)];
	int fd = -1;

	*s = (struct live_server){.listen_fd = -1, .epoll_fd = -1, .hello = hello};
	for (int i = 0; i < LIVE_DIRS && fd < 0; i++) {
		int err = place_open(i, path, sizeof(path));

		if (err >= 0)
			fd = err;
		else if (err != -ENOENT)
			log_debug("no live view at %s: %s", path, strerror(-err));
	}
	if (fd < 0)
		goto none;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0 || epoll_watch(s, fd, EPOLLIN)) {
		unlink(path);
		goto none;
	}
	s->listen_fd = fd;
	memcpy(s->path, path, sizeof(s->path));
	return 0;
none:
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (fd >= 0)
		close(fd);
	s->epoll_fd = -1;
	log_info("no live view for xdploop monitor: neither " LIVE_DIR
		 " nor $XDG_RUNTIME_DIR/xdploop can be used");
	return 0;
}

static void client_drop(struct live_server *s, int fd)
{
	for (int i = 0; i < s->nclients; i++) {
		if (s->client[i] != fd)
			continue;
		s->client[i] = s->client[--s->nclients];
		close(fd); /* which takes it out of the epoll set too */
		return;
	}
}

static void client_add(struct live_server *s, int fd)
{
	int size = LIVE_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	/* What a client writes is not read and wakes nobody. */
	if (s->nclients == LIVE_CLIENTS_MAX || epoll_watch(s, fd, EPOLLRDHUP) ||
	    send(fd, s->hello, strlen(s->hello), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		close(fd);
		return;
	}
	s->client[s->nclients++] = fd;
}

void live_serve(struct live_server *s)
{
	struct epoll_event event[LIVE_CLIENTS_MAX + 1];
	int n, fd;

	if (!s->path[0])
		return;
	n = epoll_wait(s->epoll_fd, event, LIVE_CLIENTS_MAX + 1, 0);
	/* First those that left: they make room. */
	for (int i = 0; i < n; i++)
		if (event[i].data.fd != s->listen_fd)
			client_drop(s, event[i].data.fd);
	while ((fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		client_add(s, fd);
}

void live_send(struct live_server *s, const struct snapshot *snap)
{
	size_t size = snapshot_size(snap->nslots);

	/* Backwards, since the last one takes the place of one that is dropped. */
	for (int i = s->nclients; i-- > 0;) {
		if (send(s->client[i], snap, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
			continue;
		if (errno == EPIPE || errno == ECONNRESET)
			client_drop(s, s->client[i]);
	}
}

void live_close(struct live_server *s)
{
	if (!s || !s->path[0])
		return;
	/* The name first: who finds it must not find a socket that is about to go. */
	unlink(s->path);
	while (s->nclients)
		client_drop(s, s->client[0]);
	close(s->listen_fd);
	close(s->epoll_fd);
	*s = (struct live_server){.listen_fd = -1, .epoll_fd = -1};
}

int live_list(struct live_run *runs, int max)
{
	char path[80];
	int n = 0;

	for (int i = 0; i < LIVE_DIRS; i++) {
		DIR *dir = live_dir(i, path, sizeof(path)) ? opendir(path) : NULL;
		struct dirent *entry;

		while (dir && n < max && (entry = readdir(dir))) {
			struct live_run run = {.pid = socket_pid(entry->d_name)};
			int err;

			if (!run.pid)
				continue;
			snprintf(run.path, sizeof(run.path), "%s/%d.sock", path, run.pid);
			err = path_try(run.path);
			if (!err || err == -EAGAIN)
				runs[n++] = run;
		}
		if (dir)
			closedir(dir);
	}
	return n;
}

static int wait_readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n = poll(&p, 1, timeout_ms);

	return n < 0 ? -errno : n;
}

/* Length of the next message, 0 at the end of the stream; nothing is taken. */
static ssize_t message_length(int fd)
{
	ssize_t n = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);

	if (n >= 0)
		return n;
	return errno == ECONNRESET ? 0 : -errno;
}

static int not_connected(const char *path, int err)
{
	static const struct {
		int err;
		const char *words;
	} reasons[] = {
		{ENOENT, "there is no such run"},
		{ENOTDIR, "there is no such run"},
		{ECONNREFUSED, "the run has ended"},
		{EACCES, "only its user and the group of the socket may watch: sudo, or join the "
			 "group"},
		{EAGAIN, "too many want to watch at once: try again"},
		{EPROTOTYPE, "it is not the socket of a run"},
		{ENOTSOCK, "it is not the socket of a run"},
		{EPROTO, "it does not speak as a run of xdploop does"},
		{ETIMEDOUT, "the run does not answer"},
		{EUSERS, "the run has ended, or has as many watchers as it can serve"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].err != -err)
			continue;
		log_error("can't watch %s: %s", path, reasons[i].words);
		return err;
	}
	log_error("can't watch %s: %s", path, strerror(-err));
	return err;
}

static int hello_read(int fd, char *text, size_t size)
{
	ssize_t n;
	int ready;

	do
		ready = wait_readable(fd, HELLO_TIMEOUT_MS);
	while (ready == -EINTR);
	if (ready <= 0)
		return ready ? ready : -ETIMEDOUT;
	n = message_length(fd);
	if (n <= 0)
		return n ? (int)n : -EUSERS;
	if ((size_t)n >= size)
		return -EPROTO;
	n = recv(fd, text, size - 1, MSG_DONTWAIT);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return 0;
}

int live_peek(const char *path, char *text, size_t size)
{
	int fd = seqpacket_socket();
	int err = fd < 0 ? fd : path_connect(fd, path);

	if (!err)
		err = hello_read(fd, text, size);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int live_connect(const char *path, char *text, size_t size)
{
	int fd = live_peek(path, text, size);

	return fd < 0 ? not_connected(path, fd) : fd;
}

int live_receive(int fd, struct snapshot *snap, size_t size, int timeout_ms)
{
	int ready = wait_readable(fd, timeout_ms);
	ssize_t n;

	if (ready <= 0)
		return ready == -EINTR ? 0 : ready;
	n = message_length(fd);
	if (n <= 0)
		return n ? (int)n : -ECONNRESET;
	if ((size_t)n != size)
		return -EPROTO;
	return recv(fd, snap, size, MSG_DONTWAIT) < 0 ? -errno : 1;
}
