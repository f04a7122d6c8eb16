"""Replaces four checks of schemathesis, without the refusals that openapi.yaml cannot express. docs/api.md has the reasons."""

import re

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    status_code_conformance,
)

LONG_ADDRESS = 8000  # bytes; the gateway refuses a request line and header fields of more than 10 KB with 431

ANALYTICS = r"GET /v1/analytics/(daily|dashboard|pulls|timeseries)"
ENTITLEMENTS = r"/v1/customers/\{customerId\}/entitlements"
POLICIES = r"/v1/customers/\{customerId\}/trust-policies"
CREATIONS = (r"POST (/api/v1/(tokens|credential-requests)|/v1/(users|customers|projects|uploads)|/v1/users/\{userId\}/api-keys|"
             rf"{ENTITLEMENTS}|{POLICIES})")
CHANGES = (r"(PUT|PATCH|DELETE) (/v1/users/\{userId\}|/v1/customers/\{customerId\}|/v1/projects/\{projectId\})|"
           rf"(PUT|DELETE) ({ENTITLEMENTS}/\{{entitlementId\}}|{POLICIES}/\{{policyId\}})|"
           r"DELETE (/api/v1/tokens/\{tokenId\}|/v1/users/\{userId\}/api-keys/\{keyId\})")
EXTRACTIONS = r"POST /v1/(capabilities/(compare|extract)(/media|/batch)?|ai/compare/media)"
TEXTS = r"POST /v1/capabilities/(compare|extract|summarize)"
FORMS = r"POST /v1/(capabilities/(compare|extract|summarize)/media|ai/compare/media)"
PROJECT_CHANGES = r"POST /v1/projects|(PUT|PATCH) /v1/projects/\{projectId\}"
CUSTOMER_CHANGES = r"POST /v1/customers|(PUT|PATCH) /v1/customers/\{customerId\}"
ENTITLEMENT_CHANGES = rf"POST {ENTITLEMENTS}|PUT {ENTITLEMENTS}/\{{entitlementId\}}"
POLICY_CHANGES = rf"POST {POLICIES}|PUT {POLICIES}/\{{policyId\}}"
OFFSET_LISTS = rf"GET (/v1/(users|customers|projects)|{ENTITLEMENTS}|{POLICIES})"
NAMED = (r"POST (/api/v1/tokens|/v1/(users|projects)|/v1/users/\{userId\}/api-keys)|"
         r"(PUT|PATCH) (/v1/users/\{userId\}|/v1/projects/\{projectId\})")

