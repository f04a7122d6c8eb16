"""Makes calls with the Python client that openapi-python-client generates: calls.py ADDRESS, with the key in PORTSIDE_KEY."""

import os
import sys
from http import HTTPStatus
from uuid import uuid4

from portside_client import AuthenticatedClient
from portside_client.api.users import create_user, get_user, list_users
from portside_client.models import CreateUserBody, CreateUserBodyRole, ListUsersResponse200, Problem, ProblemCode


def main() -> None:
    client = AuthenticatedClient(
        base_url=sys.argv[1], token=os.environ["PORTSIDE_KEY"], prefix="", auth_header_name="X-API-Key"
    )
    body = CreateUserBody(
        email="python@example.com", name="Python", role=CreateUserBodyRole.VIEWER, send_activation_email=False
    )
    created = create_user.sync_detailed(client=client, body=body, idempotency_key=str(uuid4()))
    assert created.status_code == HTTPStatus.CREATED, created

    listed = list_users.sync(client=client, limit=100)
    assert isinstance(listed, ListUsersResponse200), listed
    assert "python@example.com" in [user.email for user in listed.data], listed

    refused = get_user.sync(client=client, user_id=uuid4())
    assert isinstance(refused, Problem) and refused.code == ProblemCode.NOT_FOUND, refused
    print("python:", listed.pagination.total, "users")


main()
