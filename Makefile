SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help install uninstall dist demo test check-mac web docs vscode test-web test-vscode test-real bench bench-mesh fmt lint fuzz soak clean

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
PREFIX ?= $(HOME)/.local
FUZZ_SECONDS ?= 60
VERSIONS ?= pinned
FUZZ_INPUT_SECONDS ?= 10
# The tests have built the binary. `cargo build` would compile all of our crates a second time: dev-dependencies give
# three small crates features that it does not ask for, and all of ours depend on those.
BUILD_BINARY = $(if $(BUILT),,cargo build --locked --bin synapse)
# Runs a step of `make test`, and says what it took.
timed = TIMEFORMAT='make test: $(1) took %0lR, %0U s of CPU and %0S s in the kernel'; time { $(2); }

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: ## build and install below PREFIX (default ~/.local): binaries, completions, manual pages; the extension if it was built
	cargo build --release --locked --bins
	PREFIX="$(PREFIX)" scripts/install install "$(TARGET_DIR)/release"

uninstall: ## remove what install put below PREFIX
	PREFIX="$(PREFIX)" scripts/install uninstall

dist: ## build what is released into dist/: static binaries (.tar.gz, .deb), checksums, bill of materials
	scripts/dist $(TARGETS)

demo: ## build the release binary and run the demo; needs no terminal and ends by itself
	cargo build --release --locked --bins
	"$(TARGET_DIR)/release/synapse" demo

test: ## install what the tests need and is missing, then format check, clippy, tests, SDK clients, docs, page, extension
	@$(call timed,setting up,scripts/setup-test)
	@$(call timed,linting,$(MAKE) --no-print-directory lint)
	@$(call timed,building,cargo test --workspace --locked --lib --bins --tests --no-run)
	@if cargo nextest --version >/dev/null 2>&1; then \
		$(call timed,testing,cargo nextest run --workspace --locked); \
	else \
		$(call timed,testing,cargo test --workspace --locked --lib --bins --tests); \
	fi
	@$(call timed,the SDK clients,tests-sdk/run.py $(SDK_FLAGS))
	@$(call timed,the docs,cargo test --workspace --locked --doc && RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --locked --no-deps)
	@$(call timed,the page,$(MAKE) --no-print-directory test-web BUILT=1)
	@$(call timed,the extension,$(MAKE) --no-print-directory test-vscode BUILT=1)
	@$(call timed,the soak,scripts/soak 1)

check-mac: ## type-check the binaries for macOS, which nobody has run there; needs rustup and Python
	scripts/check-mac

web: ## build the page into web/dist, which the binary carries
	scripts/setup-web build
	cd web && npm run --silent types && npm run --silent build

docs: ## write what is generated from the code: docs/config.md and web/src/generated/hub.ts
	UPDATE_DOCS=1 UPDATE_TYPES=1 cargo test --workspace --locked --lib -- reference typescript

test-web: ## test the page: types, logic, that web/dist is current, and real Chromium against the real hub
	scripts/setup-web
	cd web && npm run --silent types && npm run --silent unit && npm run --silent check
	$(BUILD_BINARY)
	cd web && SYNAPSE_BIN="$(abspath $(TARGET_DIR))/debug/synapse" npm run --silent browser

vscode: ## package the extension for VS Code as vscode/synapse.vsix; `synapse vscode install` puts it into editors
	scripts/setup-vscode build
	cd vscode && npm run --silent types && npm run --silent package

test-vscode: ## test the extension: types, logic, and a real VS Code (code-server) in Chromium with real agents
	scripts/setup-vscode
	$(MAKE) --no-print-directory vscode
	cd vscode && npm run --silent unit
	$(BUILD_BINARY)
	cd vscode && SYNAPSE_BIN="$(abspath $(TARGET_DIR))/debug/synapse" npm run --silent editor

test-real: ## drive the real CLIs against a scripted model; VERSIONS=pinned|newest|matrix, UPDATE_DOCS=1 writes docs/real-clis.md
	scripts/setup-web
	tests-real/run.py --versions $(VERSIONS) $(if $(UPDATE_DOCS),--update-docs) $(ARGS)

bench: ## measure everything beside its floors (script, tmux, a synced file, the Python original); writes docs/benchmarks.md
	cargo build --release --locked --bins
	scripts/bench

bench-mesh: ## simulate 1, 100 and 1,000 machines of a mesh on one nats-server; prints the table of docs/mesh.md
	cargo run --release --locked --package synapse-mesh --example scale

fmt: ## format the sources
	cargo fmt --all

lint: ## format check, clippy with warnings as errors, advisories, Markdown, cargo-deny where it is installed
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	if cargo deny --version >/dev/null 2>&1; then cargo deny check bans licenses sources; fi
	scripts/check-advisories
	scripts/lint-docs

fuzz: ## feed random bytes to everything that reads from outside, FUZZ_SECONDS each (default 60); no input may take long or 1 GiB
	cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
	for target in $$(cargo fuzz list); do \
		cargo fuzz run "$$target" -s none -- -max_total_time=$(FUZZ_SECONDS) \
			-timeout=$(FUZZ_INPUT_SECONDS) -rss_limit_mb=1024; \
	done

soak: ## ten agents under mixed load, kills, hostile output, a full disk and clock jumps for MINUTES (default 10); then the mesh with both servers
	cargo build --locked --bin synapse
	FLOW_KILLS=100 cargo test --locked --package synapse --test flows -- --exact kills::a_runner_that_is_killed_anywhere_repeats_and_loses_nothing
	scripts/soak $(or $(MINUTES),10)
	scripts/soak-mesh

clean: ## remove everything that was built
	cargo clean
	rm -rf fuzz/target
