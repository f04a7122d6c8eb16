"""Replaces two checks of schemathesis, without the refusals that a JSON Schema cannot express. docs/api.md has the reasons."""

import re

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

# Details of errors in the answer to a request that is valid according to its schema.
EXPLAINED_DETAILS = re.compile("|".join([
    # Fields that depend on each other
    r"needs order=oldest; without it, use before$",
    r"is only for the period custom; leave it out$",
    r"(is|are) required for the period custom",
    r"cannot be combined with ",
    r"is required: send the file, or \w+_upload_id$",
    r"must have either token, or email and code, or passkey$",
    # Values that depend on stored data or on an earlier answer
    r"must be pagination\.next of a page of this list",
    r"must be the id of a user who exists$",
    # Texts in a language that JSON Schema does not describe
    r"must have \d+ to \d+ readable characters",
    r"must not contain (control|an address)",
    r"must contain a visible character$",
    r"must not be empty$",
    r"header: ",
    # Serialization
    r"must be sent only once; separate its values with commas$",
]))

EXPLAINED_STATUSES = {
    412,  # If-Match names another version
    422,  # the key or the upload was used for something else, or the file has no text
}


@schemathesis.check
def valid_request_is_accepted(ctx, response, case):
    """Like positive_data_acceptance, but accepts explained refusals."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure:
        if response.status_code in EXPLAINED_STATUSES or is_explained(response):
            return None
        raise


def is_explained(response):
    if response.status_code != 400:
        return False
    errors = response.json().get("errors", [])
    return bool(errors) and all(
        EXPLAINED_DETAILS.match(error["detail"]) or error["pointer"].startswith("/schema") for error in errors)


@schemathesis.check
def invalid_request_is_refused(ctx, response, case):
    """Like negative_data_rejection, but null in an optional field of the body counts as a missing field."""
    try:
        return negative_data_rejection(ctx, response, case)
    except Failure:
        if response.status_code in (413, 431) or has_null_field(case.body):
            return None
        raise


def has_null_field(body):
    return isinstance(body, dict) and any(value is None or has_null_field(value) for value in body.values())
