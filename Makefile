# Portside. `make` lists the targets. `make run` needs only Go and Node.js; `make test` needs skopeo and podman besides,
# which it installs where it is root on Debian.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := $(CURDIR)/.local/bin

# --- Lambda builds: one way for sam build, CI and local/ -------------------------------------
LAMBDA_GOARCH ?= arm64
COMMIT ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

build-%Function: has-go ## Build one Lambda, e.g. build-UsersFunction, to $(ARTIFACTS_DIR)/bootstrap
	@test -n "$(ARTIFACTS_DIR)" || { echo "make $@: set ARTIFACTS_DIR to the folder that is to receive the binary 'bootstrap'"; exit 2; }
	CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build -trimpath -tags lambda.norpc \
		-ldflags="-s -w -X main.commit=$(COMMIT)" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

# What runs go comes after this, so that a missing one is told in one line.
has-go:
	@command -v go >/dev/null || { echo "make: go is missing: install Go 1.26 from https://go.dev/dl and put it into PATH"; exit 1; }
.PHONY: has-go

# --- Tests and checks ------------------------------------------------------------------------
# Tools go to .local/, by exact version; a new version here is a new file, so make fetches it.
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(BIN)/golangci-lint-$(GOLANGCI_VERSION)
VENV := $(CURDIR)/.local/venv
GO_DIRS = $(wildcard *.go cmd documents functions local shared)
MODULES := . documents local
# $(call each,COMMAND) runs a command in both modules, and stops at the first that fails.
each = @set -e; for module in $(MODULES); do (set -x; cd $$module && $(1)); done

check: format vet lint race unchanged lint-template lint-openapi tidy ## All that a change must pass before it is committed

test: has-go engines clients ## Run all tests of both modules on the real engines
	$(call each,go test -shuffle=on ./...)

race: has-go engines clients ## Run all tests under the race detector
	@command -v $${CC:-gcc} >/dev/null || { echo "make $@: install a C compiler (gcc), the race detector needs one"; exit 1; }
	$(call each,CGO_ENABLED=1 go test -race -shuffle=on ./...)

format: has-go ## Name the files that gofmt would change
	@files=$$(gofmt -l $(GO_DIRS)); test -z "$$files" || { echo "make $@: run gofmt -w on"; echo "$$files"; exit 1; }

vet: has-go ## go vet over both modules
	$(call each,go vet ./...)

lint: has-go $(GOLANGCI) ## golangci-lint over both modules
	$(call each,$(GOLANGCI) run ./...)

unchanged: ## Fail where `make generate` changes a file
	.ci/unchanged $(MAKE) --no-print-directory generate

lint-template: $(VENV)/ready ## cfn-lint over template.yaml
	$(VENV)/bin/cfn-lint template.yaml

lint-openapi: $(VENV)/ready ## Check openapi.yaml against the OpenAPI specification
	$(VENV)/bin/openapi-spec-validator openapi.yaml

tidy: has-go ## Fail where `go mod tidy` would change go.mod or go.sum
	$(call each,go mod tidy -diff)

generate: has-go ## Write openapi.yaml and whatever else is generated anew
	go generate ./...

golden: has-go engines ## Write the golden files of the functions' tests anew; look at what changed
	go test ./functions/... -update

engines: $(BIN)/dynoxide ## Fetch the engines that tests run on

clients: has-go ## Fetch the clients that the end-to-end tests use the service with: helm, crane, docker, skopeo, podman
	@.ci/clients $(BIN)

tools: $(GOLANGCI) $(VENV)/ready ## Fetch what `make check` needs

$(GOLANGCI): | has-go
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
.PHONY: check test race format vet lint unchanged lint-template lint-openapi tidy generate golden engines clients tools clean

# --- The local stack: `make run` ---------------------------------------------------------------
# ADDR and DATA move it, so that two can run side by side; RATE_LIMIT is the template's RateLimitPerMinute. PARAMETERS are all its
# others, PARAMETERS="MediaEngine=openai MediaModel=…", which the stack reads from its environment: one of them may be a key.
ADDR ?= 127.0.0.1:3000
DATA ?= .local/data
LOCAL_SOURCES = $(shell find local -type f ! -path '*/testdata/*' ! -name '*_test.go')
GO_LOCAL = cd local && CGO_ENABLED=0 go build -trimpath -ldflags="-s -w"

