# Portside. `make` lists the targets. `make run` needs only Go and Node.js. `make test` also needs Python, skopeo, podman, Chromium,
# espeak-ng and sox; on Debian, root installs all but Python automatically.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := $(CURDIR)/.local/bin
OCR := $(CURDIR)/documents/ocr/data

# All builds, tests and linters compile packages in the same way, as AWS gets them, so that each package is compiled once. Paths are not in
# the binaries, so that another checkout uses the same build cache. Only the race detector and other processors need more.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath -buildvcs=% -tags=%,$(GOFLAGS)) -trimpath -buildvcs=false -tags=lambda.norpc)

# --- Lambda builds for sam build, CI and local/ ----------------------------------------------
LAMBDA_GOARCH ?= arm64
# The last commit that changed a source file of the functions. So a deployment of other changes does not replace them.
COMMIT ?= $(call last-commit,-- functions shared documents go.mod go.sum)
last-commit = $(or $(shell git log -1 --format=%h --abbrev=12 $(1) 2>/dev/null),unknown)

build-MediaFunction build-RunMediaJobsFunction: $(OCR)/tesseract.wasm
build-%Function: has-go ## Build one Lambda, e.g. build-UsersFunction, to $(ARTIFACTS_DIR)/bootstrap
	@test -n "$(ARTIFACTS_DIR)" || { echo "make $@: set ARTIFACTS_DIR to the folder for the binary 'bootstrap'"; exit 2; }
	GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build \
		-ldflags="-s -w -X main.commit=$(COMMIT)" -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

commit: ## Print the commit that /v1/health shows
	@echo $(COMMIT)
.PHONY: commit

# Targets that run go or node depend on these, which report a missing program in one clear line.
has-go:
	@command -v go >/dev/null || { echo "make: go is missing: install Go 1.26 from https://go.dev/dl and add it to PATH"; exit 1; }
has-node:
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "make: install Node.js 20 or newer with npm, which the tools of the portal and the API need"; exit 1; }
.PHONY: has-go has-node

# --- Tools ------------------------------------------------------------------------------------
# Tools are installed in .local/ with their version in the file name, so make installs a new version when it changes here. golangci-lint
# takes minutes to build, so all checkouts of a user share it.
GOLANGCI_VERSION := v2.15.0
GOLANGCI = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/portside/golangci-lint-$(GOLANGCI_VERSION)-$(shell go env GOVERSION 2>/dev/null)
GOVULNCHECK_VERSION := v1.9.0
UV := $(CURDIR)/.local/uv
VENV := $(CURDIR)/.local/venv
SAM := $(CURDIR)/.local/sam
CHECKOV := $(CURDIR)/.local/checkov
SCHEMATHESIS := $(CURDIR)/.local/schemathesis
SPEECH := $(CURDIR)/.local/speech
NODE := $(CURDIR)/.local/portal
GENERATORS := $(CURDIR)/.local/generators
PYTHON_CLIENT := $(CURDIR)/.local/python-client
GATE := $(BIN)/gate

# --- Tests and checks ------------------------------------------------------------------------
MODULES := . $(patsubst %/go.mod,%,$(wildcard */go.mod))
# $(call each,COMMAND) runs a command in all modules and stops at the first failure.
each = @set -e; for module in $(MODULES); do (set -x; cd $$module && $(1)); done
GO_DIRS = $(wildcard client cmd documents functions harness local shared testclient tests *.go)

quick: has-go $(GOLANGCI) engines $(GATE) ## Check the packages that differ from BASE=HEAD, in one to three minutes: format, lint, their tests, and those of direct importers
	@$(GATE) quick -base '$(or $(BASE),HEAD)' -linter $(GOLANGCI)

check: format lint unchanged portal-types lint-template check-deploy lint-openapi tidy cross-compile ## Run the static checks of the whole project

test: has-go engines clients ## Run all tests of all modules on the real engines; SCALE=1 SEED=1
	@.ci/tests

race: has-go engines clients ## Run all tests under the race detector
	@.ci/tests --race all

nightly: has-go engines clients ## Test more than a change needs, for hours, with a new SEED, and write harness/FIGURES.md; PARTS=harness
	@.ci/nightly $(PARTS)

