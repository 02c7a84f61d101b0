# make | make demo | make check | make check-unit SAN=address,undefined (or SAN=thread)
# make check-static | make check-mount | make check-crash | make check-fuzz | make check-long | make soak
# make install DESTDIR= PREFIX= SYSCONFDIR= | make uninstall | make dist | make deb | make clean
# B is where it is built; rebuilt when flags change.
comma   := ,
B       := build$(if $(SAN),/$(subst $(comma),-,$(SAN)))
PREFIX  ?= /usr/local
# With sanitizers the build takes as long as the tests: lines of functions are all that a report needs.
CFLAGS  ?= $(if $(SAN),-O1 -g1,-O2 -g)
WARN    := -Wall -Wextra -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# Tests alone build with sanitizers: there a warning ends it.
WERROR  := $(if $(SAN),-Werror)
# What makes our mistakes harder to use (tests/static looks for it); sanitizers have their own.
HARDEN  := -fPIE -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64,$(shell uname -m)),-fcf-protection) \
	$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDEN  := $(if $(SAN),,$(HARDEN))
COMPILE := $(CC) -std=gnu17 -pthread $(WARN) $(HARDEN) $(SANFLAG) $(CFLAGS)
INCLUDE := -I. -I/usr/include/fuse3 -D_GNU_SOURCE -DFUSE_USE_VERSION=314 $(CPPFLAGS)
LDLIBS  := -llz4 -lzstd -lz -lxxhash -lgmp -lnettle -lstemmer -lunistring -lm
LINK     = $(COMPILE) -pie -Wl,-z,relro,-z,now,-z,noexecstack $(LDFLAGS) $^ $(LDLIBS) -o $@
objects  = $(patsubst %.c,$(B)/%.o,$(wildcard $(1)))

all: needs programs
programs: $(B)/widefs $(B)/widefsctl

# What Debian calls the libraries and tools. `make` alone installs none of them: it
# names what is missing, and ends. `make programs` asks for none of them.
PACKAGES      := gcc make libc6-dev libfuse3-dev fuse3 liblz4-dev libzstd-dev zlib1g-dev libxxhash-dev libgmp-dev nettle-dev libedit-dev libstemmer-dev libunistring-dev
TEST_PACKAGES := check clang clang-tidy cppcheck shellcheck libclang-rt-14-dev rsync attr vim-tiny ed patch python3 jq zsh procps e2fsprogs xfsprogs fio stress-ng nbdkit libnbd-bin gcovr mandoc dpkg-dev debhelper lintian debootstrap systemd vim nano emacs-nox moreutils zip unzip zstd mc inotify-tools miller less git sqlite3 strace
needs: ; @tests/install-packages -n $(PACKAGES)
libs: ; @echo $(LDLIBS)	# of libstore.a, for what is linked elsewhere
packages: ; @tests/install-packages $(PACKAGES)
test-packages: packages ; @tests/install-packages $(TEST_PACKAGES)