# Refusals with 400 of requests that are valid according to their schema: operation, pointer and detail of an error.
EXPLAINED_ERRORS = [tuple(re.compile(pattern, re.DOTALL) for pattern in explained) for explained in [
    # Fields that depend on each other
    (r"GET /api/v1/credential-requests", r"query/(after|before)", r"needs order=oldest; without it|must not be sent with order=oldest"),
    (ANALYTICS, r"query/(startDate|endDate)", r"is only for the period custom|(is|are) required for the period custom"),
    (r"GET /api/v1/credential-requests", r"query/cursor", r"cannot be combined with before or after"),
    (OFFSET_LISTS, r"query/offset", r"cannot be combined with cursor"),
    (r"GET /v1/users", r"query/ids", r"cannot be combined with customerId, role, status, email, offset or cursor"),
    (r"GET /api/v1/tokens", r"query/customerId", r"cannot be combined with userId"),
    (r"POST /v1/sessions", r"(/code|/email)?", r"must have either token, or|is required together with"),
    (r"POST /api/v1/tokens", r"/line_expiration_days", r"must not be less than expiration_days"),
    (FORMS, r"/file[12]?", r"is required: send the file, or|must not be sent together with"),
    (FORMS, r"/variable\d+_(name|type)", r"must be a name of 1 to|must be string, number, date or boolean"),
    # Values that depend on stored data or on an earlier answer
    (rf"GET (/v1/images(/tags)?|/v1/charts(/\{{name\}})?|/api/v1/(pulls|tokens)|/v1/audit|/v1/(users|customers|projects)/search)|{OFFSET_LISTS}",
     r"query/cursor", r"must be pagination\.next of a page of this list"),
    (r"GET /v1/(users|customers|projects)/search", r"query/q", r"must have a (character that is no space|letter, a digit or another visible character)"),
    (PROJECT_CHANGES, r"/(ownerId|members/\d+/userId)",
     r"must be the id of a user who exists|must not be a user who is named before"),
    (rf"{PROJECT_CHANGES}|POST /v1/users|(PUT|PATCH) /v1/users/\{{userId\}}", r"/customerId",
     r"must be the id of a customer who exists"),
    (r"POST /api/v1/token-exchange", r"/subject_token", r"is required"),  # if it has only spaces
    (r"POST /api/v1/token-exchange", r"/trust_policy_id", r"must be the ID of a trust policy of an active customer"),
    (r"(PUT|PATCH) /v1/users/\{userId\}", r"/status", r"must be active, inactive or suspended"),  # pending, of a user who is not
    # Texts and numbers in a form that JSON Schema does not describe
    (NAMED, r"/(name|department)",
     r"must not (be empty|contain (control|an address))|must contain a visible character|must have at most \d+ characters"),
    (r"POST /api/v1/credential-requests/\{requestId\}/(approve|deny)", r"/reason", r"must have 0 to 1000 readable characters"),
    (CUSTOMER_CHANGES, r"/slug", r"must have 1 to 63 lower-case letters"),
    (CUSTOMER_CHANGES, r"/contacts/\d+/email", r"must be an email address"),
    (CUSTOMER_CHANGES, r"/(name|externalId|contacts/\d+/(name|role))",
     r"must not (be empty|contain)|must contain a visible character|must have at most \d+ characters"),
    (CUSTOMER_CHANGES, r"/metadata", r"must not contain NUL"),
    (CUSTOMER_CHANGES, r"/limits/(users|requestsPerMinute)", r"must be written plainly"),
    (CUSTOMER_CHANGES, r"/contacts", r"must have at most 20 contacts"),
    (ENTITLEMENT_CHANGES, r"/(repository|versions)", r"must be (the name of a chart or repository|a constraint of semantic versions)"),
    (ENTITLEMENT_CHANGES, r"/(from|until)", r"must be (after from|in the years|a time with a time zone)"),
    (POLICY_CHANGES, r"/(name|issuer|audience|jwks|conditions(/\d+/(claim|values?(/\d+)?))?)",
     r"must (not|be|have|contain)|is not a JSON Web Key Set|has (no|more than|a private)"),
    (POLICY_CHANGES, r"/maxMinutes", r"must be written plainly"),
    (rf"POST /api/v1/tokens|{POLICY_CHANGES}", r"/scopes(/\d+)?",
     r"must name at least one scope|must be read:helm-charts or read:docker-images"),
    (r"POST /api/v1/credential-requests", r"/justification", r"must not be empty|must have 1 to 2000 readable characters"),
    (PROJECT_CHANGES, r"/description", r"must have 0 to 2000 readable characters"),
    (NAMED, r"/(settings|metadata)", r"must not contain NUL"),
    (r"POST (/api/v1/tokens|/v1/users/\{userId\}/api-keys)", r"/(line_)?expiration_?[dD]ays",
     r"must be written plainly|must be a whole number from"),
    (ANALYTICS, r"query/(startDate|endDate)", r"must be a date such as"),
    (r"GET /api/v1/pulls", r"query/(from|to|token)", r"must be a date such as|must be the public ID of a token"),
    (r"GET /v1/audit", r"query/(from|to)", r"must be (a date such as|before to|at most 400 days)"),
    (r"POST /v1/users/imports", r"/text", r"line 1(, the header:| has tabs)|the file is empty"),
    (EXTRACTIONS, r"/schema(/.*)?", r""),
    (EXTRACTIONS, r"/variables/.*", r"must be a name of 1 to"),
    (FORMS, r"/model", r"must be a JSON object"),
    (FORMS, r".*", r"has a part without a valid name|is not a readable form|must be sent only once$|is not a known field"),
]]

