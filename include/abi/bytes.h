/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of network-order integers at any address.
 *
 * Both sides of the kernel use them. clang for BPF would split a memcpy() of unknown alignment
 * into single bytes, so there the access is a plain cast: the verifier allows unaligned packet
 * access wherever the CPU does (CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS).
 */
#ifndef ABI_BYTES_H
#define ABI_BYTES_H

#include <linux/types.h>

#ifdef __bpf__
#define ABI_LOAD(type, p)     (*(const type *)(p))
#define ABI_STORE(type, p, v) (*(type *)(p) = (v))
#else
#define ABI_LOAD(type, p)                                       \
	({                                                      \
		type abi_v_;                                    \
		__builtin_memcpy(&abi_v_, (p), sizeof(abi_v_)); \
		abi_v_;                                         \
	})
#define ABI_STORE(type, p, v)                                   \
	do {                                                    \
		type abi_v_ = (v);                              \
		__builtin_memcpy((p), &abi_v_, sizeof(abi_v_)); \
	} while (0)
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define abi_be16(v) __builtin_bswap16(v)
#define abi_be32(v) __builtin_bswap32(v)
#define abi_be64(v) __builtin_bswap64(v)
#else
#define abi_be16(v) ((__u16)(v))
#define abi_be32(v) ((__u32)(v))
#define abi_be64(v) ((__u64)(v))
#endif

#define load_be16(p)	 abi_be16(ABI_LOAD(__u16, p))
#define load_be32(p)	 abi_be32(ABI_LOAD(__u32, p))
#define load_be64(p)	 abi_be64(ABI_LOAD(__u64, p))
#define store_be16(p, v) ABI_STORE(__u16, p, abi_be16((__u16)(v)))
#define store_be32(p, v) ABI_STORE(__u32, p, abi_be32((__u32)(v)))
#define store_be64(p, v) ABI_STORE(__u64, p, abi_be64((__u64)(v)))

/* Fold a sum of 16-bit words to 16 bits with end-around carry (RFC 1071 section 2). */
static inline __u32 fold16(__u64 sum)
{
	sum = (sum >> 32) + (sum & 0xffffffff);
	sum = (sum >> 16) + (sum & 0xffff);
	sum = (sum >> 16) + (sum & 0xffff);
	return (__u32)((sum >> 16) + (sum & 0xffff));
}

/* In a BPF program: what is in p is no longer known to clang here, so it can't be worked out else.
 */
#ifdef __bpf__
#define ABI_PIN(p) asm volatile("" : "+r"(p))
#else
#define ABI_PIN(p)
#endif

#endif
