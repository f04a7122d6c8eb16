#!/bin/sh
# renew-token.sh renews a Portside access token before it expires, and replaces the old token in a file or in a Kubernetes
# Secret. Run it every day; it renews the token only when few days are left. See docs/rotation.md.
#
# Settings, all from the environment:
#   PORTSIDE_URL        the API, such as https://portside.example.com
#   TOKEN_FILE          file that contains only the token; or
#   KUBE_SECRET         name of a Secret of type kubernetes.io/dockerconfigjson that also has the key "token"
#   DOCKER_CONFIG_FILE  with TOKEN_FILE: a config.json for container tools; default: none
#   KUBE_NAMESPACE      with KUBE_SECRET: its namespace; default: kubectl's namespace
#   REGISTRY            host of the container registry; default: the host of PORTSIDE_URL
#   RENEW_DAYS          renew the token when fewer days are left, or when half of its lifetime is over if that is later; default: 21
#   EXPIRATION_DAYS     days until the new token expires, at most 365; default: 90
#   ATTEMPTS            maximum number of attempts per request; default: 5
#   RETRY_SECONDS       pause before the second attempt; doubles each time, unless the API sends Retry-After; default: 2
#
# Exit codes: 0 the token works; 1 it could not be renewed now, run again later; 2 a setting is wrong or a program is
# missing; 3 a person must act. The script replaces the current token only after it has tested the new one.
#
# Needs a POSIX shell, curl, base64, and flock (for TOKEN_FILE) or kubectl (for KUBE_SECRET).
{ set +x; } 2>/dev/null # a trace would show the token
set -u
umask 077

say() { printf 'renew-token: %s\n' "$*"; }

# fail CODE MESSAGE
fail() {
	code=$1
	shift
	say "$*" >&2
	exit "$code"
}

# --- Settings ---------------------------------------------------------------------------------

