# Portside. `make` lists the targets. `make run` needs only Go and Node.js. `make test` also needs Python, skopeo, podman, Chromium,
# espeak-ng and sox; on Debian, root installs all but Python automatically.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := $(CURDIR)/.local/bin

# --- Lambda builds for sam build, CI and local/ ----------------------------------------------
LAMBDA_GOARCH ?= arm64
# The last commit that changed a source file of the functions. So a deployment of other changes does not replace them.
COMMIT ?= $(or $(shell git log -1 --format=%h --abbrev=12 -- functions shared documents go.mod go.sum 2>/dev/null),unknown)

build-%Function: has-go ## Build one Lambda, e.g. build-UsersFunction, to $(ARTIFACTS_DIR)/bootstrap
	@test -n "$(ARTIFACTS_DIR)" || { echo "make $@: set ARTIFACTS_DIR to the folder for the binary 'bootstrap'"; exit 2; }
	CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build -trimpath -buildvcs=false -tags lambda.norpc \
		-ldflags="-s -w -X main.commit=$(COMMIT)" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

commit: ## Print the commit that /v1/health shows
	@echo $(COMMIT)
.PHONY: commit

# Targets that run go depend on has-go, which reports a missing go in one clear line.
has-go:
	@command -v go >/dev/null || { echo "make: go is missing: install Go 1.26 from https://go.dev/dl and add it to PATH"; exit 1; }
.PHONY: has-go

# --- Tests and checks ------------------------------------------------------------------------
# Tools are installed in .local/ with their version in the file name, so make installs a new version when it changes here.
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(BIN)/golangci-lint-$(GOLANGCI_VERSION)
GOVULNCHECK_VERSION := v1.9.0
VENV := $(CURDIR)/.local/venv
SAM := $(CURDIR)/.local/sam
CHECKOV := $(CURDIR)/.local/checkov
SCHEMATHESIS := $(CURDIR)/.local/schemathesis
SPEECH := $(CURDIR)/.local/speech
NODE := $(CURDIR)/.local/portal
GENERATORS := $(CURDIR)/.local/generators
PYTHON_CLIENT := $(CURDIR)/.local/python-client
GO_DIRS = $(wildcard *.go client cmd documents functions harness local shared testclient)
MODULES := . client documents harness local testclient
# $(call each,COMMAND) runs a command in all modules and stops at the first failure.
each = @set -e; for module in $(MODULES); do (set -x; cd $$module && $(1)); done

# In `make check`, the requests take minutes less than with the default of `make fuzz-api`.
check: REQUESTS ?= 30000
check: format vet lint race fuzz-api arm64 reproducible unchanged portal-types lint-template check-deploy lint-openapi tidy ## Run all checks that a commit must pass

test: has-go engines clients ## Run all tests of all modules on the real engines
	$(call each,go test -timeout=40m -shuffle=on ./...)

# .ci/norace lists tests that take minutes with the race detector, which finds nothing in them: they test code in other processes, through a
# browser or by killing the processes, or run one goroutine for months of simulated time. `make test` runs them. The module documents has one
# test with several goroutines; it reads all formats and asks all kinds of questions.
NO_RACE = $(shell cut -d' ' -f1 .ci/norace | paste -sd'|')
DOCUMENTS_RACE := TestConcurrentReadersAndQuestions

race: MODULES := . client harness local testclient
race: has-go engines clients ## Run the tests under the race detector, without those of .ci/norace
	@command -v $${CC:-gcc} >/dev/null || { echo "make $@: install a C compiler (gcc), which the race detector needs"; exit 1; }
	cd documents && CGO_ENABLED=1 go test -race -timeout=40m -run '^$(DOCUMENTS_RACE)$$' .
	$(call each,CGO_ENABLED=1 go test -race -timeout=40m -shuffle=on -skip '^($(NO_RACE))$$' ./...)

