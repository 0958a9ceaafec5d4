// SPDX-License-Identifier: MIT
#include "fake_wire.h"
#include "../unit/unit.h"
#include "fake_queue.h"
#include "io/clock.h"
#include <stdlib.h>
#include <string.h>

#define LONGEST	 9300
#define VLAN_TAG 0x81000064u /* 802.1Q, VLAN 100 */
#define IDENT_AT 42

/* What a frame is, beside its bytes. */
struct ident {
	bool known; /* it has a stamp */
	bool damaged;
	uint32_t flow, seq;
};

/* A frame on its way. */
struct transit {
	struct ident ident;
	uint32_t queue; /* of the sender */
	uint32_t len;
	uint8_t data[LONGEST];
};

struct held {
	struct held *next;
	uint64_t due; /* arrives when so many frames have been put on the link */
	struct transit frame;
};

void fake_wire_init(struct fake_wire *w)
{
	memset(w, 0, sizeof(*w));
	for (uint32_t side = 0; side < 2; side++) {
		w->port[side].wire = w;
		w->port[side].side = side;
	}
}

void fake_wire_free(struct fake_wire *w)
{
	for (uint32_t side = 0; side < 2; side++) {
		struct fake_link *l = &w->link[side];
		struct held *next;

		for (uint32_t i = 0; i < l->nflows; i++)
			free(l->flow[i].seen);
		free(l->flow);
		for (struct held *h = l->held; h; h = next) {
			next = h->next;
			free(h);
		}
	}
	memset(w, 0, sizeof(*w));
}

void fake_link_rule(struct fake_link *l, const struct fake_rule *rule)
{
	if (l->nrules == FAKE_RULES_MAX)
		fake_complain("too many rules");
	else
		l->rule[l->nrules++] = *rule;
}

/* --- the account --- */

static struct ident identify(const uint8_t *data, uint32_t len)
{
	const uint8_t *s = data + IDENT_AT;
	struct ident ident = {};

	if (len < IDENT_AT + 18 || s[0] != 'x' || s[1] != 'd')
		return ident;
	ident.known = true;
	ident.flow = (uint32_t)(s[6] & 0xf) << 16 | (uint32_t)s[7] << 8 | s[8];
	ident.seq = (uint32_t)s[9] << 24 | (uint32_t)s[10] << 16 | (uint32_t)s[11] << 8 | s[12];
	return ident;
}

static struct fake_flow *flow_of(struct fake_link *l, uint32_t flow)
{
	if (flow >= l->nflows) {
		uint32_t n = flow + 1 > 2 * l->nflows ? flow + 1 : 2 * l->nflows;

		l->flow = realloc(l->flow, n * sizeof(*l->flow));
		memset(l->flow + l->nflows, 0, (n - l->nflows) * sizeof(*l->flow));
		l->nflows = n;
	}
	return &l->flow[flow];
}

static void flow_fits(struct fake_flow *f, uint32_t seq)
{
	uint32_t n;

	if (seq < f->nseen)
		return;
	n = seq + 1 > 2 * f->nseen ? seq + 1 : 2 * f->nseen;
	f->seen = realloc(f->seen, n);
	memset(f->seen + f->nseen, 0, n - f->nseen);
	f->nseen = n;
}

/* RFC 4737: late when below the next expected; RFC 5236: only the first copy counts. */
static void note_delivery(struct fake_link *l, const struct ident *ident)
{
	struct fake_flow *f = flow_of(l, ident->flow);

	if (ident->damaged) {
		f->corrupt++;
		return;
	}
	flow_fits(f, ident->seq);
	if (l->window_bits && ident->seq < f->next && f->next - ident->seq > l->window_bits) {
		f->late++;
	} else if (f->seen[ident->seq]) {
		f->duplicate++;
	} else {
		f->unique++;
		f->reordered += ident->seq < f->next;
	}
	f->seen[ident->seq] = 1;
	if (ident->seq >= f->next)
		f->next = ident->seq + 1;
}