settings() {
	PORTSIDE_URL=${PORTSIDE_URL-} TOKEN_FILE=${TOKEN_FILE-} KUBE_SECRET=${KUBE_SECRET-}
	DOCKER_CONFIG_FILE=${DOCKER_CONFIG_FILE-} KUBE_NAMESPACE=${KUBE_NAMESPACE-}
	PORTSIDE_URL=${PORTSIDE_URL%/}
	case $PORTSIDE_URL in
	https://?* | http://127.0.0.1:* | http://localhost:*) ;;
	*) fail 2 "set PORTSIDE_URL to the API's address, which begins with https:// unless it is on this machine" ;;
	esac
	host=${PORTSIDE_URL#*://}
	REGISTRY=${REGISTRY:-${host%%/*}}
	number RENEW_DAYS "${RENEW_DAYS:=21}" 1 364
	number EXPIRATION_DAYS "${EXPIRATION_DAYS:=90}" 2 365
	number ATTEMPTS "${ATTEMPTS:=5}" 1 20
	number RETRY_SECONDS "${RETRY_SECONDS:=2}" 0 60
	[ "$EXPIRATION_DAYS" -gt "$RENEW_DAYS" ] ||
		fail 2 "EXPIRATION_DAYS must be more than RENEW_DAYS; otherwise every run would create a token"
	case $REGISTRY in
	*[!0-9A-Za-z.:_-]* | '') fail 2 "REGISTRY must be a host name, with a port if necessary" ;;
	esac
	find_store
}

# number NAME VALUE LEAST MOST
number() {
	case $2 in
	*[!0-9]* | ????* | 0?*) fail 2 "$1 must be a whole number from $3 to $4" ;;
	esac
	if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		fail 2 "$1 must be a whole number from $3 to $4"
	fi
}

# find_store decides where the token is stored.
find_store() {
	needs curl base64
	case "${TOKEN_FILE:+file}${KUBE_SECRET:+secret}" in
	file)
		needs flock
		where=$TOKEN_FILE next=$TOKEN_FILE.next
		[ -f "$TOKEN_FILE" ] || fail 2 "the file $TOKEN_FILE does not exist; create it with the first token"
		[ ! -L "$TOKEN_FILE" ] || fail 2 "$TOKEN_FILE is a symbolic link; set TOKEN_FILE to what it points to"
		;;
	secret)
		needs kubectl
		[ -z "$DOCKER_CONFIG_FILE" ] || fail 2 "DOCKER_CONFIG_FILE is only for TOKEN_FILE; a Secret contains the token and the config.json"
		where="the Secret $KUBE_SECRET" next=
		;;
	*) fail 2 "set either TOKEN_FILE or KUBE_SECRET, which say where the token is stored" ;;
	esac
}

needs() {
	for program; do
		command -v "$program" >/dev/null || fail 2 "install $program, which this script needs"
	done
}

# --- Requests ---------------------------------------------------------------------------------
# A request writes the response to the file $answer and its status to $status; 000 means no response.

# call METHOD PATH TOKEN [BODY] sends a request, and repeats it after transient failures, at most ATTEMPTS times.
call() {
	attempt=1 pause=$RETRY_SECONDS
	send "$@"
	while is_retryable "$1" && [ "$attempt" -lt "$ATTEMPTS" ]; do
		asked=$(sed -nE 's/^[Rr]etry-[Aa]fter:[[:space:]]*([0-9]{1,3})[[:space:]]*$/\1/p' "$work/headers" | tail -n 1)
		sleep "${asked:-$pause}"
		attempt=$((attempt + 1)) pause=$((pause * 2))
		send "$@"
	done
}

# is_retryable reports whether a request can be repeated. A POST without a response cannot: it may have created a token.
is_retryable() {
	case $status in
	429 | 503) return 0 ;;
	000) [ "$1" != POST ] || [ "$failure" -eq 6 ] || [ "$failure" -eq 7 ] ;; # 6, 7: it was never sent
	500 | 502 | 504) [ "$1" != POST ] ;;
	*) return 1 ;;
	esac
}

# send passes the token to curl on standard input, because other users can read the arguments of a program.
send() {
	bearer=$3
	if [ $# -gt 3 ]; then
		set -- --request "$1" --url "$PORTSIDE_URL$2" --header 'Content-Type: application/json' --data-raw "$4"
	else
		set -- --request "$1" --url "$PORTSIDE_URL$2"
	fi
	: >"$work/headers"
	rm -f "$answer"
	status=$(printf 'header = "Authorization: Bearer %s"\n' "$bearer" |
		curl -q --config - --silent --globoff --connect-timeout 10 --max-time 40 --header 'Accept: application/json' \
			--dump-header "$work/headers" --output "$answer" --write-out '%{http_code}' "$@")
	failure=$?
	[ "$failure" -eq 0 ] || status=000
	[ -e "$answer" ] || : >"$answer"
}

# member NAME prints a string member of the response, without decoding escapes.
member() { tr -d '\n' <"$answer" | sed -nE 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"(([^"\\]|\\.)*)".*/\1/p'; }

scopes() { tr -d '\n' <"$answer" | sed -nE 's/.*"scopes"[[:space:]]*:[[:space:]]*(\[[^]]*\]).*/\1/p'; }

# tokens prints the tokens in a text, one per line. Tokens have a documented format, so nothing else can match.
tokens() { grep -oE 'pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}'; }

# id_of TOKEN prints the public ID, which is not secret.
id_of() {
	id=${1#pst_}
	printf '%s' "${id%%_*}"
}

# read_token TOKEN reads the token's data from the API, authenticated by the token.
read_token() {
	answer=$work/answer
	call GET "/api/v1/tokens/$(id_of "$1")" "$1"
	[ "$status" != 200 ] || [ "$(member id)" = "$(id_of "$1")" ] || status=000 # the response is not from the API
}

# unreachable ends the run after a response that is neither success nor refusal.
unreachable() {
	case $status in
	000) fail 1 "$PORTSIDE_URL did not send a valid response (curl exit code $failure); nothing was changed, run again later" ;;
	404) fail 2 "$PORTSIDE_URL is not the API; set PORTSIDE_URL to the API's address" ;;
	*) fail 1 "$PORTSIDE_URL responded with status $status; nothing was changed, run again later" ;;
	esac
}

# revoke TOKEN revokes an unneeded token. If that fails, the token stays unused until it expires.
revoke() {
	answer=$work/answer
	send DELETE "/api/v1/tokens/$(id_of "$1")" "$1"
	case $status in
	204) say "revoked the token $(id_of "$1"), which is not needed" ;;
	*) say "could not revoke the token $(id_of "$1"), which is not needed; it stays unused until it expires" >&2 ;;
	esac
}

# --- Storage of the token ---------------------------------------------------------------------

# docker_config TOKEN prints a config.json for container tools.
docker_config() {
	printf '{"auths":{"%s":{"auth":"%s"}}}' "$REGISTRY" "$(printf 'token:%s' "$1" | base64 | tr -d '\n')"
}

