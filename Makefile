# Every target sets itself up. A new machine needs python3 (3.11 or newer) and nothing else.
#   make demo  deal three rounds on simulated devices, show them in a browser, record, replay and compare them
#   make check  linters, type checks and the tests of pure code; run it before a commit, it takes a minute
#   make test  linters, type checks and the test suite, WORKERS=3 tests at a time; five to seven minutes on two cores
#   make test-more  the rest of the suite: every game, capture, device and screen, browsers, brokers, kills, and the
#                  guides; that is tests marked `more`, and the parameters that `every(n)` leaves out; 22 to 25
#                  minutes on two cores. CI runs `make test`, then `make test-more`
#   make test-lies  every field of every message of a device is wrong in turn, against the whole acceptance plans; half
#                  an hour
#   make test-long  10,000 rounds over failing lines, 10 million bytes of fuzz for each dialect, and the slow tests,
#                  among them 100,000 rounds of each game settled by two engines; an hour
#   make test-hostile  HOSTILE=1000000 frames of someone on a sealed line, and PAIRINGS=100000 attempts to pair without the
#                  code, from SEED, of which none may be accepted; five minutes
#   make test-fuzz  BYTES=1000000000 bytes, from SEED, into every dialect, sealed lines in every state, GAT, keys, proofs and
#                  certificates, in JOBS processes; three minutes on two quiet cores
#   make test-kills  kill the table service KILLS=10000 times at random instants, half an hour; then around every line of
#                  UNTIDY=60 untidy hands, from SEED, ten minutes
#   make test-rounds  deal ROUNDS=1000000 rounds over failing lines and with exchanged or restarted devices, in JOBS
#                  processes; four hours on two cores
#   make test-poker  deal EVENINGS=100000 sessions of player-banked poker through flow and settlement, in JOBS processes;
#                  half an hour on two quiet cores
#   make test-pots  settle HANDS=100000 hands of each family of poker with the program and with pokerkit, in JOBS
#                  processes; three quarters of an hour on two quiet cores
#   make test-mucked  deal HANDS hands of each family of poker in which beaten hands are mucked, beside a dealer who
#                  pulls the pots in, in JOBS processes; HANDS=20000 takes an hour on two quiet cores
#   make mutation  put FAULTS deliberate faults, drawn by SEED, into six packages, and count those that `make test` and
#                  `make test-more` find; half an hour on two quiet cores
#   make acceptance  run the whole acceptance plans against the simulated devices, with a report of each in build/
#   make test-hardware  real drivers, the kernel's USB and a real systemd, in a computer that QEMU emulates; ten minutes
#   make firmware  build the reference device in C: a program for this machine, and images for two boards with a
#                  Cortex-M3; print their use of flash, RAM and stack, and fail above the budget
#   make test-firmware  the device under every check, with sanitizers, a short fuzz, and the whole acceptance plans
#                  against the program and against the Cortex-M3 that QEMU emulates, unattended; coverage; ten minutes
#   make misra  check the firmware's core and classes against MISRA C:2012 with cppcheck, and update the record of
#                  deviations
#   make test-firmware-long  half an hour of fuzz
#   make test-same  run SCRIPTS random scripts on the reference device and on the simulated one, and compare the bytes;
#                  about 700 a second; then SEALED_SCRIPTS over sealed lines, about 20 a second
#   make test-gat  EXCHANGES=100000 queries of the GAT terminal to the device in C and the one in Python at once, on a
#                  line with faults; fifteen seconds
#   make test-wireshark  the dissector and the capture interfaces with real tshark, over every capture and every
#                  truncation; two minutes
#   make test-kaitai  the Kaitai Struct descriptions against the vectors, in Python, JavaScript and Ruby; half a minute
#   make bench  compare speeds with other stacks, in one run
#   make captures  record captures/ again, through real pseudo-terminals
#   make docs  print all generated parts again: in docs/, the dissector, the C header; under a minute, except for the
#                  odds of games that changed since they were counted on this machine (ten minutes for all)
#   make release   sdist and wheel in dist/, built twice with the same bytes, checked, with their bill of materials and sums
#   make sign RELEASE_KEY=FILE  sign dist/SHA256SUMS with that Ed25519 key; SIGSTORE=1 signs each file with sigstore as well,
#                  where there is a network and an identity; OLD_KEY=FILE signs a new release key with the one before
#   make release-key RELEASE_KEY=FILE  make a key that signs releases, and put its public half where it is printed
#   make deb       the Debian package in dist/, with an environment of its own, for bookworm on amd64
#   make test-deb  the package installed, upgraded in the middle of a round, removed and purged, under a real systemd; as root
#   make lock      write locks/ again from pyproject.toml; UPGRADE=--upgrade takes the newest versions
#   make site  build the pages of docs/ as a site in build/site that works without a network

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# More workers than cores, because some tests wait for devices. Idle workers steal tests from the others.
WORKERS ?= 3
SPREAD := -n $(WORKERS) --dist worksteal
KILLS ?= 10000
UNTIDY ?= 60
SCRIPTS ?= 1000000
SEALED_SCRIPTS ?= 10000
EXCHANGES ?= 100000
ROUNDS ?= 1000000
EVENINGS ?= 100000
HANDS ?= 100000
JOBS ?= 2
FUZZ_S ?= 1800
FAULTS ?= 300
HOSTILE ?= 1000000
PAIRINGS ?= 100000
BYTES ?= 1000000000
SEED ?= 30
# Tests of `make test` and `make test-more`. The other marks have targets of their own. CI runs both, which together are all.
QUICK := not more and not slow and not hardware and not firmware and not kaitai
MORE := more and not slow and not hardware and not firmware and not kaitai
# The part of them that `make check` runs: code that neither waits nor starts a program, without the long simulations.
PURE := tests/protocol tests/dealer_flow tests/rules tests/test_architecture.py tests/test_public_names.py \
	tests/test_words.py tests/test_clauses.py tests/test_suite.py