const struct fake_flow *fake_link_flow(const struct fake_link *l, uint32_t flow)
{
	static const struct fake_flow none;

	return flow < l->nflows ? &l->flow[flow] : &none;
}

const struct fake_flow *fake_link_sum(struct fake_link *l)
{
	struct fake_flow *sum = &l->sum;

	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < l->nflows; i++) {
		const struct fake_flow *f = &l->flow[i];

		sum->sent += f->sent;
		sum->lost += f->lost;
		sum->unique += f->unique;
		sum->duplicate += f->duplicate;
		sum->reordered += f->reordered;
		sum->late += f->late;
		sum->corrupt += f->corrupt;
	}
	return sum;
}

/* --- a frame arrives: what the XDP program and the kernel behind it do --- */

static void count_refusal(struct program_counters *c, enum refusal why)
{
	__u64 *const row[REFUSALS] = {
		[REFUSE_SHORT] = &c->refused_short,
		[REFUSE_MULTICAST] = &c->refused_multicast,
		[REFUSE_LINK_LOCAL] = &c->refused_link_local,
		[REFUSE_NEIGHBOUR] = &c->refused_neighbour,
		[REFUSE_SOURCE] = &c->refused_source,
		[REFUSE_REPLY] = &c->refused_reply,
	};

	(*row[why])++;
	c->passed++;
}

/* True: it reached the socket. */
static bool port_steer(struct fake_port *p, uint32_t queue, const uint8_t *data, uint32_t len,
		       uint64_t latency_ns)
{
	struct program_counters *c = &p->slot[queue].program;
	struct frame_meta meta = {.magic = FRAME_META_MAGIC};
	uint32_t stamp_offset;
	enum match_kind kind, told;
	enum refusal why;

	if (p->phase == STEER_CLOSED)
		return false;
	c->seen++;
	c->seen_bytes += len;
	kind = match_frame(&p->match, data, data + len, &stamp_offset);
	if (kind == MATCH_NONE) {
		c->passed++;
		return false;
	}
	told = kind;
	if (p->phase == STEER_REFLECT && kind != MATCH_LOOKALIKE) {
		why = match_refusal(&p->match, data, data + len, stamp_offset);
		if (why != REFUSE_NOT) {
			count_refusal(c, why);
			return false;
		}
		told = match_reflect_kind(kind, data, data + len, stamp_offset);
	}
	if (!p->queue[queue]) {
		c->no_socket++;
		return false;
	}
	c->redirected++;
	meta.time_ns = clock_now() + latency_ns;
	meta.stamp_offset = (uint16_t)stamp_offset;
	meta.kind = (uint16_t)told;
	return fake_queue_deliver(p->queue[queue], data, len, p->no_metadata ? NULL : &meta);
}

static void link_arrive(struct fake_link *l, struct fake_port *to, const struct transit *t)
{
	uint32_t queue = t->queue % to->queues;

	if (to->spread)
		queue = t->data[IDENT_AT - 7] % to->queues;
	to->netdev.rx_packets++;
	to->netdev.rx_bytes += t->len;
	if (!port_steer(to, queue, t->data, t->len, l->latency_ns)) {
		l->not_delivered++;
		return;
	}
	l->delivered++;
	if (t->ident.known)
		note_delivery(l, &t->ident);
}

/* --- a frame leaves --- */

static const struct fake_rule *rule_for(struct fake_link *l, uint64_t n)
{
	const struct fake_rule *hit = NULL;

	for (uint32_t i = 0; i < l->nrules; i++) {
		struct fake_rule *r = &l->rule[i];
		bool meets = r->one_in && next_random(&l->random) % r->one_in == 0;

		for (; r->nlist && *r->list <= n; r->list++, r->nlist--)
			meets |= *r->list == n;
		if (meets && !hit)
			hit = r;
	}
	return hit;
}

