# make | make demo | make check | make check-unit SAN=address,undefined (or SAN=thread)
# make check-mount | make check-crash | make soak | make install DESTDIR= PREFIX=
B       := build$(if $(SAN),-$(SAN))
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wvla -Wundef -Wstrict-prototypes -Wmissing-prototypes
SANFLAG := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
COMPILE := $(CC) -std=gnu17 -pthread $(WARN) $(SANFLAG) $(CFLAGS)
INCLUDE := -I. -D_GNU_SOURCE -DFUSE_USE_VERSION=314 $(CPPFLAGS)
LDLIBS  := -llz4 -lxxhash -lgmp -lm
LINK     = $(COMPILE) $(LDFLAGS) $^ $(LDLIBS) -o $@
objects  = $(patsubst %.c,$(B)/%.o,$(wildcard $(1)))

all: programs
programs: $(B)/widefs $(B)/widefsctl

# The link order is the architecture: store knows nothing of fs, fs nothing of mount.
$(B)/libstore.a: $(call objects,store/*.c store/*/*.c)
$(B)/libfs.a: $(call objects,fs/*.c fs/*/*.c)
$(B)/widefs: $(call objects,mount/*.c) $(B)/libfs.a $(B)/libstore.a
$(B)/widefs: LDLIBS += -lfuse3
$(B)/widefsctl: $(call objects,tools/*.c) $(B)/libstore.a
$(B)/widefsctl: LDLIBS += -ledit
$(B)/check-unit: $(call objects,tests/unit/*.c tests/lib/*.c) $(B)/libfs.a $(B)/libstore.a
$(B)/check-unit: LDLIBS += -lcheck -lsubunit -lrt -lm
$(B)/widefs $(B)/widefsctl $(B)/check-unit: ; $(LINK)
$(B)/%.a: ; @rm -f $@ && $(AR) rcs $@ $^
$(B)/%.o: %.c $(B)/flags ; @mkdir -p $(@D)
	$(COMPILE) $(INCLUDE) -MMD -MP -c $< -o $@
$(B)/flags: FORCE ; @mkdir -p $(@D)	# rewritten, and all rebuilt, only when the flags differ
	@echo '$(COMPILE) $(INCLUDE)' | cmp -s - $@ || echo '$(COMPILE) $(INCLUDE)' > $@

check-unit: $(B)/check-unit ; ./$<
check-floors: ; @awk -f tests/floors.awk tests/floors $$(git ls-files '*.[ch]')
FORCE:
.PHONY: all programs check-unit check-floors FORCE
-include $(shell find $(B) -name '*.d' 2>/dev/null)