LONG := odds settles_dealt games_played dealt_procedures evening walk explore pokerkit any_game race_ properties \
	judged_always layers rankings_by_trial refused_files
# Packages that tests need in addition to Python. A missing one is named, and its tests are skipped and counted.
PACKAGES := tshark umockdev gir1.2-umockdev-1.0 python3-gi libusb-1.0-0 socat chromium fonts-dejavu-core mosquitto \
	postgresql prometheus openssl systemd bash zsh fish groff-base

# Hundreds of tests start programs of their own, so compiled Python is kept, whatever the shell's setting.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo check pure lint compiled test test-more acceptance mutation test-long test-lies test-hostile test-fuzz test-kills test-rounds test-poker test-pots test-mucked test-hardware firmware test-firmware misra test-firmware-long test-same test-gat test-wireshark kaitai-tools test-kaitai bench captures docs changelog site release sign release-key deb test-deb lock clean

demo: $(VENV)/.demo
	@$(BIN)/dealwire demo

lint: $(VENV)/.test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy

compiled: $(VENV)/.test
	@$(BIN)/pytest --collect-only -qq >$(VENV)/collected || { cat $(VENV)/collected; exit 1; }

check: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint pure

pure: $(VENV)/.test
	@$(BIN)/pytest -n 2 --dist worksteal -m '$(QUICK)' $(LONG:%=--ignore-glob='*%*') $(PURE)

# One processor checks types while the other compiles the tests; test workers would each compile them again.
test: $(VENV)/.test
	@$(MAKE) --no-print-directory -j 2 lint compiled
	@.ci/system-packages $(PACKAGES)
	@$(BIN)/pytest $(SPREAD) -m '$(QUICK)'

test-more: $(VENV)/.release
	@.ci/system-packages $(PACKAGES)
	@$(BIN)/pytest $(SPREAD) -m '$(MORE)'

test-long: $(VENV)/.test
	@$(BIN)/python -m tests.support.evenings.faulty_rounds 10000
	@$(BIN)/python -m tests.support.programs.fuzz_dialects --bytes 10000000
	@$(BIN)/pytest -m slow

test-lies: $(VENV)/.test
	@$(BIN)/pytest $(SPREAD) -m slow tests/dealwire/test_bench_lies.py

test-hostile: $(VENV)/.test
	@$(BIN)/python -m tests.support.programs.hostile_frames $(HOSTILE) --seed $(SEED)
	@$(BIN)/python -m tests.support.programs.hostile_proofs $(PAIRINGS) --seed $(SEED)

test-fuzz: $(VENV)/.test
	@$(BIN)/python -m tests.support.programs.fuzz_bytes $(BYTES) --seed $(SEED) --jobs $(JOBS)