arm64: has-go $(BIN)/local engines ## Let every function, built for AWS, answer an event in an emulator
	@.ci/debian "make $@" qemu-aarch64-static=qemu-user-static
	@$(BIN)/local arm64 2>.local/arm64.log || { cat .local/arm64.log; exit 1; }

fuzz-api: has-go engines ## Compare the answers to 100,000 random requests with openapi.yaml; REQUESTS=… SEED=…
	cd local && go test ./e2e -count=1 -timeout=60m -run '^TestRandomRequests$$' -v -args -api-requests $(or $(REQUESTS),100000) -api-seed $(or $(SEED),1)

schemathesis: $(SCHEMATHESIS)/ready ## Test the API of the running stack with schemathesis; DATA=… CASES=480 for each operation, SEED=… KEY_FILE=…
	@address=$$(node -p "JSON.parse(require('fs').readFileSync(process.argv[1])).api" '$(DATA)/stack.json') && \
	key=$$(cat '$(or $(KEY_FILE),$(DATA)/admin-key)') && \
	$(SCHEMATHESIS)/bin/schemathesis --config-file .ci/schemathesis/schemathesis.toml run openapi.yaml --url "$$address" \
		--header "X-API-Key: $$key" --max-examples $(or $(CASES),480) --seed $(or $(SEED),1) --generation-database none \
		--phases examples,coverage,fuzzing --continue-on-failure --checks all --exclude-checks positive_data_acceptance,negative_data_rejection,status_code_conformance,response_headers_conformance

fuzz: has-go ## Fuzz every parser of strangers' bytes for FUZZTIME=10s each
	@.ci/fuzz '$(or $(FUZZTIME),10s)' $(MODULES)

harness: has-go engines ## Overload the local stack, disorder events and make calls of AWS fail; prints the figures of docs/security.md; takes minutes; PERMUTATIONS=… RUNS=… SEED=…
	@set -o pipefail; cd harness && figures() { grep -E '^ +[a-z_]+\.go:|^(---|FAIL|ok|panic)'; }; \
	go test -count=1 -timeout=30m -v ./overload ./crashes ./callsites ./simulator | figures && \
	go test -count=1 -timeout=30m -v ./faults -args -runs $(or $(RUNS),200) -seed $(or $(SEED),1) | figures && \
	go test -count=1 -timeout=30m -v ./chaos -args -permutations $(or $(PERMUTATIONS),1000) -seed $(or $(SEED),1) | figures

harness-long: has-go engines ## Like harness, with every run of the faults, more permutations and a long simulation; takes an hour; SEED=…
	@set -o pipefail; cd harness && figures() { grep -E '^ +[a-z_]+\.go:|^(---|FAIL|ok|panic)'; }; \
	go test -count=1 -timeout=40m -v ./faults -args -runs 0 | figures && \
	go test -count=1 -timeout=40m -v ./simulator -args -steps 300000 -seed $(or $(SEED),7) | figures && \
	go test -count=1 -timeout=60m -v ./chaos -args -permutations 2000 -seed $(or $(SEED),1001) | figures

format: has-go ## Fail if gofmt would change a file, or if a file has the marks of a merge conflict
	@files=$$(git grep -lE '^(<<<<<<<|>>>>>>>) '); test -z "$$files" || { echo "make $@: resolve the merge conflicts in"; echo "$$files"; exit 1; }
	@files=$$(gofmt -l $(GO_DIRS)); test -z "$$files" || { echo "make $@: run gofmt -w on"; echo "$$files"; exit 1; }

vet: has-go ## Run go vet in all modules
	$(call each,go vet ./...)

lint: has-go $(GOLANGCI) ## Run golangci-lint in all modules
	$(call each,$(GOLANGCI) run ./...)

unchanged: ## Fail if `make generate` changes a file
	.ci/unchanged $(MAKE) --no-print-directory generate