# The link order is the architecture: store knows nothing of fs, fs nothing of mount.
$(B)/libstore.a: $(call objects,store/*.c store/*/*.c store/*/*/*.c)
$(B)/libfs.a: $(call objects,fs/*.c fs/*/*.c)
$(B)/widefs: $(call objects,mount/*.c) $(B)/libfs.a $(B)/libstore.a
$(B)/widefs: LDLIBS += -lfuse3
$(B)/widefsctl: $(call objects,tools/*.c tools/*/*.c tools/*/*/*.c) $(B)/libstore.a
$(B)/widefsctl: LDLIBS += -ledit
$(B)/check-unit: $(call objects,tests/unit/*.c tests/unit/*/*.c tests/unit/*/*/*.c tests/lib/*.c) $(B)/libfs.a $(B)/libstore.a
$(B)/check-unit: LDLIBS += -lcheck -lsubunit -lrt -lm
# tests/messages notes what passes line_format, in builds of tests.
NOTED   := $(B)/check-unit $(if $(SAN),$(B)/widefs $(B)/widefsctl)
$(NOTED): LDFLAGS += -Wl,--wrap=line_format
$(filter-out %/check-unit,$(NOTED)): $(call objects,tests/lib/messages.c tests/lib/sites.c)
$(B)/widefs $(B)/widefsctl $(B)/check-unit: ; $(LINK)
$(B)/%.a: ; @rm -f $@ && $(AR) qcs $@ $^
$(B)/%.o: %.c $(B)/flags ; @mkdir -p $(@D)
	$(COMPILE) $(WERROR) $(INCLUDE) -MMD -MP -c $< -o $@
$(B)/flags: FORCE ; @mkdir -p $(@D)	# rewritten, and all rebuilt, only when the flags differ
	@echo '$(COMPILE) $(INCLUDE)' | cmp -s - $@ || echo '$(COMPILE) $(INCLUDE)' > $@

demo: packages programs ; @tools/demo/demo
# Everything that proves the rest of tests/README.md; the parts can be run alone.
check: packages test-packages ; @tests/check
# The campaigns: kills, power cuts, races, faults.
check-long: packages test-packages ; @tests/check-long
check-unit: $(B)/check-unit ; @tests/suites ./$<
check-mount: programs ; @B=$(B) tests/mount/run
check-crash: programs ; @B=$(B) tests/crash/run
check-fuzz: ; @tests/fuzz/run
check-static: programs ; @B=$(B) tests/static
check-floors: programs ; @B=$(B) CC="$(CC)" tests/check-floors
soak: packages test-packages ; @tests/soak

DEST     = "$(DESTDIR)$(PREFIX)"
PAGES    := $(wildcard mount/*.[158] tools/*.[158])
UNITS    := mount/system/widefs@.service
CONF     := mount/system/widefs.conf
SYSCONFDIR ?= /etc
USERS    := mount/system/sysusers.conf
EXAMPLES := $(filter-out $(UNITS) $(CONF) $(USERS),$(wildcard mount/system/*)) $(wildcard tools/demo/*.cql)
BASH_COMPLETION := share/bash-completion/completions
ZSH_COMPLETION  := share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
install: programs
	install -d $(DEST)/bin $(DEST)/sbin $(DEST)/share/doc/widefs/examples $(DEST)/lib/systemd/system $(DEST)/lib/sysusers.d
	install $(B)/widefs $(B)/widefsctl $(DEST)/bin
	ln -sf ../bin/widefs $(DEST)/sbin/mount.fuse.widefs
	ln -sf ../bin/widefs $(DEST)/sbin/mount.widefs
	for n in 1 5 8; do install -d $(DEST)/share/man/man$$n; done
	for page in $(PAGES); do install -m 644 $$page $(DEST)/share/man/man$${page##*.} || exit; done
	ln -sf mount.widefs.8 $(DEST)/share/man/man8/mount.fuse.widefs.8
	sed 's|/usr/bin|$(PREFIX)/bin|' $(UNITS) > $(DEST)/lib/systemd/system/$(notdir $(UNITS))
	install -m 644 $(USERS) $(DEST)/lib/sysusers.d/widefs.conf
	install -m 644 $(EXAMPLES) $(DEST)/share/doc/widefs/examples
	chmod 755 $(DEST)/share/doc/widefs/examples/widefs-backup
	install -d $(DEST)/$(BASH_COMPLETION) $(DEST)/$(ZSH_COMPLETION)
	install -m 644 tools/completion/widefsctl.bash $(DEST)/$(BASH_COMPLETION)/widefsctl
	ln -sf widefsctl $(DEST)/$(BASH_COMPLETION)/widefs
	install -m 644 tools/completion/_widefsctl $(DEST)/$(ZSH_COMPLETION)
	install -d "$(DESTDIR)$(SYSCONFDIR)"	# one that is there has been edited
	[ -e "$(DESTDIR)$(SYSCONFDIR)/widefs.conf" ] || install -m 644 $(CONF) "$(DESTDIR)$(SYSCONFDIR)"
uninstall:
	cd $(DEST)/bin && rm -f widefs widefsctl
	cd $(DEST)/sbin && rm -f mount.fuse.widefs mount.widefs
	rm -f $(DEST)/share/man/man8/mount.fuse.widefs.8
	for page in $(PAGES); do rm -f $(DEST)/share/man/man$${page##*.}/$${page##*/}; done
	rm -f $(DEST)/lib/systemd/system/$(notdir $(UNITS)) $(DEST)/lib/sysusers.d/widefs.conf
	rm -rf $(DEST)/share/doc/widefs
	cd $(DEST)/$(BASH_COMPLETION) && rm -f widefs widefsctl
	cd $(DEST)/$(ZSH_COMPLETION) && rm -f _widefsctl
	! cmp -s $(CONF) "$(DESTDIR)$(SYSCONFDIR)/widefs.conf" || rm "$(DESTDIR)$(SYSCONFDIR)/widefs.conf"
dist: ; @tools/debian/build-source
deb: ; @tools/debian/build-package
clean: ; rm -rf build
FORCE:
.PHONY: all programs needs libs packages test-packages demo check check-long check-unit check-mount check-crash \
	check-fuzz check-floors check-static soak install uninstall dist deb clean FORCE
-include $(shell find $(B) -name '*.d' 2>/dev/null)