test-kills: $(VENV)/.test
	@$(BIN)/python -m tests.support.programs.kill_cycles $(KILLS) --jobs $(JOBS)
	@$(BIN)/python -m tests.support.programs.untidy_kills $(UNTIDY) $(SEED:%=--seed %)

test-rounds: $(VENV)/.test
	@$(BIN)/python -m tests.support.evenings.faulty_evenings $(ROUNDS) --jobs $(JOBS)

test-poker: $(VENV)/.test
	@$(BIN)/python -m tests.support.evenings.poker_evenings $(EVENINGS) --jobs $(JOBS)

test-pots: $(VENV)/.test
	@$(BIN)/python -m tests.support.programs.compare_pots $(HANDS) --jobs $(JOBS)

test-mucked: $(VENV)/.test
	@$(BIN)/python -m tests.support.programs.mucked_pots $(HANDS) --jobs $(JOBS)

mutation: $(VENV)/.test
	@$(BIN)/python -m tests.support.mutation --sample $(FAULTS) --seed $(SEED) --jobs $(JOBS)

acceptance: $(VENV)/.demo
	@mkdir -p build
	@for device in shuffler table-controller shoe; do \
		$(BIN)/dealwire bench $$device --simulated --strict --report build/bench-$$device.json \
			--html build/bench-$$device.html --junit build/bench-$$device.xml --overwrite \
			>build/bench-$$device.txt || { cat build/bench-$$device.txt; exit 1; }; \
		tail -n 1 build/bench-$$device.txt; \
	done

test-hardware: $(VENV)/.test build/hardware/initrd.gz
	@.ci/system-packages --must qemu-system-x86 udev libusb-1.0-0 systemd
	@$(BIN)/pytest -m hardware --durations 0 --durations-min 1 tests/hardware

build/hardware/initrd.gz: .ci/guest-kernel tests/hardware/init
	@.ci/system-packages --must busybox-static cpio kmod
	@.ci/guest-kernel build/hardware

# A missing compiler is named, and its targets are skipped and counted: without cc no program, without zig no images.
firmware: $(VENV)/.firmware
	@.ci/system-packages gcc libc6-dev
	@if command -v cc >/dev/null; then $(MAKE) --no-print-directory -C firmware host; else \
		echo "skipped: tdp-device, for there is no C compiler (cc)" >&2; fi
	@if $(BIN)/python -c 'import capstone, elftools, ziglang' 2>/dev/null; then \
		$(MAKE) --no-print-directory -C firmware cross; else \
		echo "skipped: the images for a Cortex-M3, for the packages of locks/firmware.txt are not there" >&2; fi

test-firmware: $(VENV)/.test $(VENV)/.firmware
	@.ci/system-packages gcc g++ libc6-dev clang libclang-rt-14-dev qemu-system-arm cmake cppcheck
	@$(BIN)/pytest -m firmware --durations 0 --durations-min 5 tests/firmware
	@$(BIN)/python firmware/coverage.py

misra: $(VENV)/.test
	@.ci/system-packages --must cppcheck
	@$(BIN)/python firmware/deviations.py

test-same: $(VENV)/.test
	@.ci/system-packages gcc libc6-dev
	@$(MAKE) --no-print-directory -C firmware host
	@$(BIN)/python -m firmware.same --scripts $(SCRIPTS)
	@$(BIN)/python -m firmware.same --sealed --scripts $(SEALED_SCRIPTS)

test-gat: $(VENV)/.test
	@.ci/system-packages gcc libc6-dev
	@$(MAKE) --no-print-directory -C firmware ../build/firmware/gat-script
	@$(BIN)/python -m firmware.same.gat --exchanges $(EXCHANGES)

test-firmware-long: $(VENV)/.test
	@.ci/system-packages --must clang libclang-rt-14-dev
	@$(MAKE) --no-print-directory -C firmware sanitized
	@mkdir -p build/firmware/found
	@build/firmware/fuzz-receive -max_total_time=$(FUZZ_S) -max_len=2000 -print_final_stats=1 \
		build/firmware/found firmware/fuzz/corpus
	@$(BIN)/python firmware/coverage.py --plans

test-wireshark: $(VENV)/.test
	@.ci/system-packages tshark
	@$(BIN)/pytest $(SPREAD) -m 'not slow' --durations 3 tests/dealwire/wireshark