lint-template: $(VENV)/ready $(CHECKOV)/ready ## Check template.yaml before and after the SAM transform: cfn-lint, checkov, and the list of permissions
	$(VENV)/bin/cfn-lint template.yaml
	$(VENV)/bin/python .ci/permissions
	@mkdir -p .aws-sam && $(VENV)/bin/python .ci/permissions --print > .aws-sam/transformed.json
	$(VENV)/bin/cfn-lint --ignore-checks W2001 -- .aws-sam/transformed.json
	$(VENV)/bin/python .ci/checkov $(CHECKOV)/bin/checkov .aws-sam/transformed.json

check-deploy: has-go $(SAM)/ready ## Test the deployment up to the first call of AWS, with sam validate and sam build
	$(SAM)/bin/python -B .ci/deploy_test.py
	$(SAM)/bin/python -B .ci/deploy.py staging --dry-run --settings .ci/settings.yaml

permissions: $(VENV)/ready ## Rewrite .ci/permissions.txt, the list of all IAM statements; review the changes
	$(VENV)/bin/python .ci/permissions --update

lint-openapi: $(VENV)/ready $(GENERATORS)/ready ## Check openapi.yaml against the OpenAPI specification, and with redocly
	$(VENV)/bin/openapi-spec-validator openapi.yaml
	$(GENERATORS)/node_modules/.bin/redocly lint --config .ci/generators/redocly.yaml openapi.yaml

# `make check` does the same: `make unchanged` generates the Go client, and `make race` makes the calls.
generators: has-go engines generated-clients ## Generate clients in Go, Python and TypeScript from openapi.yaml, and make calls with them
	.ci/unchanged go generate -C client ./...
	cd local && go test ./e2e -count=1 -run '^(TestClientPackage|TestGeneratedClients)$$'

generated-clients: $(PYTHON_CLIENT)/generated/ready $(GENERATORS)/typescript/calls.js

# The generator formats its output with ruff of its own environment.
$(PYTHON_CLIENT)/generated/ready: $(PYTHON_CLIENT)/ready openapi.yaml .ci/generators/python.yaml
	@mkdir -p $(@D)
	PATH=$(PYTHON_CLIENT)/bin:$$PATH openapi-python-client generate --path openapi.yaml --output-path $(@D)/portside_client --overwrite \
		--meta none --config .ci/generators/python.yaml --fail-on-warning && touch $@

# The types are those of the portal, which `make generate` writes. The compiler and openapi-fetch are in the folder above.
TYPESCRIPT_CLIENT = functions/portal/web/core/openapi.d.ts .ci/generators/tsconfig.json local/e2e/testdata/generators/calls.ts
$(GENERATORS)/typescript/calls.js: $(GENERATORS)/ready $(TYPESCRIPT_CLIENT)
	@mkdir -p $(@D) && cp $(TYPESCRIPT_CLIENT) $(@D) && echo '{"type": "module"}' > $(@D)/package.json
	$(GENERATORS)/node_modules/.bin/tsc --project $(@D)

tidy: has-go ## Fail if `go mod tidy` would change go.mod or go.sum
	$(call each,go mod tidy -diff)

portal-types: $(NODE)/ready ## Check the types of the portal's scripts
	$(NODE)/node_modules/.bin/tsc --project .ci/portal

generate: has-go vendor ## Regenerate openapi.yaml and all other generated files
	go generate ./...
	cd client && go generate ./...
	$(NODE)/node_modules/.bin/openapi-typescript openapi.yaml --root-types --root-types-no-schema-prefix \
		--output functions/portal/web/core/openapi.d.ts

vendor: $(NODE)/ready ## Copy the portal's libraries from their npm packages
	.ci/portal/vendor $(NODE) functions/portal/web/vendor

golden: has-go engines ## Rewrite the golden files of the functions' tests; review the changes
	go test ./functions/... -update

pictures: has-go engines clients ## Rewrite the pictures of the portal in its tests and in the README; review the changes
	cd local && go test ./browser ./e2e -run 'TestScreenshot|TestPortalPages/pictures|TestFilledPortal' -count=1 -update

