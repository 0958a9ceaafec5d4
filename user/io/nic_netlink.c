/* SPDX-License-Identifier: MIT */
/* The few netlink requests that more than one file needs, and libnl's errors as errno. */
#include "nic_private.h"
#include <errno.h>
#include <linux/nl80211.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/route/link.h>

int netlink_errno(int nlerr)
{
	static const int as_errno[] = {
		[NLE_SUCCESS] = 0,
		[NLE_INTR] = EINTR,
		[NLE_AGAIN] = EAGAIN,
		[NLE_NOMEM] = ENOMEM,
		[NLE_EXIST] = EEXIST,
		[NLE_INVAL] = EINVAL,
		[NLE_RANGE] = ERANGE,
		[NLE_OPNOTSUPP] = EOPNOTSUPP,
		[NLE_AF_NOSUPPORT] = EAFNOSUPPORT,
		[NLE_OBJ_NOTFOUND] = ENODEV,
		[NLE_BUSY] = EBUSY,
		[NLE_NOACCESS] = EACCES,
		[NLE_PERM] = EPERM,
		[NLE_NODEV] = ENODEV,
		[NLE_DUMP_INTR] = EINTR,
	};
	size_t i = (size_t)(nlerr < 0 ? -nlerr : nlerr);

	if (!i)
		return 0;
	return i < sizeof(as_errno) / sizeof(as_errno[0]) && as_errno[i] ? -as_errno[i] : -EIO;
}

int netlink_open(struct nl_sock **out)
{
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	if (!sock)
		return -ENOMEM;
	err = nl_connect(sock, NETLINK_ROUTE);
	if (err < 0) {
		nl_socket_free(sock);
		return netlink_errno(err);
	}
	*out = sock;
	return 0;
}

int nic_link_get(struct nic *nic, struct rtnl_link **out)
{
	return netlink_errno(rtnl_link_get_kernel(nic->netlink, (int)nic->ifindex, NULL, out));
}

static int wireless_ask(struct nl_sock *sock, int family, unsigned ifindex)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		return -NLE_NOMEM;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, 0, NL80211_CMD_GET_INTERFACE,
			 0) ||
	    nla_put_u32(msg, NL80211_ATTR_IFINDEX, ifindex)) {
		nlmsg_free(msg);
		return -NLE_NOMEM;
	}
	return nl_send_sync(sock, msg);
}

/* nl80211 answers for its own interfaces only; a kernel without wireless does not have it. */
bool nic_is_wireless(const struct nic *nic)
{
	struct nl_sock *sock = nl_socket_alloc();
	bool wireless = false;
	int family;

	if (!sock)
		return false;
	if (!genl_connect(sock)) {
		family = genl_ctrl_resolve(sock, NL80211_GENL_NAME);
		wireless = family >= 0 && wireless_ask(sock, family, nic->ifindex) >= 0;
	}
	nl_socket_free(sock);
	return wireless;
}