static void transit_tag(struct transit *t)
{
	memmove(t->data + 16, t->data + 12, t->len - 12);
	store_be32(t->data + 12, VLAN_TAG);
	t->len += 4;
}

static void link_hold(struct fake_link *l, const struct transit *t, uint32_t frames)
{
	struct held *h = malloc(sizeof(*h)), **at = &l->held;

	h->due = l->frames + frames;
	h->frame = *t;
	while (*at && (*at)->due <= h->due)
		at = &(*at)->next;
	h->next = *at;
	*at = h;
}

static uint32_t link_release(struct fake_link *l, struct fake_port *to, uint64_t due)
{
	uint32_t n;

	for (n = 0; l->held && l->held->due <= due; n++) {
		struct held *h = l->held;

		l->held = h->next;
		link_arrive(l, to, &h->frame);
		free(h);
	}
	return n;
}

static void port_sent(struct fake_port *from, uint32_t len)
{
	from->netdev.tx_packets++;
	from->netdev.tx_bytes += len;
}

static void link_carry(struct fake_link *l, struct fake_port *from, struct transit *t)
{
	struct fake_port *to = &from->wire->port[1 - from->side];
	const struct fake_rule *rule = rule_for(l, l->frames++);
	enum fake_fault fault = rule ? rule->fault : FAULT_NONE;
	bool gone = fault == FAULT_DEV_DROP || fault == FAULT_LOSE || fault == FAULT_MISS;

	l->fault[fault]++;
	if (t->ident.known)
		flow_of(l, t->ident.flow)->sent++;
	if (t->ident.known && gone)
		flow_of(l, t->ident.flow)->lost++;
	if (fault == FAULT_DEV_DROP)
		from->netdev.tx_dropped++;
	else
		port_sent(from, t->len);
	to->netdev.rx_missed += fault == FAULT_MISS;
	if (fault == FAULT_CORRUPT && rule->arg < t->len) {
		t->data[rule->arg] ^= rule->mask;
		t->ident.damaged = true;
	}
	if (fault == FAULT_RETAG)
		transit_tag(t);
	if (fault == FAULT_DELAY)
		link_hold(l, t, rule->arg);
	else if (!gone)
		link_arrive(l, to, t);
	if (fault == FAULT_DUPLICATE)
		link_arrive(l, to, t);
	link_release(l, to, l->frames - 1);
}

void fake_wire_send(struct fake_port *from, uint32_t queue, const uint8_t *data, uint32_t len)
{
	struct fake_link *l = &from->wire->link[from->side];
	struct transit t;

	if (l->tap)
		l->tap(l->tap_ctx, data, len);
	t.queue = queue;
	t.len = len;
	t.ident = identify(data, len);
	memcpy(t.data, data, len);
	link_carry(l, from, &t);
}

void fake_wire_inject(struct fake_wire *w, uint32_t from, uint32_t queue, const uint8_t *data,
		      uint32_t len)
{
	struct fake_port *port = &w->port[from];
	struct transit t;

	t.queue = queue;
	t.len = len;
	t.ident.known = false;
	memcpy(t.data, data, len);
	fake_lock();
	port_sent(port, len);
	link_arrive(&w->link[from], &w->port[1 - from], &t);
	fake_unlock();
}

static uint32_t port_pump(struct fake_port *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->queues; i++) {
		struct queue *q = p->queue[i];

		if (q && q->io->driver_polls)
			n += fake_queue_send(q, UINT32_MAX);
		if (q)
			n += fake_queue_complete(q);
	}
	return n;
}

uint32_t fake_wire_pump(struct fake_wire *w)
{
	uint32_t n = 0;

	fake_lock();
	for (uint32_t side = 0; side < 2; side++) {
		struct fake_link *l = &w->link[side];

		n += port_pump(&w->port[side]);
		if (l->moved_at == l->frames)
			n += link_release(l, &w->port[1 - side], UINT64_MAX);
		l->moved_at = l->frames;
	}
	fake_unlock();
	return n;
}