engines: $(BIN)/dynoxide ## Install the engines that the tests need

clients: has-go $(NODE)/ready $(SPEECH)/ready generated-clients ## Install the clients of the end-to-end tests: helm, crane, docker, skopeo, podman, chromium, a recognizer of speech, and generated ones
	@.ci/clients $(BIN)

tools: $(GOLANGCI) $(VENV)/ready $(SAM)/ready $(CHECKOV)/ready $(NODE)/ready $(GENERATORS)/ready $(PYTHON_CLIENT)/ready ## Install the tools of `make check`

$(GOLANGCI): | has-go
	@echo "building golangci-lint $(GOLANGCI_VERSION), once; this takes minutes …"
	@mkdir -p $(BIN)
	@building=$$(mktemp -d $(BIN)/building.XXXXXX); trap 'rm -rf "$$building"' EXIT; \
	GOFLAGS= GOBIN=$$building go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) \
		&& mv $$building/golangci-lint $@

# The sets of tools need different versions of the same packages.
$(VENV)/ready: .ci/requirements.txt
	$(install-python)
$(SAM)/ready: .ci/requirements-sam.txt
	$(install-python)
$(CHECKOV)/ready: .ci/requirements-checkov.txt
	$(install-python)

$(SCHEMATHESIS)/ready: .ci/requirements-schemathesis.txt
	$(install-python)
$(SPEECH)/ready: .ci/requirements-speech.txt
	$(install-python)
$(PYTHON_CLIENT)/ready: .ci/requirements-python-client.txt
	$(install-python)

define install-python
@command -v python3 >/dev/null || { echo "make: install Python 3.11 or newer, which the linters, the deployment and the tests of recordings need"; exit 1; }
@rm -rf $(@D) && python3 -m venv $(@D) || { echo "make: install python3's venv (on Debian: python3-venv)"; exit 1; }
$(@D)/bin/pip install --quiet --disable-pip-version-check --no-input --no-deps -r $<
@$(@D)/bin/pip check --disable-pip-version-check >/dev/null && touch $@
endef

# npm compares each package with the hash in the lock file, so packages cannot change without a change here.
$(NODE)/ready: .ci/portal/package.json .ci/portal/package-lock.json .ci/portal/.npmrc
	$(install-node)
$(GENERATORS)/ready: .ci/generators/package.json .ci/generators/package-lock.json .ci/generators/.npmrc
	$(install-node)

define install-node
@command -v npm >/dev/null || { echo "make: install Node.js 20 or newer with npm, which the tools of the portal and the API need"; exit 1; }
@mkdir -p $(@D) && cp $^ $(@D)
cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@
endef

clean: ## Remove build output, but not downloaded tools and .local/data
	rm -rf .aws-sam .local/build coverage.out
.PHONY: check test race fuzz-api schemathesis fuzz harness harness-long arm64 format vet lint unchanged portal-types lint-template check-deploy permissions lint-openapi generators generated-clients tidy generate vendor golden pictures engines clients tools clean

# --- The local stack: `make run` ---------------------------------------------------------------
# With ADDR and DATA, several stacks can run at the same time. RATE_LIMIT is the template's RateLimitPerMinute. PARAMETERS sets other
# parameters of the template, such as PARAMETERS="MediaEngine=openai MediaModel=…". It is passed in the environment, because
# it may contain a key.
ADDR ?= 127.0.0.1:3000
DATA ?= .local/data
LOCAL_SOURCES = $(shell find local -type f ! -path '*/testdata/*' ! -name '*_test.go')
GO_LOCAL = cd local && CGO_ENABLED=0 go build -trimpath -ldflags="-s -w"

# The stack itself builds the engines that are missing or out of date, so that it answers sooner.
build-engines = $(shell $(MAKE) -q -o has-go $(BIN)/s3server $(BIN)/registryserver 2>/dev/null || echo -build-engines)

