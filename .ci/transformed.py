"""Reads template.yaml as CloudFormation gets it, after the SAM transform."""

import logging
import os
import pathlib

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")  # the transform asks boto3 for a region, and makes no call

from samtranslator.model.exceptions import InvalidDocumentException  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402

ROOT = pathlib.Path(__file__).parent.parent
# CloudFormation gives the transform the values of all parameters, and lists as lists.
PARAMETERS = {"GradualDeployment": "true", "CorsAllowOrigins": ["https://portal.acme.test"]}


class NoManagedPolicies:
    """The transform loads the managed policies of AWS by this interface. The template uses none."""

    def load(self):
        return {}


def transformed():
    logging.disable(logging.WARNING)  # of the transform, about settings that only AWS has
    template = yaml_parse((ROOT / "template.yaml").read_text())
    template["Globals"]["Function"]["CodeUri"] = "s3://bucket/key"  # sam package would upload the code
    try:
        return transform(template, PARAMETERS, NoManagedPolicies())
    except InvalidDocumentException as error:
        raise SystemExit("\n".join(["the SAM transform refuses template.yaml:", *(cause.message for cause in error.causes)])) from None


def as_list(value):
    return value if isinstance(value, list) else [value]


def text(value):
    """Returns a short text of a value that may be an intrinsic function."""
    if not isinstance(value, dict):
        return str(value)
    (name, argument), *others = value.items()
    if others:
        raise SystemExit(f"template.yaml: cannot show {value}")
    if name == "Ref":
        return "${" + argument + "}"
    if name == "Fn::GetAtt":
        return "${" + ".".join(as_list(argument)) + "}"
    if name == "Fn::Sub" and isinstance(argument, str):
        return argument
    if name == "Fn::If":
        return f"if {argument[0]}: {text(argument[1])}, else {text(argument[2])}"
    return f"{name} {argument}"


def statements(document):
    """Yields each statement with the name of the template's condition, if it has one."""
    for statement in as_list(document["Statement"]):
        if "Fn::If" in statement:
            condition, yes, no = statement["Fn::If"]
            yield from ((s, c) for s, c in ((yes, condition), (no, "not " + condition)) if s != {"Ref": "AWS::NoValue"})
        else:
            yield statement, None


def policies(resources):
    """Yields the name of a role or a bucket, and a policy document of it."""
    for name, resource in resources.items():
        properties = resource["Properties"]
        if resource["Type"] == "AWS::IAM::Role":
            for arn in properties.get("ManagedPolicyArns", []):
                yield name, {"Statement": {"Effect": "Allow", "Action": "managed policy " + text(arn), "Resource": "*"}}
            for policy in properties.get("Policies", []):
                yield name, policy["PolicyDocument"]
        elif resource["Type"] in ("AWS::IAM::Policy", "AWS::IAM::RolePolicy"):
            for role in properties.get("Roles", []) + as_list(properties.get("RoleName", [])):
                yield text(role).strip("${}"), properties["PolicyDocument"]
        elif resource["Type"] in ("AWS::IAM::ManagedPolicy", "AWS::IAM::User", "AWS::IAM::Group"):
            raise SystemExit(f"template.yaml: {name}: give the statements to a role instead of {resource['Type']}")
        elif "PolicyDocument" in properties:
            yield name, properties["PolicyDocument"]


def grants(resources):
    """Returns the statements of each role or bucket, in the template's order."""
    found = {}
    for name, document in policies(resources):
        found.setdefault(name, []).extend(statements(document))
    return found