# The compiler is plain JavaScript, and tests/kaitai pins its packages. Without it the tests are skipped and counted.
kaitai-tools: $(VENV)/.test $(VENV)/.kaitai
	@.ci/system-packages nodejs npm ruby
	@if command -v npm >/dev/null; then mkdir -p build/kaitai && \
		cp tests/kaitai/package.json tests/kaitai/package-lock.json build/kaitai && \
		npm ci --prefix build/kaitai --silent --no-fund --no-audit; else \
		echo "skipped: the compiler of Kaitai Struct, for there is no npm" >&2; fi

test-kaitai: kaitai-tools
	@$(BIN)/pytest -m 'kaitai or not kaitai' tests/kaitai

bench: $(VENV)/.bench
	@$(BIN)/python -m benchmarks

captures: $(VENV)/.test
	@.ci/system-packages gcc libc6-dev
	@$(MAKE) --no-print-directory -C firmware host
	@$(BIN)/python -m tests.support.programs.record_captures

docs: $(VENV)/.test
	@$(BIN)/python -m docs._print

# VERSION=0.2.0: the fragments of changes/ become that release's part of the change log.
changelog: $(VENV)/.test
	@$(BIN)/towncrier build --yes --version $(or $(VERSION),$(error VERSION=... is missing))

site: $(VENV)/.test
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

$(VENV)/.venv:
	@.ci/make-venv $(PYTHON) $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.venv pyproject.toml locks/demo.txt
	@echo "installing dealwire into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) demo
	@touch $@

$(VENV)/.test: $(VENV)/.venv pyproject.toml locks/test.txt
	@echo "installing dealwire and its test tools into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) test
	@touch $@ $(VENV)/.demo

$(VENV)/.firmware: $(VENV)/.demo locks/firmware.txt
	@echo "installing the cross compiler into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) firmware || \
		echo "the cross compiler cannot be installed: the images for a Cortex-M3 are left out" >&2
	@touch $@

$(VENV)/.kaitai: $(VENV)/.demo locks/kaitai.txt
	@echo "installing the runtime of Kaitai Struct into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) kaitai
	@touch $@

$(VENV)/.bench: $(VENV)/.demo locks/benchmarks.txt
	@echo "installing the stacks that dealwire is compared with into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) benchmarks
	@touch $@

$(VENV)/.release: $(VENV)/.test locks/release.txt
	@echo "installing what makes a release into $(VENV) ..." >&2
	@.ci/install-locked $(VENV) release
	@touch $@

$(VENV)/.lock: $(VENV)/.venv locks/lock.txt
	@echo "installing uv into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r locks/lock.txt
	@touch $@

deb: $(VENV)/.test
	@.ci/build-deb $(VENV)

# The version before is the program of a commit before 0.1.0, packed as today.
BEFORE := 20c18e59
build/deb/dealwire_0.0.9_amd64.deb: .ci/build-deb $(wildcard deb/*) | $(VENV)/.test
	@rm -rf build/deb/before && mkdir -p build/deb/before
	@git archive $(BEFORE) | tar -x -C build/deb/before
	@sed -i 's/^version = .*/version = "0.0.9"/' build/deb/before/pyproject.toml
	@sed -i 's/^__version__ = .*/__version__ = "0.0.9"/' build/deb/before/dealwire/version.py
	@.ci/build-deb $(VENV) build/deb/before 0.0.9 build/deb

build/deb/root/usr/bin:
	@.ci/system-packages --must debootstrap
	@.ci/guest-root build/deb/root

test-deb: deb build/deb/dealwire_0.0.9_amd64.deb build/deb/root/usr/bin
	@.ci/system-packages --must systemd-container
	@$(BIN)/pytest -m hardware -s tests/deb

# UPGRADE=--upgrade: the newest versions; else those that are locked stay.
release: $(VENV)/.release
	@.ci/release $(VENV)

sign: $(VENV)/.release
	@$(BIN)/python .ci/sign-release sign "$(RELEASE_KEY)" dist $(if $(OLD_KEY),--old-key "$(OLD_KEY)") $(if $(SIGSTORE),--sigstore)

release-key: $(VENV)/.test
	@$(BIN)/python .ci/sign-release key "$(RELEASE_KEY)"

lock: $(VENV)/.lock
	@.ci/lock $(BIN)/uv $(UPGRADE)

clean:
	@rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