run: export PARAMETERS := $(value PARAMETERS)
run: has-go $(BIN)/local engines ## Run everything on this machine; ADDR=127.0.0.1:3001 DATA=.local/data2 RATE_LIMIT=0 PARAMETERS="Name=Value …"
	@exec $(BIN)/local run -addr '$(ADDR)' -data '$(DATA)' -rate-limit '$(RATE_LIMIT)'

invoke: has-go $(BIN)/local engines ## Run one event; FUNCTION=UsersFunction EVENT=events/users/list.json
	@exec $(BIN)/local invoke -data '$(DATA)' -function '$(FUNCTION)' -event '$(EVENT)'

rotate: has-go $(BIN)/local ## Renew the token in a secret of the running stack; SECRET=portside/acme DATA=…
	@exec $(BIN)/local rotate -data '$(DATA)' -secret '$(SECRET)'

# ADDR is a check only, and so passed on only where somebody gave it: DATA says which stack it is.
demo: has-go $(BIN)/local ## Publish an example chart and images on the running stack, and show how to fetch them; DATA=… ADDR=…
	@exec $(BIN)/local demo -data '$(DATA)' $(if $(filter command environment,$(firstword $(origin ADDR))),-addr '$(ADDR)')

engines: $(BIN)/s3server $(BIN)/registryserver $(BIN)/local

$(BIN)/local: $(LOCAL_SOURCES) | has-go
	@echo "building the local stack …"
	@$(GO_LOCAL) -o $@ .

$(BIN)/s3server: $(filter local/s3server/% local/go.%,$(LOCAL_SOURCES)) | has-go
	@echo "building the S3 engine, which takes minutes the first time …"
	@$(GO_LOCAL) -o $@ ./s3server

$(BIN)/registryserver: $(filter local/registryserver/% local/go.%,$(LOCAL_SOURCES)) | has-go
	@echo "building the container registry, which takes minutes the first time …"
	@$(GO_LOCAL) -o $@ ./registryserver

$(BIN)/dynoxide: local/engines/install.go | $(BIN)/local
	@$(BIN)/local fetch && touch $@
.PHONY: run invoke rotate demo

# --- Bulk import into the running local stack ----------------------------------------------------
# ADDR is a check only, and so passed on only where somebody gave it: DATA says which stack it is.
# ARGS are further options of `portside import-users`; one with a space needs quotes of its own.
import-users: has-go ## Import FILE=people.csv (or .jsonl) into the running local stack; DATA=… ADDR=… ARGS='--errors bad.csv'
	@test -n "$(FILE)" || { echo "make $@: say which file, such as FILE=people.csv; FILE=- ARGS=-h shows the options that ARGS takes"; exit 2; }
	@go build -trimpath -ldflags="-X main.commit=$(COMMIT)" -o .local/bin/portside ./cmd/portside
	@exec .local/bin/portside import-users --local '$(DATA)' $(if $(filter command environment,$(firstword $(origin ADDR))),--addr '$(ADDR)') $(ARGS) '$(FILE)'
.PHONY: import-users

# --- The OCI distribution specification's own tests --------------------------------------------
conformance: has-go ## Run them against the running stack; DIR=<checkout of opencontainers/distribution-spec> DATA=…
	@.ci/conformance '$(DIR)' '$(DATA)'
.PHONY: conformance

# --- Measurements --------------------------------------------------------------------------------
bench: has-go $(BIN)/local engines ## Measure what the README claims, beside whatever else runs; minutes
	@go build -o $(BIN)/bench ./cmd/bench && exec $(BIN)/bench

bench-million: has-go $(BIN)/local engines ## The figures about lists, at a million users; about twenty minutes
	@go build -o $(BIN)/bench ./cmd/bench && exec $(BIN)/bench -list -users 1000000

quality: has-go ## Measure how well files are read and understood, and write documents/QUALITY.md; seconds
	cd documents && go run ./cmd/quality
.PHONY: bench bench-million quality

help: ## List the targets
	@grep -hE '^[a-z%-]+[A-Za-z]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22
.PHONY: help