predeploy: arm64 reproducible sam-build ## Check the binaries for AWS: they run on arm64, two builds are equal, and sam builds them

budget: $(GATE) ## Write .ci/budget.tsv from the last run of .ci/run
	@$(GATE) budget -records .local/cpu.tsv -write

arm64: has-go $(BIN)/local engines ## Let every function, built for AWS, answer an event in an emulator
	@.ci/debian "make $@" qemu-aarch64-static=qemu-user-static
	@$(BIN)/local arm64 2>.local/arm64.log || { cat .local/arm64.log; exit 1; }

figures: has-go ## Print how large the project is, and how many files a change needs
	@go run ./cmd/figures

env: ## Print the settings with which a shell uses the same build cache: eval "$$(make -s env)"
	@echo "export CGO_ENABLED=$$CGO_ENABLED GOFLAGS='$$GOFLAGS'"

build: $(BIN)/local ## Build everything that the local stack runs
	@$(BIN)/local setup

cross-compile: has-go ## Compile the functions and the command line for AWS
	GOARCH=arm64 go list -export ./functions/... ./cmd/portside >/dev/null # compiles, but does not link

fuzz-api: has-go engines ## Compare the answers to REQUESTS=100000 random requests with openapi.yaml; SEED=…
	cd local && SCALE=$$(( $(or $(REQUESTS),100000) / 2500 )) go test ./e2e/api -count=1 -timeout=60m -run '^TestRandomRequests$$' -v

schemathesis: $(SCHEMATHESIS)/ready ## Test the API of the running stack with schemathesis; DATA=… CASES=480 for each operation, SEED=… KEY_FILE=…
	@address=$$(node -p "JSON.parse(require('fs').readFileSync(process.argv[1])).api" '$(DATA)/stack.json') && \
	key=$$(cat '$(or $(KEY_FILE),$(DATA)/admin-key)') && \
	$(SCHEMATHESIS)/bin/schemathesis --config-file .ci/schemathesis/schemathesis.toml run openapi.yaml --url "$$address" \
		--header "X-API-Key: $$key" --max-examples $(or $(CASES),480) --seed $(or $(SEED),1) --generation-database none \
		--phases examples,coverage,fuzzing --continue-on-failure --checks all --exclude-checks positive_data_acceptance,negative_data_rejection,status_code_conformance,response_headers_conformance

fuzz: has-go ## Fuzz every parser of strangers' bytes for FUZZTIME=10s each
	@.ci/fuzz '$(or $(FUZZTIME),10s)' $(MODULES)

format: has-go ## Fail if gofmt would change a file, or if a file has the marks of a merge conflict
	@files=$$(git grep -lE '^(<<<<<<<|>>>>>>>) '); test -z "$$files" || { echo "make $@: resolve the merge conflicts in"; echo "$$files"; exit 1; }
	@files=$$(gofmt -l $(GO_DIRS)) || exit 1; test -z "$$files" || { echo "make $@: run gofmt -w on"; echo "$$files"; exit 1; }

lint: has-go $(GOLANGCI) ## Run golangci-lint, with go vet, in all modules
	$(call each,$(GOLANGCI) run ./...)

unchanged: ## Fail if `make generate` changes a file
	.ci/unchanged $(MAKE) --no-print-directory generate

lint-template: $(VENV)/ready $(CHECKOV)/ready ## Check template.yaml before and after the SAM transform: cfn-lint, checkov, and the list of permissions
	$(VENV)/bin/cfn-lint template.yaml .github/deploy-role.yaml
	$(VENV)/bin/python .ci/permissions
	@mkdir -p .aws-sam && $(VENV)/bin/python .ci/permissions --print > .aws-sam/transformed.json
	$(VENV)/bin/cfn-lint --ignore-checks W2001 -- .aws-sam/transformed.json
	$(VENV)/bin/python .ci/checkov $(CHECKOV)/bin/checkov .aws-sam/transformed.json

check-deploy: has-go $(SAM)/ready ## Test the decisions of a deployment
	$(SAM)/bin/python -B .ci/deploy_test.py

sam-build: has-go $(SAM)/ready ## Deploy up to the first call of AWS, with sam validate and sam build
	$(SAM)/bin/python -B .ci/deploy.py staging --dry-run --settings .ci/settings.yaml

