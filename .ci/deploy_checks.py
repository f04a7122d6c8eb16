"""The checks and decisions of a deployment that need no call of AWS."""

import hashlib
import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).parent.parent
REQUIRED = ("BaseUrl", "MailFrom", "ImageRepositories")
STATEFUL = ("AWS::DynamoDB::Table", "AWS::S3::Bucket")
# ProtectTables changes no function, and make deploy changes it itself after the first deployment.
NOT_IN_FUNCTIONS = ("GradualDeployment", "ProtectTables")


class Problem(Exception):
    """A reason not to deploy, which the operator can read and fix."""


def say(text):
    print(text, flush=True)


def environment(config, name):
    """Returns the global and the deploy parameters of an environment in samconfig.toml."""
    known = [key for key in config if key != "version"]
    if name not in known:
        raise Problem(f"samconfig.toml has no environment {name!r}; it has {', '.join(known)}")
    found = {}
    for command in "global", "deploy":
        found |= config[name].get(command, {}).get("parameters", {})
    for setting in "stack_name", "region":
        if not isinstance(found.get(setting), str):
            raise Problem(f"samconfig.toml: set {setting} in [{name}.global.parameters]")
    return found


class Texts(yaml.SafeLoader):
    """Reads every value as it is written. Otherwise YAML would read 012 as 10, and 2026-11-22 as a date."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def read_settings(path):
    """Returns the pairs of a settings file. Errors have no lines of the file, because it may contain keys."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=Texts)
    except OSError as error:
        raise Problem(f"{path} is not readable: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Problem(f"{path} must be a text in UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise Problem(f"{path}{line}: {getattr(error, 'problem', None) or 'a character that YAML does not allow'}") from None
    pairs = node.value if isinstance(node, yaml.MappingNode) else [] if node is None else [(None, None)]
    if not all(isinstance(part, yaml.ScalarNode) for pair in pairs for part in pair):
        raise Problem(f"{path} must have one parameter per line, such as MailFrom: no-reply@example.com")
    return pairs


def settings_of(path):
    """Returns the parameters of a settings file, without those that have no value."""
    found = {}
    for name, value in read_settings(path):
        if name.value in found:
            raise Problem(f"{path}, line {name.start_mark.line + 1}: {name.value} is set twice")
        found[name.value] = None if value.tag == "tag:yaml.org,2002:null" else value.value
    return {name: value for name, value in found.items() if value is not None}


def parameters_of(shared, path):
    """Returns the parameters: those of samconfig.toml, replaced by those of the settings file."""
    if isinstance(shared, str) or not all("=" in str(entry) for entry in shared):
        raise Problem('samconfig.toml: parameter_overrides must be a list, such as ["LogRetentionDays=14"]')
    found = dict(entry.split("=", 1) for entry in shared)
    if not path.exists():
        raise Problem(f"{path} does not exist: copy settings/example.yaml and set {', '.join(REQUIRED)}")
    found |= settings_of(path)
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise Problem(f"{path}: set {', '.join(missing)}; settings/example.yaml explains each")
    if "example.com" in found["BaseUrl"] + found["MailFrom"]:
        raise Problem(f"{path}: BaseUrl and MailFrom still have values of the example")
    if not re.match("https://|$", found["BaseUrl"]):
        raise Problem(f"{path}: BaseUrl must begin with https://")
    return found


def check_places(parameters, region):
    """Fails if parameters name another region or another host, which a rule of the template cannot compare."""
    for name in "CertificateArn", "AlarmTopicArn":
        arn = parameters.get(name, "").split(":")
        if len(arn) > 3 and arn[3] != region:
            raise Problem(f"{name} is in {arn[3]}, and the stack in {region}: use one in {region}")
    host, url = parameters.get("DomainName"), parameters["BaseUrl"]
    if host and url not in ("", f"https://{host}"):
        raise Problem(f"BaseUrl is {url}, but the API answers only to the DomainName: set BaseUrl to https://{host}")


def table_suffix(parameters):
    """Returns the flag that selects the tables of the deployment, which are others than those of the stack after a restore."""
    if parameters.get("CreateTables") != "false":
        return []
    return [f"--table-suffix={parameters.get('TableSuffix', '')}"]


def fingerprint(template, parameters):
    settings = {name: value for name, value in parameters.items() if name not in NOT_IN_FUNCTIONS}
    return hashlib.sha256((template + json.dumps(settings, sort_keys=True)).encode()).hexdigest()[:12]


def stamp(template, mark):
    """Adds a mark to the environment of all functions of a template.

    SAM publishes a version of a function when its code or its properties in the template change, but it does not see the values of
    parameters. Without a mark that depends on them, a new value of a parameter would never reach the alias.
    """
    function = template["Globals"]["Function"]
    function.setdefault("Environment", {}).setdefault("Variables", {})["DEPLOYMENT"] = mark


def dangers(changes):
    """Returns the changes that replace or remove a table or a bucket."""
    found = []
    for change in (c["ResourceChange"] for c in changes if "ResourceChange" in c):
        replaced = change["Action"] == "Modify" and change.get("Replacement", "False") != "False"
        if change["ResourceType"] in STATEFUL and (change["Action"] == "Remove" or replaced):
            found.append(f"{change['LogicalResourceId']}: {'replacement' if replaced else 'removal'}")
    return found


def mail_identities(address):
    """Returns the identities that may send for an address: the address, its domain, and the parent domains."""
    labels = address.rpartition("@")[2].split(".")
    return [address] + [".".join(labels[i:]) for i in range(len(labels) - 1)]


def reserved_concurrency(template, parameters):
    """Returns the sum of what the functions of a parsed template reserve, which are numbers or parameters."""
    total = 0
    for resource in template["Resources"].values():
        reserved = resource.get("Properties", {}).get("ReservedConcurrentExecutions", 0)
        if isinstance(reserved, dict):
            reserved = parameters.get(reserved["Ref"], template["Parameters"][reserved["Ref"]].get("Default"))
        total += int(reserved)
    return total


def unfinished(name, status):
    """Returns why a stack with this status cannot be deployed, or an empty text."""
    if status == "ROLLBACK_COMPLETE":
        return (f"the first deployment of {name} failed, and CloudFormation cannot continue it: "
                f"run `aws cloudformation delete-stack --stack-name {name}` and deploy again")
    if status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS" or status.endswith("_FAILED"):
        return f"the stack {name} is in the state {status}: wait until it is complete, or repair it"
    return ""
