/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel schedules sessions as groups (autogroup), the nice value of a process counts
 * only inside its own: a build in another terminal takes half of the CPUs however nice it is, and
 * receivers lose frames meanwhile. So ours gets the highest weight until the process ends.
 */
#ifndef BENCH_PRIORITY_H
#define BENCH_PRIORITY_H

void priority_raise(void); /* silent where there is no such thing, or no right to it */

#endif