# load reads the current token into $token, and the config.json into $config.
load() {
	if [ -z "$KUBE_SECRET" ]; then
		[ -z "$DOCKER_CONFIG_FILE" ] || config=$(cat "$DOCKER_CONFIG_FILE" 2>/dev/null)
		token=$(tokens <"$TOKEN_FILE")
	else
		load_secret || fail 1 "kubectl could not read $where; nothing was changed"
	fi
	case $token in
	'' | *[!0-9A-Za-z_]*) fail 3 "$where must contain exactly one access token (pst_…); put a working one there" ;;
	esac
}

load_secret() {
	parts=$(kubectl_secret get --output \
		'jsonpath={.metadata.resourceVersion}|{.data.token}|{.data.\.dockerconfigjson}') || return
	IFS='|' read -r version token config <<-EOF
		$parts
	EOF
	token=$(printf '%s' "$token" | base64 -d | tokens)
	config=$(printf '%s' "$config" | base64 -d)
}

# kubectl_secret VERB ARGUMENT...
kubectl_secret() {
	verb=$1
	shift
	kubectl "$verb" secret "$KUBE_SECRET" ${KUBE_NAMESPACE:+"--namespace=$KUBE_NAMESPACE"} --request-timeout=30s "$@"
}

# current reports whether the config.json contains the token $token.
current() {
	[ -z "$DOCKER_CONFIG_FILE$KUBE_SECRET" ] || [ "$config" = "$(docker_config "$token")" ]
}

# store TOKEN replaces $token. Because of the version, Kubernetes rejects the update if the Secret has changed.
store() {
	if [ -n "$KUBE_SECRET" ]; then
		printf '{"metadata":{"resourceVersion":"%s"},"data":{"token":"%s",".dockerconfigjson":"%s"}}' "$version" \
			"$(printf '%s' "$1" | base64 | tr -d '\n')" "$(docker_config "$1" | base64 | tr -d '\n')" |
			kubectl_secret patch --type=merge --patch-file=/dev/stdin --output=name >/dev/null
		return
	fi
	[ "$1" = "$token" ] || printf '%s\n' "$1" | replace "$TOKEN_FILE" || return
	[ -z "$DOCKER_CONFIG_FILE" ] || docker_config "$1" | replace "$DOCKER_CONFIG_FILE"
}

# replace FILE replaces a file with standard input in one step.
replace() {
	rm -f "$1.new"
	(set -C && cat >"$1.new") && mv -f "$1.new" "$1"
}

# check_config_file protects a config.json with other registries from being overwritten.
check_config_file() {
	[ -n "$DOCKER_CONFIG_FILE" ] && [ -s "$DOCKER_CONFIG_FILE" ] || return 0
	tr -d '[:space:]' <"$DOCKER_CONFIG_FILE" |
		grep -qxE '\{"auths":\{"[^"]*":\{"auth":"[0-9A-Za-z+/=]*"\}\}\}' ||
		fail 2 "$DOCKER_CONFIG_FILE contains more than the login of one registry; set DOCKER_CONFIG_FILE to a separate file"
}

# --- Renewal ----------------------------------------------------------------------------------

# adopt uses the token that an interrupted run left in the file $next, if it is the successor of the current one.
adopt() {
	[ -n "$next" ] && [ -e "$next" ] || return 0
	left=$(tokens <"$next")
	if [ -n "$left" ] && [ "$left" != "$token" ]; then
		read_token "$left"
		case $status in
		200) adopt_working "$left" ;;
		401) ;;
		*) unreachable ;;
		esac
	fi
	rm -f "$next"
}

adopt_working() {
	if [ "$(member rotatedFrom)" != "$(id_of "$token")" ]; then
		revoke "$1"
		return
	fi
	store "$1" || fail 1 "could not write all files; $where contains a working token, run again later"
	say "renewed: the token $(id_of "$1") of an interrupted run is in $where"
	load
}

