"""The checks and decisions of a deployment that need no call of AWS."""

import copy
import hashlib
import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).parent.parent
REQUIRED = ("BaseUrl", "MailFrom", "ImageRepositories", "CorsAllowOrigins")
STATEFUL = ("AWS::DynamoDB::Table", "AWS::S3::Bucket")
UNRESERVED_CONCURRENCY = 100  # that Lambda keeps in every account
KEPT_VERSIONS = 3  # of each function besides those that an alias uses, to return to at once
# They change no function, and make deploy changes ProtectTables itself after the first deployment.
NOT_IN_FUNCTIONS = ("BackupBucket", "BackupBucketOwner", "BudgetMail", "GradualDeployment", "MonthlyBudget", "ProtectTables")


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


def text_of(node):
    """Returns the text of a value as it is written. YAML would turn 0755 into 493 and 12:30:00 into 45000."""
    if node.tag == "tag:yaml.org,2002:bool":
        return "true" if node.value.lower() in ("true", "yes", "on") else "false"
    return node.value


def settings_of(path):
    """Returns the parameters of a settings file, without those that have no value. Errors have no lines of the file, which may be keys."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {error.reason if isinstance(error, UnicodeDecodeError) else error.strerror}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise Problem(f"{path} is not YAML" + (f", line {mark.line + 1}: {error.problem}" if mark else f": {type(error).__name__}")
                      + ". Put quotes around values with special characters, such as '*'") from None
    is_table = root is None or isinstance(root, yaml.MappingNode)
    pairs = root.value if root and is_table else []
    if not is_table or not all(isinstance(node, yaml.ScalarNode) for pair in pairs for node in pair):
        raise Problem(f"{path} must have one parameter per line, such as MailFrom: no-reply@example.com")
    names = [name.value for name, _ in pairs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Problem(f"{path} sets {', '.join(twice)} more than once")
    return {name.value: text_of(value) for name, value in pairs if value.tag != "tag:yaml.org,2002:null"}


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
    if "example.com" in found["BaseUrl"] + found["MailFrom"] + found["CorsAllowOrigins"]:
        raise Problem(f"{path}: BaseUrl, MailFrom and CorsAllowOrigins must not have the values of the example")
    if not re.match("https://|$", found["BaseUrl"]):
        raise Problem(f"{path}: BaseUrl must begin with https://")
    for origin in found["CorsAllowOrigins"].split(","):
        if not re.fullmatch(r"\*|https?://(\*|([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]+)?)", origin.strip()):
            raise Problem(f"{path}: {origin.strip()!r} in CorsAllowOrigins is no origin: write it as a browser sends it, such as https://app.example.com, "
                          "with the scheme, in lower case and without a path")
    return found


def check_numbers(template, parameters):
    """Refuses numbers such as 5.5 and 1e3, which CloudFormation accepts and with which the functions would not start."""
    for name, declared in template["Parameters"].items():
        value = parameters.get(name, "0")
        if declared["Type"] == "Number" and not re.fullmatch("[0-9]{1,9}", value):
            raise Problem(f"the value {value!r} of parameter {name!r} is invalid: it must be a whole number with at most 9 digits")


def check_places(parameters, region):
    """Refuses parameters that name another region or another host, which a rule of the template cannot compare."""
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


def without_code(template):
    """Returns a copy of a parsed template without the places of its code, and these places by the function."""
    template, places = copy.deepcopy(template), {}
    template["Globals"]["Function"].pop("CodeUri", None)
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Serverless::Function":
            resource.pop("Metadata", None)
            places[name] = resource["Properties"].pop("CodeUri", None)
    return template, places


def check_package(template, packaged, files):
    """Refuses a package whose template was not the one that was checked, or that lacks the code of a function."""
    wanted, _ = without_code(template)
    found, places = without_code(packaged)
    if found != wanted:
        raise Problem("the package was made from another template.yaml: check out the commit of the package")
    if missing := sorted(name for name, place in places.items() if place not in files):
        raise Problem(f"the package has no code of {', '.join(missing)}: make it again with `make release`")


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


def check_concurrency(limits, held, wanted):
    """Refuses a deployment that would leave the account less unreserved concurrency than Lambda keeps.

    limits are the account's. held is the number of executions that the functions of the stack reserve now, and wanted the number after the deployment.
    Other functions of the account can hold reservations, too, so the total does not tell.
    """
    missing = wanted + UNRESERVED_CONCURRENCY - held - limits["UnreservedConcurrentExecutions"]
    if missing > 0:
        total = limits["ConcurrentExecutions"]
        raise Problem(f"the account may run {total} functions at a time, of which {limits['UnreservedConcurrentExecutions']} are not reserved. Portside reserves "
                      f"{wanted - held} more, and Lambda keeps {UNRESERVED_CONCURRENCY}: request a quota of at least {total + missing} "
                      f"(docs/operations.md, Deploying)")


def superfluous_versions(versions, aliases):
    """Returns the versions of a function to delete: those that no alias uses, without the newest.

    versions and aliases are the answers of ListVersionsByFunction and ListAliases. During a gradual deployment, an alias uses two versions.
    """
    used = {alias["FunctionVersion"] for alias in aliases}
    used |= {version for alias in aliases for version in (alias.get("RoutingConfig") or {}).get("AdditionalVersionWeights", {})}
    unused = sorted((v["Version"] for v in versions if v["Version"] not in used | {"$LATEST"}), key=int)
    return unused[:-KEPT_VERSIONS]


def models_of(parameters):
    """Returns the IDs of the models of Amazon Bedrock that the parameters name, without the region of an inference profile. ARNs are left out."""
    if parameters.get("MediaEngine") != "bedrock":
        return []
    names = [parameters.get(name, "") for name in ("MediaModel", "MediaVisionModel")]
    return [re.sub(r"^(us|us-gov|eu|apac|jp|au|ca|global)\.", "", name) for name in names if name and not name.startswith("arn:")]


def check_model(model, found):
    """Refuses a model that the account cannot use yet. found is the answer of GetFoundationModelAvailability."""
    for part, good in ("regionAvailability", "AVAILABLE"), ("authorizationStatus", "AUTHORIZED"), ("entitlementAvailability", "AVAILABLE"):
        if found.get(part, good) != good:
            raise Problem(f"the account cannot use the model {model} ({part}: {found[part]}): open the model in the console of Amazon Bedrock, in the region of "
                          "the stack, and request access or accept its agreement, once, with an account that may use AWS Marketplace")


def unfinished(name, status):
    """Returns why a stack with this status cannot be deployed, or an empty text."""
    if status == "ROLLBACK_COMPLETE":
        return (f"the first deployment of {name} failed, and CloudFormation cannot continue it: "
                f"run `aws cloudformation delete-stack --stack-name {name}` and deploy again")
    if status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS" or status.endswith("_FAILED"):
        return f"the stack {name} is in the state {status}: wait until it is complete, or repair it"
    return ""
