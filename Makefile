# SPDX-License-Identifier: MIT
# xdploop: one Makefile, not recursive. All output goes to build/.
#
#   make          the program              make check      the quality gate
#   make demo     the one-cable test       make test       every test this machine can run
#   make bench    speed, beside the peers  make bench-peers  gets the peers, once
#   make fuzz T=10  each fuzzer, for T seconds
#   make install  to PREFIX (default /usr/local), below DESTDIR
#   make test-driver  real drivers and kernels, in QEMU; once fetched, part of make test
#
# B=DIR puts the output elsewhere, V=1 shows the commands.

B       := build
CLANG   ?= clang
# Ubuntu's bpftool is a wrapper that may lack its program, which is then under linux-tools.
# /usr/sbin is not on the path of everybody.
BPFTOOL ?= $(or $(shell for t in bpftool /usr/sbin/bpftool /usr/lib/linux-tools*/bpftool \
	/usr/lib/linux-tools/*/bpftool; do $$t version >/dev/null 2>&1 && echo $$t && break; done),bpftool)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
Q       := $(if $(V),,@)
PKGS    := libbpf libxdp libnl-3.0 libnl-route-3.0 libnl-genl-3.0 jansson ncursesw libcap-ng

PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

OPT      ?= -O2
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unused-parameter
CPPFLAGS += -D_GNU_SOURCE -Iinclude -I$(B)/gen
CFLAGS   += -std=gnu11 -g $(OPT) $(WARN) $(EXTRA_CFLAGS) -MMD -MP
LDLIBS   += $(PKG_LIBS) -lpthread -lm

rooms    := core report io run cli tui
src      := $(foreach r,$(rooms),$(wildcard user/$(r)/*.c))
obj      := $(src:%.c=$(B)/%.o)
pure_obj := $(patsubst %.c,$(B)/%.o,$(wildcard user/core/*.c))
bpf_src  := $(wildcard bpf/*.bpf.c)
skel     := $(bpf_src:bpf/%.bpf.c=$(B)/gen/%.skel.h)

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all
all: $(B)/xdploop

$(B)/xdploop: $(obj) $(B)/user/main.o
	@echo "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# clang for BPF does not know Debian's multiarch headers (asm/types.h); behind all others.
# v2 has no 32-bit registers: half a spilled pointer overwritten by one is refused without
# CAP_PERFMON. There is no memset() to call for a loop that stores zeros.
multiarch := $(shell $(CC) -print-multiarch 2>/dev/null)
$(B)/%.bpf.o: %.bpf.c | $(B)/.deps
	@mkdir -p $(@D)
	@echo "  BPF   $@"
	$(Q)$(CLANG) -target bpf -mcpu=v2 -O2 -g -fno-builtin -Wall -Wextra -Wno-unused-parameter \
		$(BPF_CFLAGS) \
		-Iinclude -idirafter /usr/include/$(multiarch) -MMD -MP -c $< -o $@

$(B)/gen/%.skel.h: $(B)/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/gen/version.h: FORCE
	@mkdir -p $(@D)
	@echo '#define XDPLOOP_VERSION "$(VERSION)"' | cmp -s - $@ || echo '#define XDPLOOP_VERSION "$(VERSION)"' > $@
.PHONY: FORCE

# What is missing to build is named once, plainly, instead of by the compiler.
$(B)/.deps: tools/deps.sh
	@tools/deps.sh -n build
	@mkdir -p $(@D) && touch $@

$(B)/%.o: %.c | $(B)/.deps $(skel) $(B)/gen/version.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -c $< -o $@

# Everything but main(), for the tests: the linker takes what a test does not define itself.
$(B)/libxdploop.a: $(obj)
	@rm -f $@
	$(Q)ar qcs $@ $^

# tests/LAYER/test_NAME.c is a program of its own, linked with the other files of its folder: unit
# with the pure rooms only; fake, bpf and net with whatever they need.
layers   := unit fake bpf net
pure_src := $(filter-out user/tui/screen.c,$(foreach r,core report tui,$(wildcard user/$(r)/*.c)))
unit_obj := $(pure_src:%.c=$(B)/%.o)
tests_of  = $(patsubst %.c,$(B)/%,$(wildcard tests/$(1)/test_*.c))
helpers   = $(patsubst %.c,$(B)/%.o,$(filter-out tests/$(1)/test_% %.bpf.c,$(wildcard tests/$(1)/*.c)))
test_bpf := $(patsubst %.c,$(B)/%.o,$(wildcard tests/*/*.bpf.c))

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(call helpers,unit) $(unit_obj)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka -ljansson -lm -o $@

