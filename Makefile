# Portside. `make` lists the targets; `make run` and `make test` need only Go and Node.js.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := $(CURDIR)/.local/bin

# --- Lambda builds: one way for sam build, CI and local/ -------------------------------------
LAMBDA_GOARCH ?= arm64
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

build-%Function: ## Build one Lambda, e.g. build-UsersFunction, to $(ARTIFACTS_DIR)/bootstrap
	@test -n "$(ARTIFACTS_DIR)" || { echo "make $@: set ARTIFACTS_DIR to the folder that is to receive the binary 'bootstrap'"; exit 2; }
	CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build -trimpath -tags lambda.norpc \
		-ldflags="-s -w -X main.commit=$(COMMIT)" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

# --- Tests and checks ------------------------------------------------------------------------
# Tools go to .local/, by exact version; a new version here is a new file, so make fetches it.
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(BIN)/golangci-lint-$(GOLANGCI_VERSION)
VENV := $(CURDIR)/.local/venv
GO_DIRS = $(wildcard *.go cmd functions local shared)
MODULES := . local
# $(call each,COMMAND) runs a command in both modules, and stops at the first that fails.
each = @set -e; for module in $(MODULES); do (set -x; cd $$module && $(1)); done

check: format vet lint race unchanged lint-template lint-openapi tidy ## All that a change must pass before it is committed

test: engines ## Run all tests of both modules on the real engines
	$(call each,go test -shuffle=on ./...)

race: engines ## The same under the race detector
	@command -v $${CC:-gcc} >/dev/null || { echo "make $@: install a C compiler (gcc), the race detector needs one"; exit 1; }
	$(call each,CGO_ENABLED=1 go test -race -shuffle=on ./...)

format:
	@files=$$(gofmt -l $(GO_DIRS)); test -z "$$files" || { echo "make $@: run gofmt -w on"; echo "$$files"; exit 1; }

vet:
	$(call each,go vet ./...)

lint: $(GOLANGCI) ## golangci-lint over both modules
	$(call each,$(GOLANGCI) run ./...)

unchanged:
	.ci/unchanged $(MAKE) --no-print-directory generate

lint-template: $(VENV)/ready
	$(VENV)/bin/cfn-lint template.yaml

lint-openapi: $(VENV)/ready
	$(VENV)/bin/openapi-spec-validator openapi.yaml

tidy:
	$(call each,go mod tidy -diff)

generate: ## Write openapi.yaml and whatever else is generated anew
	go generate ./...

engines: $(BIN)/dynoxide ## Fetch the engines that tests run on

tools: $(GOLANGCI) $(VENV)/ready ## Fetch what `make check` needs

$(GOLANGCI):
	@echo "building golangci-lint $(GOLANGCI_VERSION), once; this takes minutes"
	@mkdir -p $(BIN)
	@building=$$(mktemp -d $(BIN)/building.XXXXXX); trap 'rm -rf "$$building"' EXIT; \
	GOFLAGS= GOBIN=$$building go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) \
		&& mv $$building/golangci-lint $@

$(VENV)/ready: .ci/requirements.txt
	@command -v python3 >/dev/null || { echo "make: install python3, which the template and OpenAPI linters need"; exit 1; }
	@rm -rf $(VENV) && python3 -m venv $(VENV) || { echo "make: install python3's venv (on Debian: python3-venv)"; exit 1; }
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-input --no-deps -r $<
	@$(VENV)/bin/pip check --disable-pip-version-check >/dev/null && touch $@

clean: ## Remove what was built; downloaded tools and .local/data stay
	rm -rf .aws-sam .local/build coverage.out
.PHONY: check test race format vet lint unchanged lint-template lint-openapi tidy generate engines tools clean

help: ## List the targets
	@grep -hE '^[a-z%-]+[A-Za-z]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22
.PHONY: help