permissions: $(VENV)/ready ## Rewrite .ci/permissions.txt, the list of all IAM statements; review the changes
	$(VENV)/bin/python .ci/permissions --update

lint-openapi: $(VENV)/ready $(GENERATORS)/ready ## Check openapi.yaml against the OpenAPI specification, and with redocly
	$(VENV)/bin/openapi-spec-validator openapi.yaml
	$(GENERATORS)/node_modules/.bin/redocly lint --config .ci/generators/redocly.yaml openapi.yaml

# `make check` does the same: `make unchanged` generates the Go client, and `make race` makes the calls.
generators: has-go engines generated-clients ## Generate clients in Go, Python and TypeScript from openapi.yaml, and make calls with them
	.ci/unchanged go generate -C client ./...
	cd local && go test ./e2e/api -count=1 -run '^(TestClientPackage|TestGeneratedClients)$$'

generated-clients: $(PYTHON_CLIENT)/generated/ready $(GENERATORS)/typescript/calls.js

# The generator formats its output with ruff of its own environment.
$(PYTHON_CLIENT)/generated/ready: $(PYTHON_CLIENT)/ready openapi.yaml .ci/generators/python.yaml
	@mkdir -p $(@D)
	PATH=$(PYTHON_CLIENT)/bin:$$PATH openapi-python-client generate --path openapi.yaml --output-path $(@D)/portside_client --overwrite \
		--meta none --config .ci/generators/python.yaml --fail-on-warning && touch $@

# The types are those of the portal, which `make generate` writes. The compiler and openapi-fetch are in the folder above.
TYPESCRIPT_CLIENT = $(TYPES) .ci/generators/tsconfig.json local/e2e/api/testdata/generators/calls.ts
$(GENERATORS)/typescript/calls.js: $(GENERATORS)/ready $(TYPESCRIPT_CLIENT)
	@mkdir -p $(@D) && cp $(TYPESCRIPT_CLIENT) $(@D) && echo '{"type": "module"}' > $(@D)/package.json
	$(GENERATORS)/node_modules/.bin/tsc --project $(@D)

tidy: has-go ## Fail if `go mod tidy` would change go.mod or go.sum
	$(call each,go mod tidy -diff)

portal-types: $(NODE)/ready ## Check the types of the portal's scripts
	$(NODE)/node_modules/.bin/tsc --project .ci/portal

generate: has-go vendor $(GATE) ## Regenerate openapi.yaml and all other generated files
	@$(GATE) race -write
	@go generate ./...
	@.ci/once client openapi.yaml client -- go generate -C client ./...
	@.ci/once types openapi.yaml .ci/portal/package-lock.json $(TYPES) -- $(NODE)/node_modules/.bin/openapi-typescript openapi.yaml \
		--output $(TYPES)

# They are not in the web folder, which has only what people write and browsers load.
TYPES = functions/portal/types/openapi.d.ts

vendor: $(NODE)/ready ## Copy the portal's libraries from their npm packages
	.ci/portal/vendor $(NODE) functions/portal/web/vendor

golden: has-go engines ## Rewrite the golden files of the functions' tests; review the changes
	go test ./functions/... -update

pictures: has-go engines clients ## Rewrite the pictures of the portal in its tests and in the README; review the changes
	cd local && go test ./browser -run TestScreenshot -count=1 -update && go test ./e2e/portal -run 'TestPictures|TestFilledPortal' -count=1 -update

engines: $(BIN)/dynoxide $(OCR)/tesseract.wasm ## Install the engines that the tests need

clients: has-go $(NODE)/ready $(SPEECH)/ready generated-clients ## Install the clients of the end-to-end tests: helm, crane, docker, skopeo, podman, Chromium's headless shell, a recognizer of speech, and generated ones
	@.ci/clients $(BIN)

tools: $(GOLANGCI) $(GATE) python-tools node-tools ## Install the tools of the checks and tests

python-tools: $(VENV)/ready $(SAM)/ready $(CHECKOV)/ready $(SPEECH)/ready $(PYTHON_CLIENT)/ready
node-tools: $(NODE)/ready $(GENERATORS)/ready $(OCR)/tesseract.wasm

