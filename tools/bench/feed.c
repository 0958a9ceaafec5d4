/* SPDX-License-Identifier: MIT */
#include "feed.h"
#include "feed.skel.h"
#include "io/clock.h"
#include "io/log.h"
#include "io/netns.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>

#define BATCH 64 /* more at a time overruns veth's ring of 256 */

/* Both look an interface index up where the caller is. */
struct port_call {
	int fd; /* of the map or program */
	const struct nic *nic;
};

static int set_port(void *arg)
{
	const struct port_call *call = arg;
	uint32_t key = 0, ifindex = call->nic->ifindex;

	return bpf_map_update_elem(call->fd, &key, &ifindex, BPF_ANY) ? -errno : 0;
}

static int attach(void *arg)
{
	const struct port_call *call = arg;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd = bpf_link_create(call->fd, (int)call->nic->ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

static int load(struct feed_bpf **skel)
{
	int err;

	*skel = feed_bpf__open_and_load();
	if (*skel)
		return 0;
	err = -errno;
	log_error("the feeder's program can't be loaded: %s", strerror(-err));
	return err;
}

static void unload(struct feed_bpf **skel, int link_fd)
{
	if (!*skel)
		return;
	if (link_fd >= 0)
		close(link_fd);
	feed_bpf__destroy(*skel);
	*skel = NULL;
}

int feed_open(struct feed *feed, const struct feed_spec *spec, const struct nic *out,
	      const struct nic *spare)
{
	struct port_call to = {.nic = out}, at = {.nic = spare};
	int err;

	*feed = (struct feed){.frame = spec->frame, .link_fd = -1};
	err = load(&feed->skel);
	if (err)
		return err;
	feed->skel->bss->head = stamp_head(spec->run, STAMP_VERSION << 2);
	feed->skel->bss->flow = spec->flow;
	memcpy(feed->skel->bss->template, spec->frame->data, STAMP_OFFSET);
	to.fd = bpf_map__fd(feed->skel->maps.port);
	feed->prog_fd = at.fd = bpf_program__fd(spec->kind == FEED_BARE ? feed->skel->progs.bare
									: feed->skel->progs.feed);
	err = netns_call(out->netns, set_port, &to);
	if (!err) {
		feed->link_fd = netns_call(spare->netns, attach, &at);
		err = feed->link_fd < 0 ? feed->link_fd : 0;
	}
	if (err) {
		log_error("the feeder can't send out of %s: %s", out->text, strerror(-err));
		feed_close(feed);
	}
	return err;
}

int feed_send(struct feed *feed, uint32_t frames)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = feed->frame->data,
		    .data_size_in = feed->frame->len, .repeat = (int)frames, .batch_size = BATCH,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	feed->skel->bss->now = clock_now() & STAMP_TIME_MASK;
	feed->skel->bss->burst_sum = stamp_burst_sum(feed->skel->bss->head, feed->skel->bss->now);
	return bpf_prog_test_run_opts(feed->prog_fd, &opts) ? -errno : 0;
}

void feed_close(struct feed *feed)
{
	unload(&feed->skel, feed->link_fd);
}

const char *feed_compiler(void)
{
	static char text[128];
	struct feed_bpf *skel = text[0] ? NULL : feed_bpf__open();

	if (skel)
		snprintf(text, sizeof(text), "%s", (const char *)skel->rodata->compiler);
	feed_bpf__destroy(skel);
	return text;
}

int sink_open(struct sink *sink, const struct nic *nic)
{
	struct port_call at = {.nic = nic};
	int err;

	*sink = (struct sink){.link_fd = -1};
	err = load(&sink->skel);
	if (err)
		return err;
	at.fd = bpf_program__fd(sink->skel->progs.sink);
	sink->link_fd = netns_call(nic->netns, attach, &at);
	if (sink->link_fd >= 0)
		return 0;
	err = sink->link_fd;
	log_error("the sink can't be put on %s: %s", nic->text, strerror(-err));
	sink_close(sink);
	return err;
}

/* Written by the program while we read: each read is one whole number. */
uint64_t sink_frames(const struct sink *sink)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < sizeof(sink->skel->bss->sunk) / sizeof(sink->skel->bss->sunk[0]);
	     i++)
		frames += __atomic_load_n(&sink->skel->bss->sunk[i].frames, __ATOMIC_RELAXED);
	return frames;
}

void sink_close(struct sink *sink)
{
	unload(&sink->skel, sink->link_fd);
}
