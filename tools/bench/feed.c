/* SPDX-License-Identifier: MIT */
#include "feed.h"
#include "feed.skel.h"
#include "io/clock.h"
#include "io/log.h"
#include "io/netns.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <unistd.h>

#define BATCH 64 /* more at a time overruns veth's ring of 256 */

struct port_call {
	struct feed *feed;
	const struct nic *nic;
};

/* Both look an interface index up where the caller is. */
static int set_port(void *arg)
{
	const struct port_call *call = arg;
	uint32_t key = 0, ifindex = call->nic->ifindex;
	int fd = bpf_map__fd(call->feed->skel->maps.port);

	return bpf_map_update_elem(fd, &key, &ifindex, BPF_ANY) ? -errno : 0;
}

static int attach(void *arg)
{
	const struct port_call *call = arg;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd = bpf_link_create(bpf_program__fd(call->feed->skel->progs.feed),
				 (int)call->nic->ifindex, BPF_XDP, &opts);

	return fd < 0 ? -errno : fd;
}

int feed_open(struct feed *feed, const struct frame *frame, uint16_t run, struct nic *out,
	      struct nic *spare)
{
	struct port_call to = {feed, out}, at = {feed, spare};
	int err;

	*feed = (struct feed){.frame = frame, .link_fd = -1};
	feed->skel = feed_bpf__open_and_load();
	if (!feed->skel) {
		err = -errno;
		log_error("the feeder's program can't be loaded: %s", strerror(-err));
		return err;
	}
	feed->skel->bss->head = stamp_head(run, STAMP_VERSION << 2);
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
	return bpf_prog_test_run_opts(bpf_program__fd(feed->skel->progs.feed), &opts) ? -errno : 0;
}

void feed_close(struct feed *feed)
{
	if (!feed->skel)
		return;
	if (feed->link_fd >= 0)
		close(feed->link_fd);
	feed_bpf__destroy(feed->skel);
	feed->skel = NULL;
}
