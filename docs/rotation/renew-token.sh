#!/bin/sh
# renew-token.sh renews a Portside access token before it expires, and puts the new one where the old one was: into a file,
# or into a Kubernetes Secret. Run it every day; it does something only when few days are left. See docs/rotation.md.
#
# Settings, all from the environment:
#   PORTSIDE_URL        the API, such as https://portside.example.com
#   TOKEN_FILE          file that holds the token, and nothing else; or
#   KUBE_SECRET         name of a Secret of type kubernetes.io/dockerconfigjson that also has the key "token"
#   DOCKER_CONFIG_FILE  with TOKEN_FILE: a config.json for container tools, written beside it; left out: none
#   KUBE_NAMESPACE      with KUBE_SECRET: its namespace; left out: kubectl's own
#   REGISTRY            host of the container registry; left out: that of PORTSIDE_URL
#   RENEW_DAYS          renew when fewer days than this are left; left out: 21
#   EXPIRATION_DAYS     how long the new token is to live, at most 365; left out: 90
#   ATTEMPTS            how often a request is sent at most; left out: 5
#   RETRY_SECONDS       pause before the second attempt, doubled each time unless the API says how long; left out: 2
#
# Exit codes: 0 the token is good; 1 it could not be renewed now, run again later; 2 a setting is wrong or a program is
# missing; 3 somebody has to act. Whatever happens, the token in place stays until its successor was seen to work.
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
		fail 2 "EXPIRATION_DAYS must be more than RENEW_DAYS, or every run would make a token"
	case $REGISTRY in
	*[!0-9A-Za-z.:_-]* | '') fail 2 "REGISTRY must be a host name, with a port where it needs one" ;;
	esac
	place
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

# place finds out where the token is kept.
place() {
	needs curl base64
	case "${TOKEN_FILE:+file}${KUBE_SECRET:+secret}" in
	file)
		needs flock
		where=$TOKEN_FILE next=$TOKEN_FILE.next
		[ -f "$TOKEN_FILE" ] || fail 2 "there is no file $TOKEN_FILE; put the first token into it"
		[ ! -L "$TOKEN_FILE" ] || fail 2 "$TOKEN_FILE is a symbolic link; set TOKEN_FILE to what it points to"
		;;
	secret)
		needs kubectl
		[ -z "$DOCKER_CONFIG_FILE" ] || fail 2 "DOCKER_CONFIG_FILE goes with TOKEN_FILE only: a Secret has both"
		where="the Secret $KUBE_SECRET" next=
		;;
	*) fail 2 "set either TOKEN_FILE or KUBE_SECRET: where the token is kept" ;;
	esac
}

needs() {
	for program; do
		command -v "$program" >/dev/null || fail 2 "install $program, which this script needs"
	done
}

# --- Requests ---------------------------------------------------------------------------------
# A request leaves its answer in the file $answer, and its status in $status; 000 means that there was no answer.

# call METHOD PATH TOKEN [BODY] sends a request until it has an answer to keep, ATTEMPTS times at most.
call() {
	attempt=1 pause=$RETRY_SECONDS
	send "$@"
	while again "$1" && [ "$attempt" -lt "$ATTEMPTS" ]; do
		asked=$(sed -nE 's/^[Rr]etry-[Aa]fter:[[:space:]]*([0-9]{1,3})[[:space:]]*$/\1/p' "$work/headers" | tail -n 1)
		sleep "${asked:-$pause}"
		attempt=$((attempt + 1)) pause=$((pause * 2))
		send "$@"
	done
}

# again says whether a request is worth repeating. A POST whose fate is unknown is not: it may have made a token.
again() {
	case $status in
	429 | 503) return 0 ;;
	000) [ "$1" != POST ] || [ "$failure" -eq 6 ] || [ "$failure" -eq 7 ] ;; # 6, 7: it was never sent
	500 | 502 | 504) [ "$1" != POST ] ;;
	*) return 1 ;;
	esac
}

# send gives curl the token by its standard input, since everybody can read the arguments of a program.
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

# member NAME prints a string of the answer, as it stands between its quotes.
member() { tr -d '\n' <"$answer" | sed -nE 's/.*"'"$1"'"[[:space:]]*:[[:space:]]*"(([^"\\]|\\.)*)".*/\1/p'; }

scopes() { tr -d '\n' <"$answer" | sed -nE 's/.*"scopes"[[:space:]]*:[[:space:]]*(\[[^]]*\]).*/\1/p'; }

# tokens prints the tokens in a text, one a line. They have a published form, so nothing else can be taken for one.
tokens() { grep -oE 'pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}'; }

# id_of TOKEN prints its public part, which may be shown.
id_of() {
	id=${1#pst_}
	printf '%s' "${id%%_*}"
}

# look TOKEN asks the API about a token, by the token itself.
look() {
	answer=$work/answer
	call GET "/api/v1/tokens/$(id_of "$1")" "$1"
	[ "$status" != 200 ] || [ "$(member id)" = "$(id_of "$1")" ] || status=000 # something else has answered
}

# unreachable ends the run when an answer is neither yes nor no.
unreachable() {
	case $status in
	000) fail 1 "$PORTSIDE_URL did not give an answer to use (curl: $failure); nothing was changed, run again later" ;;
	404) fail 2 "$PORTSIDE_URL knows no tokens; set PORTSIDE_URL to the API's address" ;;
	*) fail 1 "$PORTSIDE_URL answered $status; nothing was changed, run again later" ;;
	esac
}