# The part of the command line that only understands words.
cli_pure := args check command_rows nearest option_parse option_rows
$(B)/tests/unit/test_options $(B)/tests/unit/test_option_rows: $(cli_pure:%=$(B)/user/cli/%.o) \
	$(B)/user/run/engine.o

# A stream without the program that makes its frames: the test plays it.
$(B)/tests/unit/test_stream: $(B)/user/run/role_stream.o

$(B)/tests/fake/%: $(B)/tests/fake/%.o $(call helpers,fake) $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka $(LDLIBS) -o $@

$(B)/tests/bpf/%: $(B)/tests/bpf/%.o $(call helpers,bpf) $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka $(LDLIBS) -o $@

$(B)/tests/net/%: $(B)/tests/net/%.o $(call helpers,net) $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka $(LDLIBS) -o $@

$(B)/tests/wire/wire: $(B)/tests/wire/wire.o $(B)/tests/wire/port.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Tells the machines of the driver lab how fast their clock runs.
$(B)/tools/driver-lab/tsc: $(B)/tools/driver-lab/tsc.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Fuzzers need clang and -fsanitize=fuzzer: tools/fuzz.sh builds them apart.
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) $^ $(LDLIBS) -o $@

unit_bin  := $(call tests_of,unit)
test_bin  := $(foreach l,$(layers),$(call tests_of,$(l))) $(B)/tests/wire/wire $(B)/tools/driver-lab/tsc
fuzz_bin  := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))

.PHONY: unit test-programs fuzz-programs test test-driver check fuzz demo install
unit: $(unit_bin)
	@set -e; for t in $(unit_bin); do echo "== $$t"; $$t; done

test-programs: $(test_bin) $(test_bpf)
fuzz-programs: $(fuzz_bin)

# T: layers or single tests, as tools/test.sh takes them.
test:
	@tools/deps.sh build test || echo "going on with what is here"
	@$(MAKE) --no-print-directory all test-programs
	@B=$(B) tools/test.sh $(T)

# Real drivers and kernels in emulated machines. T: cases; K: kernels, as "61 new".
test-driver:
	@tools/deps.sh build test driver || echo "going on with what is here"
	@$(MAKE) --no-print-directory all $(B)/tests/wire/wire $(B)/tools/driver-lab/tsc
	@B=$(B) K="$(K)" tools/driver-lab/run.sh $(T)

check:
	@tools/deps.sh build test check
	@B=$(B) tools/check.sh

fuzz:
	@tools/deps.sh build test check
	@B=$(B) tools/fuzz.sh $(or $(T),10)

# The file is made beforehand so that it stays the user's though root writes it.
demo:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory all
	@: > $(B)/demo.json
	@tools/as-root.sh $(B)/xdploop demo --json $(B)/demo.json

# The worker's loops against rings in memory: CPU time and instructions per frame.
$(B)/tools/bench/%: $(B)/tools/bench/%.o $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

.PHONY: bench-user
bench-user: $(B)/tools/bench/user_loops
	@B=$(B) tools/bench/user_loops.sh $(T)

# Speed of the kernel-side paths; needs root like demo. Nothing timed decides the exit status.
bench_obj := $(patsubst %.c,$(B)/%.o,$(filter-out %.bpf.c %/user_loops.c,$(wildcard tools/bench/*.c)))
$(B)/gen/feed.skel.h: $(B)/tools/bench/feed.bpf.o
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name feed_bpf > $@
$(bench_obj): $(B)/gen/feed.skel.h
$(B)/tools/bench/bench: $(bench_obj) $(B)/libxdploop.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# T takes a part, as T="send 64 1q". The peers are beside it when bench-peers has got them.
.PHONY: bench bench-peers bench-programs
bench-programs: $(B)/tools/bench/bench $(B)/tools/bench/user_loops
bench:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory all $(B)/tools/bench/bench
	@: > $(B)/bench.json
	@tools/as-root.sh $(B)/tools/bench/bench -p $(abspath $(B))/xdploop -j $(B)/bench.json \
		-r "$$(tools/bench/peers.sh -p)" $(T)

bench-peers:
	@tools/as-root.sh env XDPLOOP_PEERS="$$(tools/bench/peers.sh -p)" tools/bench/peers.sh

PREFIX  ?= /usr/local
bash_completion := $(PREFIX)/share/bash-completion/completions
install: all
	install -D -m 755 $(B)/xdploop $(DESTDIR)$(PREFIX)/sbin/xdploop
	$(B)/xdploop --print-man > $(B)/xdploop.8
	$(B)/xdploop --print-completion > $(B)/completion
	install -D -m 644 $(B)/xdploop.8 $(DESTDIR)$(PREFIX)/share/man/man8/xdploop.8
	install -D -m 644 $(B)/completion $(DESTDIR)$(bash_completion)/xdploop

.PHONY: clean
clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