run: export PARAMETERS := $(value PARAMETERS)
run: has-go $(BIN)/local $(BIN)/dynoxide ## Run everything on this machine; ADDR=127.0.0.1:3001 DATA=.local/data2 RATE_LIMIT=0 LOGS=json PARAMETERS="Name=Value …"
	@exec $(BIN)/local run -addr '$(ADDR)' -data '$(DATA)' -rate-limit '$(RATE_LIMIT)' -logs '$(LOGS)' $(build-engines)

invoke: has-go $(BIN)/local engines ## Invoke a function with an event; FUNCTION=UsersFunction EVENT=events/users/list.json
	@exec $(BIN)/local invoke -data '$(DATA)' -function '$(FUNCTION)' -event '$(EVENT)'

rotate: has-go $(BIN)/local ## Rotate the token in a secret of the running stack; SECRET=portside/acme DATA=…
	@exec $(BIN)/local rotate -data '$(DATA)' -secret '$(SECRET)'

# DATA selects the stack. ADDR is only a check, so it is passed on only if the user has set it.
demo: has-go $(BIN)/local ## Publish an example chart and images on the running stack and print how to fetch them; DATA=… ADDR=…
	@exec $(BIN)/local demo -data '$(DATA)' $(if $(filter command environment,$(firstword $(origin ADDR))),-addr '$(ADDR)')

engines: $(BIN)/s3server $(BIN)/registryserver $(BIN)/local

$(BIN)/local: $(LOCAL_SOURCES) | has-go
	@echo "building the local stack …"
	@$(GO_LOCAL) -o $@ .

$(BIN)/s3server: $(filter local/s3server/% local/iam/% local/go.%,$(LOCAL_SOURCES)) | has-go
	@echo "building the S3 engine; the first time takes minutes …"
	@$(GO_LOCAL) -o $@ ./s3server

$(BIN)/registryserver: $(filter local/registryserver/% local/go.%,$(LOCAL_SOURCES)) | has-go
	@echo "building the container registry; the first time takes minutes …"
	@$(GO_LOCAL) -o $@ ./registryserver

$(BIN)/dynoxide: local/engines/install.go | $(BIN)/local
	@$(BIN)/local fetch && touch $@
engine-%: $(BIN)/% ;

.PHONY: run invoke rotate demo

# --- Bulk import into the running local stack ----------------------------------------------------
# DATA selects the stack. ADDR is only a check, so it is passed on only if the user has set it.
# ARGS has further options of `portside import-users`; quote options with spaces.
import-users: has-go ## Import FILE=people.csv (or .jsonl) into the running local stack; DATA=… ADDR=… ARGS='--errors bad.csv'
	@test -n "$(FILE)" || { echo "make $@: set FILE, such as FILE=people.csv; FILE=- ARGS=-h lists the options for ARGS"; exit 2; }
	@$(build-portside)
	@exec .local/bin/portside import-users --local '$(DATA)' $(if $(filter command environment,$(firstword $(origin ADDR))),--addr '$(ADDR)') $(ARGS) '$(FILE)'

# ARGS has further options of `portside demo-data`.
# It adds the year first, because that fails at once if the stack has other users.
demo-year: has-go $(BIN)/local ## Fill the running local stack with an example year of customers, users, credentials, requests and pulls; DATA=… ARGS='--add --seed 2'
	@$(build-portside)
	@.local/bin/portside demo-data --local '$(DATA)' $(ARGS)
	@exec $(BIN)/local demo -data '$(DATA)' $(if $(filter command environment,$(firstword $(origin ADDR))),-addr '$(ADDR)')

portside: has-go ## Build the command line into .local/bin
	@$(build-portside)

# The compiler records the commit, also if GOFLAGS turns that off. COMMIT does not look at all sources of the command.
build-portside = CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o .local/bin/portside ./cmd/portside
.PHONY: import-users demo-year portside