# revoke TOKEN ends a token that nobody needs. Where that fails, it stays unused until it expires.
revoke() {
	answer=$work/answer
	send DELETE "/api/v1/tokens/$(id_of "$1")" "$1"
	case $status in
	204) say "revoked the token $(id_of "$1"), which is not needed" ;;
	*) say "the token $(id_of "$1") is not needed and could not be revoked; it stays unused until it expires" >&2 ;;
	esac
}

# --- Where the token is kept ------------------------------------------------------------------

# docker_config TOKEN prints what container tools read.
docker_config() {
	printf '{"auths":{"%s":{"auth":"%s"}}}' "$REGISTRY" "$(printf 'token:%s' "$1" | base64 | tr -d '\n')"
}

# load reads the token in place to $token, and what container tools read to $config.
load() {
	if [ -z "$KUBE_SECRET" ]; then
		[ -z "$DOCKER_CONFIG_FILE" ] || config=$(cat "$DOCKER_CONFIG_FILE" 2>/dev/null)
		token=$(tokens <"$TOKEN_FILE")
	else
		load_secret || fail 1 "kubectl could not read $where; nothing was changed"
	fi
	case $token in
	'' | *[!0-9A-Za-z_]*) fail 3 "there is not exactly one access token (pst_…) in $where; put a working one there" ;;
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

# current says whether container tools read the token $token.
current() {
	[ -z "$DOCKER_CONFIG_FILE$KUBE_SECRET" ] || [ "$config" = "$(docker_config "$token")" ]
}

# store TOKEN puts a token in place of $token. The version makes Kubernetes refuse it where the Secret has changed since.
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

# replace FILE puts its standard input in place of a file, wholly or not at all.
replace() {
	rm -f "$1.new"
	(set -C && cat >"$1.new") && mv -f "$1.new" "$1"
}

# mine keeps the script from overwriting what it did not write: a config.json with other registries in it.
mine() {
	[ -n "$DOCKER_CONFIG_FILE" ] && [ -s "$DOCKER_CONFIG_FILE" ] || return 0
	tr -d '[:space:]' <"$DOCKER_CONFIG_FILE" |
		grep -qxE '\{"auths":\{"[^"]*":\{"auth":"[0-9A-Za-z+/=]*"\}\}\}' ||
		fail 2 "$DOCKER_CONFIG_FILE holds more than one registry's login; set DOCKER_CONFIG_FILE to a file of its own"
}

# --- Renewal ----------------------------------------------------------------------------------

# adopt takes up the token that an interrupted run has left in the file $next, if it is the successor of the one in place.
adopt() {
	[ -n "$next" ] && [ -e "$next" ] || return 0
	left=$(tokens <"$next")
	if [ -n "$left" ] && [ "$left" != "$token" ]; then
		look "$left"
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
	store "$1" || fail 1 "not all files could be written; a working token is in $where, run again later"
	say "took up the token $(id_of "$1"), which an interrupted run has left"
	load
}

# seconds_until TIME: from now to a UTC time such as 2027-01-31T08:00:00Z, by the Julian day number. The date command
# cannot be asked: every system has another way.
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

# examine ends the run if the token in place is good for long enough.
examine() {
	look "$token"
	case $status in
	200) ;;
	401) fail 3 "the token $(id_of "$token") in $where does not work: it has expired or was revoked, or its user is not active." \
		"Put a working one there" ;;
	*) unreachable ;;
	esac
	expires=$(member expiresAt)
	left=$(seconds_until "$expires")
	if [ "$left" -ge $((RENEW_DAYS * 86400)) ]; then
		current || store "$token" || fail 1 "the pull secret of $where could not be written"
		say "the token $(id_of "$token") is good for $((left / 86400)) more days; it is renewed when fewer than $RENEW_DAYS are left"
		exit 0
	fi
}

# issue asks for a token with the name and scopes of the one in place. Outside of Kubernetes the answer goes straight to
# the file $next, so that a run that is killed from here on loses nothing: the next one takes it up.
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
	[ -n "$new" ] || fail 1 "$PORTSIDE_URL answered without a token; the one in $where stays"
	[ -n "$next" ] || unneeded=$new
}

refused() {
	reason=$(member detail)
	rm -f "$answer"
	fail 3 "$PORTSIDE_URL refused a new token ($status): $reason"
}

# verify tries the new token before anything relies on it.
verify() {
	look "$new"
	[ "$status" = 200 ] && [ "$(member status)" = active ] && return
	fail 1 "the new token $(id_of "$new") was not seen to work (status $status); the one in $where stays, run again later"
}

# put stores the new token. From here on it must not be revoked unless it is certain that nobody can get it from there.
put() {
	unneeded=
	if store "$new"; then
		[ -z "$next" ] || rm -f "$next"
		say "renewed: the token $(id_of "$new") is in $where; $(id_of "$token") works until $expires, or until you revoke it"
		return
	fi
	[ -n "$KUBE_SECRET" ] || fail 1 "not all files could be written; a working token is in $where, run again later"
	settle
}

# settle finds out what became of an update that kubectl called a failure. If the Secret has changed, ours did not get
# through and never will, because of the version that it carries.
settle() {
	old=$token tried=$version
	load
	if [ "$token" = "$new" ]; then
		say "renewed: the token $(id_of "$new") is in $where; $(id_of "$old") works until $expires, or until you revoke it"
		return
	fi
	[ "$version" = "$tried" ] || unneeded=$new
	if [ "$token" != "$old" ]; then
		say "somebody else has changed $where meanwhile; their token stays"
		exit 0
	fi
	fail 1 "$where could not be written; the token in it stays, run again later"
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
	exec 9>"$TOKEN_FILE.lock" # curl inherits the lock: after a kill, the next run waits for a request that is under way
	flock 9 || fail 1 "$TOKEN_FILE.lock could not be locked"
fi
mine
load
adopt
examine
issue
verify
put