# Other refusals of valid requests: operation, status, code, and the header that the request must have.
EXPLAINED_PROBLEMS = [
    (re.compile(CHANGES), 412, "PRECONDITION_FAILED", "If-Match"),
    (re.compile(CREATIONS), 422, "IDEMPOTENCY_KEY_REUSED", "Idempotency-Key"),
    (re.compile(TEXTS), 422, "UNPROCESSABLE", None),  # the text has only control characters or spaces
    (re.compile(FORMS), 415, "UNSUPPORTED_MEDIA_TYPE", None),  # the random bytes of the file have no known format
    (re.compile(FORMS), 422, "UNPROCESSABLE", None),  # the file has no text, or the service has no reader for it
]


@schemathesis.check
def valid_request_is_accepted(ctx, response, case):
    """Like positive_data_acceptance, but accepts explained refusals."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        if is_explained(response, case):
            return None
        raise


def is_explained(response, case):
    if response.status_code == 400:
        errors = response.json().get("errors", [])
        return bool(errors) and all(is_explained_error(error, case) for error in errors)
    return is_explained_problem(response, case)


def is_explained_error(error, case):
    return breaks_pattern(error["pointer"], case) or any(
        operation.fullmatch(case.operation.label) and pointer.fullmatch(error["pointer"]) and detail.match(error["detail"])
        for operation, pointer, detail in EXPLAINED_ERRORS)


def breaks_pattern(pointer, case):
    """Reports whether a header is invalid after all: the tool sends 0 in headers whose pattern excludes it."""
    return any(
        pointer == f"header/{parameter.name}" and not re.search(pattern, case.headers.get(parameter.name, ""))
        for parameter in case.operation.headers
        if (pattern := parameter.definition.get("schema", {}).get("pattern")))


def is_explained_problem(response, case):
    return any(
        operation.fullmatch(case.operation.label) and response.status_code == status and response.json().get("code") == code
        and (header is None or header in case.headers)
        for operation, status, code, header in EXPLAINED_PROBLEMS)


@schemathesis.check
def invalid_request_is_refused(ctx, response, case):
    """Like negative_data_rejection, but null in an optional field of a POST counts as a missing field."""
    try:
        return negative_data_rejection(ctx, response, case)
    except Failure:
        if is_too_long(response) or is_cut(response) or has_optional_null(case):
            return None
        raise


@schemathesis.check
def status_is_documented(ctx, response, case):
    """Like status_code_conformance, but accepts a 431 of the gateway, and a 405 of another operation."""
    if is_too_long(response) or (response.status_code == 405 and is_cut(response)):
        return None
    return status_code_conformance(ctx, response, case)


@schemathesis.check
def headers_are_documented(ctx, response, case):
    """Like response_headers_conformance, but not for responses of another operation."""
    return None if is_cut(response) else response_headers_conformance(ctx, response, case)


def is_cut(response):
    """Reports whether the gateway has cut the path at %3F and may have selected another operation."""
    return "%3F" in response.request.url.partition("?")[0]


def is_too_long(response):
    return response.status_code == 431 and len(response.request.url) > LONG_ADDRESS


def has_optional_null(case):
    """Reports whether the body of a POST has a null, and is valid without its nulls."""
    if case.method != "POST":
        return False
    cleaned = without_nulls(case.body)
    components = case.operation.schema.raw_schema["components"]
    return cleaned != case.body and any(
        jsonschema_rs.validator_for({**body.definition["schema"], "components": components}).is_valid(cleaned)
        for body in case.operation.body)


def without_nulls(value):
    if isinstance(value, dict):
        return {name: without_nulls(field) for name, field in value.items() if field is not None}
    return value