$(GOLANGCI): | has-go
	@echo "building golangci-lint $(GOLANGCI_VERSION), once; this takes minutes …"
	@mkdir -p $(@D)
	@building=$$(mktemp -d $(@D)/building.XXXXXX); trap 'rm -rf "$$building"' EXIT; \
	GOFLAGS='-trimpath -buildvcs=false' GOBIN=$$building go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION) \
		&& mv $$building/golangci-lint $@

$(GATE): $(filter-out %_test.go,$(wildcard cmd/gate/*.go)) | has-go
	@go build -o $@ ./cmd/gate

# The sets of tools need different versions of the same packages. uv compares each package with the hashes in the files.
$(VENV)/ready: .ci/python/linters.txt | $(UV)/ready
	$(install-python)
$(SAM)/ready: .ci/python/sam.txt | $(UV)/ready
	$(install-python)
$(CHECKOV)/ready: .ci/python/checkov.txt | $(UV)/ready
	$(install-python)
$(SCHEMATHESIS)/ready: .ci/python/schemathesis.txt | $(UV)/ready
	$(install-python)
$(SPEECH)/ready: .ci/python/speech.txt | $(UV)/ready
	$(install-python)
$(PYTHON_CLIENT)/ready: .ci/python/client.txt | $(UV)/ready
	$(install-python)

define install-python
@rm -rf $(@D) && $(UV)/bin/uv venv --quiet --no-python-downloads --python python3 $(@D)
$(UV)/bin/uv pip install --quiet --python $(@D)/bin/python --require-hashes --no-deps -r $< && touch $@
endef

$(UV)/ready: .ci/python/uv.txt
	@command -v python3 >/dev/null || { echo "make: install Python 3.11 or newer, which the linters, the deployment and the tests of recordings need"; exit 1; }
	@rm -rf $(@D) && python3 -m venv $(@D) || { echo "make: install python3's venv (on Debian: python3-venv)"; exit 1; }
	$(@D)/bin/pip install --quiet --disable-pip-version-check --no-input --require-hashes -r $< && touch $@

python-locks: $(UV)/ready ## Write .ci/python/*.txt for the .in files beside them; UPGRADE=1 takes the newest versions
	@cd .ci/python && for set in *.in; do $(UV)/bin/uv pip compile --quiet --python-version 3.11 --generate-hashes --no-annotate \
		--custom-compile-command "make python-locks" $(if $(filter 1,$(UPGRADE)),--upgrade) $$set -o $${set%.in}.txt || exit 1; done

# npm compares each package with the hash in the lock file, so packages cannot change without a change here.
$(NODE)/ready: .ci/portal/package.json .ci/portal/package-lock.json .ci/portal/.npmrc | has-node
	$(install-node)
$(GENERATORS)/ready: .ci/generators/package.json .ci/generators/package-lock.json .ci/generators/.npmrc | has-node
	$(install-node)

NPM_CI := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

# They are part of the binaries of the functions that read pictures.
$(OCR)/tesseract.wasm: .ci/ocr/package.json .ci/ocr/package-lock.json .ci/ocr/.npmrc | has-node
	@echo "downloading the OCR engine and its models of ten languages, 110 MB, once …"
	@mkdir -p .local && folder=$$(mktemp -d .local/ocr.XXXXXX) && trap 'rm -rf "$$folder"' EXIT && cp $^ "$$folder" && \
	(cd "$$folder" && $(NPM_CI) >/dev/null) && \
	cp "$$folder"/node_modules/@tesseract.js-data/*/4.0.0_best_int/*.traineddata.gz $(@D) && \
	cp "$$folder"/node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm $@

define install-node
@mkdir -p $(@D) && cp $^ $(@D)
cd $(@D) && $(NPM_CI) && touch $@
endef

clean: ## Remove build output, but not downloaded tools and .local/data; stop `make run` first, because it runs this output
	rm -rf .aws-sam .local/build coverage.out
.PHONY: quick check test race nightly predeploy budget arm64 figures env build cross-compile fuzz-api schemathesis fuzz format lint unchanged portal-types lint-template check-deploy sam-build permissions lint-openapi generators generated-clients tidy generate vendor golden pictures engines clients tools python-tools node-tools clean python-locks

# --- The local stack: `make run` ---------------------------------------------------------------
# With ADDR and DATA, several stacks can run at the same time. RATE_LIMIT is the template's RateLimitPerMinute. PARAMETERS sets other
# parameters of the template, such as PARAMETERS="MediaEngine=openai MediaModel=…". It is passed in the environment, because
# it may contain a key.
ADDR ?= 127.0.0.1:3000
DATA ?= .local/data
# The sources of the stack, without those that only its tests use.
LOCAL_SOURCES = $(shell find local -type f ! -path '*/testdata/*' ! -name '*_test.go' ! -path 'local/e2e/*' ! -path 'local/browser/*' ! -path 'local/apifuzz/*')
GO_LOCAL = cd local && go build -ldflags="-s -w"

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
	@echo "building the local stack; the first time takes minutes …"
	@$(GO_LOCAL) -o $@ .

$(BIN)/s3server: $(filter local/s3server/% local/iam/% local/go.%,$(LOCAL_SOURCES)) | has-go
	@echo "building the S3 engine; the first time takes minutes …"
	@$(GO_LOCAL) -o $@ ./s3server

$(BIN)/registryserver: $(filter local/registryserver/% local/ecr/% local/iam/% local/go.%,$(LOCAL_SOURCES)) | has-go
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
build-portside = go build -buildvcs=auto -o .local/bin/portside ./cmd/portside
.PHONY: import-users demo-year portside

# --- Deployment ------------------------------------------------------------------------------------
# The variables of the recipe are those of docs/operations.md. PROBE_REPOSITORY is passed on in the environment.
deploy: has-go deploy-arguments $(SAM)/ready ## Deploy to AWS: ENV=staging; DRY_RUN=1 YES=1 REPLACE_DATA=1 SETTINGS=settings/staging.yaml PACKAGE=portside-….zip PROBE_REPOSITORY=acme/probe
	@exec $(SAM)/bin/python -B .ci/deploy.py '$(ENV)' $(if $(SETTINGS),--settings '$(SETTINGS)') $(if $(PACKAGE),--package '$(PACKAGE)') \
		$(if $(filter 1,$(DRY_RUN)),--dry-run) $(if $(filter 1,$(YES)),--yes) $(if $(filter 1,$(REPLACE_DATA)),--replace-data)

deploy-arguments:
	@test -n "$(ENV)" || { echo "make deploy: set ENV to an environment of samconfig.toml, such as ENV=staging"; exit 2; }
	@test -z "$(filter-out 0 1,$(DRY_RUN) $(YES) $(REPLACE_DATA))" || { echo "make deploy: set DRY_RUN, YES and REPLACE_DATA to 1 or 0"; exit 2; }
.PHONY: deploy deploy-arguments

# --- Releases ----------------------------------------------------------------------------------------
FUNCTIONS = $(shell sed -n 's/^  \([A-Za-z]\{1,\}Function\):.*/\1/p' template.yaml)
PLATFORMS := linux-amd64 linux-arm64 darwin-arm64
RELEASE ?= .local/release
# The commit of the release, which `portside version` prints.
RELEASE_COMMIT ?= $(last-commit)

release: has-go ## Build a release into .local/release: the functions, the command line, checksums, a software bill of materials, and the package to deploy
	@mkdir -p $(RELEASE) && rm -f $(RELEASE)/*/bootstrap $(RELEASE)/portside-* $(RELEASE)/portside.cdx.json $(RELEASE)/SHA256SUMS
	@$(MAKE) --no-print-directory $(FUNCTIONS:%=release-%) $(PLATFORMS:%=command-%)
	go run ./cmd/sbom -release $(RELEASE) > $(RELEASE)/portside.cdx.json
	go run ./cmd/package -release $(RELEASE)
	@cd $(RELEASE) && LC_ALL=C sha256sum -- */bootstrap portside-* portside.cdx.json > SHA256SUMS

release-%:
	@mkdir -p $(RELEASE)/$* && $(MAKE) --no-print-directory build-$* ARTIFACTS_DIR=$(abspath $(RELEASE))/$*

# A name such as linux-arm64 has the operating system and the processor.
command-%:
	GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) go build -ldflags="-s -w -X main.commit=$(RELEASE_COMMIT)" \
		-o $(RELEASE)/portside-$* ./cmd/portside

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
	@go build -o $(BIN)/bench ./cmd/bench && exec $(BIN)/bench -only lists -users 1000000

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
