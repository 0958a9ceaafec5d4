/* SPDX-License-Identifier: MIT */
/*
 * Kernel engine: that a live run returns 0 proves nothing, all its frames may be gone. So a few
 * that are nobody's (EtherType 0x88b5, IEEE 802 local experimental) go first, and the port's own
 * counters must see them leave.
 */
#include "io/clock.h"
#include "io/log.h"
#include "run/state.h"
#include <errno.h>
#include <string.h>

#define FRAMES		    8
#define WAIT_NS		    200000000ull
#define LOOK_NS		    1000000ull
#define ETHERTYPE_LOCAL_EXP 0x88b5

static int run_raw(struct worker *w, const struct frame *template)
{
	uint8_t data[FRAME_BYTES_MIN - FCS_LEN] = {};
	cpu_set_t before, there;
	int err;

	memcpy(data, template->data, 12);
	store_be16(data + 12, ETHERTYPE_LOCAL_EXP);
	CPU_ZERO(&there);
	CPU_SET((int)(w->stream - w->inside->inside->stream), &there);
	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(there), &there))
		return -errno;
	*w->stream = (struct stream){.raw = 1};
	err = inside_run(w->inside, data, sizeof(data), FRAMES, FRAMES);
	w->stream->done = 1;
	(void)sched_setaffinity(0, sizeof(before), &before);
	return err;
}

/* Frames that left port since before, and those it dropped. */
static void left_since(struct nic *nic, const struct port_counters *before, uint64_t *left,
		       uint64_t *dropped)
{
	struct port_counters now = *before;

	(void)nic_counters(nic, &now);
	*left = now.netdev.tx_packets - before->netdev.tx_packets;
	*dropped = now.netdev.tx_dropped - before->netdev.tx_dropped;
}

/* 1: they left and were counted; 0: they did not; -errno, said. */
static int port_leaves(struct session *s, struct worker *w)
{
	struct run_port *port = &s->ports.port[w->port];
	uint64_t left = 0, dropped = 0, deadline;
	struct port_counters before = {};
	int err = nic_counters(&port->nic, &before);

	if (!err)
		err = run_raw(w, &port->frame);
	if (err) {
		log_error("%s: no frame can be made inside the kernel: %s (live frames need Linux "
			  "5.18 or later; --engine xsk does without)",
			  port->nic.text, strerror(-err));
		return err;
	}
	deadline = clock_now() + WAIT_NS;
	while (left < FRAMES && clock_now() < deadline && !s->stop) {
		clock_sleep(LOOK_NS);
		left_since(&port->nic, &before, &left, &dropped);
	}
	port->sent_is_counted = left >= FRAMES;
	return port->sent_is_counted;
}

int session_leaves(struct session *s)
{
	for (uint32_t i = 0; i < s->nworkers; i++) {
		struct worker *w = &s->worker[i];
		const struct nic *nic = &s->ports.port[w->port].nic;
		void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
		int ret;

		if (!w->stream || w->slot != s->ports.port[w->port].first_slot)
			continue;
		ret = port_leaves(s, w);
		if (ret < 0)
			return ret;
		if (ret || s->config->command != COMMAND_SEND)
			continue; /* bench sees for itself what arrives */
		if (!nic->speed_nominal) {
			log_warn("%s does not count what an XDP program sends: frames that do not "
				 "leave can't be told from those lost later",
				 nic->text);
			continue;
		}
		say = s->config->engine == ENGINE_AUTO ? log_warn : log_error;
		say("%s takes no frames from an XDP program: the far end of a veth needs an "
		    "XDP program of its own or GRO (ethtool -K FAR gro on); or use --engine "
		    "xsk",
		    nic->text);
		return -EOPNOTSUPP;
	}
	return 0;
}