# seconds_until TIME prints the seconds from now to a UTC time such as 2027-01-31T08:00:00Z, by the Julian day number. The
# options of the date command differ between systems.
seconds_until() {
	IFS='-T:.Z' read -r year month day hour minute second rest <<-EOF
		$1
	EOF
	month=${month#0} day=${day#0} hour=${hour#0} minute=${minute#0} second=${second#0}
	early=$(((14 - month) / 12))
	year=$((year + 4800 - early)) month=$((month + 12 * early - 3))
	days=$((day + (153 * month + 2) / 5 + 365 * year + year / 4 - year / 100 + year / 400 - 32045 - 2440588))
	printf '%s' $((days * 86400 + hour * 3600 + minute * 60 + second - $(date +%s)))
}

# examine ends the run if the current token is valid for long enough.
examine() {
	read_token "$token"
	case $status in
	200) ;;
	401) fail 3 "the token $(id_of "$token") in $where does not work, because it has expired or was revoked, or its user is not active;" \
		"put a working one there" ;;
	*) unreachable ;;
	esac
	expires=$(member expiresAt)
	left=$(seconds_until "$expires")
	due=$(renewal_due)
	if [ "$left" -ge "$due" ]; then
		current || store "$token" || fail 1 "could not write the config.json of the token in $where; run again later"
		say "the token $(id_of "$token") works for $(duration "$left") more; it is renewed when less than $(duration "$due") are left"
		exit 0
	fi
}

# renewal_due prints the remaining seconds below which the token is renewed: RENEW_DAYS, but at most half of the lifetime. A
# renewal lasts at most as long as its token, so otherwise every run would renew a token of a short lifetime.
renewal_due() {
	half=$((($(seconds_until "$expires") - $(seconds_until "$(member createdAt)")) / 2))
	if [ "$half" -lt $((RENEW_DAYS * 86400)) ]; then
		printf '%s' "$half"
	else
		printf '%s' $((RENEW_DAYS * 86400))
	fi
}

# duration SECONDS prints a duration in whole days or, below two days, in whole hours.
duration() {
	if [ "$1" -ge 172800 ]; then
		printf '%s days' $(($1 / 86400))
	else
		printf '%s hours' $(($1 / 3600))
	fi
}

# issue requests a token with the name and scopes of the current one. Outside Kubernetes, the response goes directly to
# the file $next. If the run is killed after that, the next run uses the token.
issue() {
	request='{"name":"'$(member name)'","scopes":'$(scopes)',"expiration_days":'$EXPIRATION_DAYS'}'
	answer=${next:-$work/issued}
	call POST /api/v1/tokens "$token" "$request"
	case $status in
	201) ;;
	400 | 401 | 403 | 409) refused ;;
	*) unreachable ;;
	esac
	new=$(tokens <"$answer")
	[ -n "$new" ] || fail 1 "the response of $PORTSIDE_URL contains no token; $where is unchanged"
	[ -n "$next" ] || unneeded=$new
}

refused() {
	reason=$(member detail)
	rm -f "$answer"
	fail 3 "$PORTSIDE_URL refused to create a token (status $status): $reason"
}

# verify tests the new token before it replaces the current one.
verify() {
	read_token "$new"
	[ "$status" = 200 ] && [ "$(member status)" = active ] && return
	fail 1 "the test of the new token $(id_of "$new") failed (status $status); $where is unchanged, run again later"
}

# put stores the new token. From here on, the script must not revoke it, unless it is certain that it was not stored.
put() {
	unneeded=
	if store "$new"; then
		[ -z "$next" ] || rm -f "$next"
		say "renewed: the token $(id_of "$new") is in $where; $(id_of "$token") works until $expires, or until you revoke it"
		return
	fi
	[ -n "$KUBE_SECRET" ] || fail 1 "could not write all files; $where contains a working token, run again later"
	resolve_conflict
}

# resolve_conflict finds out whether an update took effect that kubectl reported as failed. If the Secret has changed, the
# update did not take effect and never will, because of its version.
resolve_conflict() {
	old=$token tried=$version
	load
	if [ "$token" = "$new" ]; then
		say "renewed: the token $(id_of "$new") is in $where; $(id_of "$old") works until $expires, or until you revoke it"
		return
	fi
	[ "$version" = "$tried" ] || unneeded=$new
	if [ "$token" != "$old" ]; then
		say "another program changed the token in $where meanwhile; that token stays"
		exit 0
	fi
	fail 1 "could not write $where; its token is unchanged, run again later"
}

finish() {
	[ -z "$unneeded" ] || revoke "$unneeded"
	rm -rf "$work"
}

settings
config='' unneeded=''
work=$(mktemp -d) || exit 1
trap finish EXIT
trap 'exit 1' HUP INT TERM
if [ -n "$next" ]; then
	exec 9>"$TOKEN_FILE.lock" # curl inherits the lock, so after a kill, the next run waits until curl has finished
	flock 9 || fail 1 "could not lock $TOKEN_FILE.lock"
fi
check_config_file
load
adopt
examine
issue
verify
put