# --- Deployment ------------------------------------------------------------------------------------
# The variables of the recipe are those of docs/operations.md. PROBE_REPOSITORY is passed on in the environment.
deploy: has-go $(SAM)/ready ## Deploy to AWS: ENV=staging; DRY_RUN=1 YES=1 REPLACE_DATA=1 SETTINGS=settings/staging.yaml PROBE_REPOSITORY=acme/probe
	@test -n "$(ENV)" || { echo "make $@: set ENV to an environment of samconfig.toml, such as ENV=staging"; exit 2; }
	@test -z "$(filter-out 0 1,$(DRY_RUN) $(YES) $(REPLACE_DATA))" || { echo "make $@: set DRY_RUN, YES and REPLACE_DATA to 1 or 0"; exit 2; }
	@exec $(SAM)/bin/python -B .ci/deploy.py '$(ENV)' $(if $(SETTINGS),--settings '$(SETTINGS)') \
		$(if $(filter 1,$(DRY_RUN)),--dry-run) $(if $(filter 1,$(YES)),--yes) $(if $(filter 1,$(REPLACE_DATA)),--replace-data)
.PHONY: deploy

# --- Releases ----------------------------------------------------------------------------------------
FUNCTIONS = $(shell sed -n 's/^  \([A-Za-z]\{1,\}Function\):.*/\1/p' template.yaml)
RELEASE ?= .local/release

release: $(FUNCTIONS:%=release-%) ## Build all functions for AWS, with checksums and a software bill of materials, into .local/release
	@cd $(RELEASE) && sha256sum -- */bootstrap > SHA256SUMS
	go run ./cmd/sbom -release $(RELEASE) > $(RELEASE)/portside.cdx.json

release-%:
	@mkdir -p $(RELEASE)/$* && $(MAKE) --no-print-directory build-$* ARTIFACTS_DIR=$(abspath $(RELEASE))/$*

reproducible: has-go ## Fail if a build in another folder, with an empty build cache, has other bytes
	@.ci/reproducible

vulnerabilities: has-go ## Fail if a function calls code with a vulnerability in Go's database; needs vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...
	cd documents && go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...
.PHONY: release reproducible vulnerabilities

# --- The conformance tests of the OCI distribution specification --------------------------------
conformance: has-go ## Run the OCI conformance tests against the running stack; DIR=<checkout of opencontainers/distribution-spec> DATA=…
	@.ci/conformance '$(DIR)' '$(DATA)'
.PHONY: conformance

# --- Measurements --------------------------------------------------------------------------------
bench: has-go $(BIN)/local engines ## Measure the figures of the README; takes minutes
	@.ci/debian "make $@" pdftotext=poppler-utils
	@go build -o $(BIN)/bench ./cmd/bench && exec $(BIN)/bench

bench-million: has-go $(BIN)/local engines ## Measure lists with a million users; takes about twenty minutes
	@go build -o $(BIN)/bench ./cmd/bench && exec $(BIN)/bench -list -users 1000000

capacity: has-go engines ## Measure the units of operations and simulate months of load in docs/capacity.md; takes seconds
	go test ./cmd/capacity -count=1 -update && go run ./cmd/capacity

cost: has-go $(BIN)/local engines ## Measure what operations use and compute what they cost in docs/cost.md; takes two minutes
	@go build -o $(BIN)/bench ./cmd/bench && $(BIN)/bench -only costs && go run ./cmd/capacity

quality: has-go ## Measure the quality of reading and answering, and write documents/QUALITY.md; takes seconds
	cd documents && go run ./cmd/quality

train: has-go ## Fit the trees of the offline engine; MORE=folder adds documents with their answers; takes minutes
	cd documents && go run ./cmd/train -write $(if $(MORE),-more $(abspath $(MORE)))
.PHONY: bench bench-million capacity cost quality train

help: ## List the targets
	@echo 'Begin with "make run", then "make demo" in another terminal. All targets:'
	@grep -hE '^[a-z%-]+[A-Za-z]*:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22
.PHONY: help
