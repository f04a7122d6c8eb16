"""Rules that AWS applies when it creates or changes a stack, and that neither cfn-lint nor the local stack knows.

Each has made deployments of others fail or alarm. docs/operations.md lists them with their sources.
"""

from transformed import as_list, statements, text


def failure_destinations(resources):
    """Lambda checks whether the role may write to the whole destination, and the check must not run before the policy exists."""
    for name, config in of_type(resources, "AWS::Lambda::EventInvokeConfig"):
        target = config["Properties"].get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        if not target:
            continue
        bucket = text(target)
        role = text(resources[text(config["Properties"]["FunctionName"])[2:-1]]["Properties"]["Role"])[2:-5]
        found = [s for document in policies_of(role, resources, needed_by(name, resources)) for s, _ in statements(document)]
        for action, resource in ("s3:PutObject", bucket + "/*"), ("s3:ListBucket", bucket):
            if not any(action in as_list(s["Action"]) and resource in map(text, as_list(s["Resource"])) and s["Effect"] == "Allow" for s in found):
                yield f"{name}: allow {action} on {resource} in the Policies of the function's role"
        if "NotificationConfiguration" in resources.get(bucket[2:-5], {}).get("Properties", {}):
            yield f"{name}: {bucket[2:-5]} has notifications, so a role that may write to all of it could start functions"


def access_log_groups(resources):
    """Each other name adds a statement to one resource policy of the account, which holds 5,120 characters."""
    for name, stage in of_type(resources, "AWS::ApiGatewayV2::Stage"):
        arn = text(stage["Properties"].get("AccessLogSettings", {}).get("DestinationArn", ""))
        group = resources.get(arn[2:-5], {}).get("Properties", {})
        if arn and not text(group.get("LogGroupName", "")).startswith("/aws/vendedlogs/"):
            yield f"{name}: the LogGroupName of its access log must begin with /aws/vendedlogs/"


def quiet_alarms(resources):
    """CloudWatch evaluates a new alarm at once, and a new stack has no data."""
    for name, alarm in of_type(resources, "AWS::CloudWatch::Alarm"):
        missing = alarm["Properties"].get("TreatMissingData", "missing")
        if missing == "breaching":
            yield f"{name}: TreatMissingData breaching makes it fire after the first deployment: use missing, with InsufficientDataActions"
        if missing == "missing" and not alarm["Properties"].get("InsufficientDataActions"):
            yield f"{name}: TreatMissingData missing needs InsufficientDataActions, or nobody learns that the data has stopped"


def nameless_budgets(resources):
    """CloudFormation replaces a budget when its notifications change, and creates the new one before it deletes the old one."""
    for name, budget in of_type(resources, "AWS::Budgets::Budget"):
        if "BudgetName" in budget["Properties"]["Budget"]:
            yield f"{name}: omit the BudgetName, or a change of the notifications fails, because the budget exists already"


def delete_markers(resources):
    """S3 refuses a rule that removes expired delete markers and also expires objects."""
    for name, bucket in of_type(resources, "AWS::S3::Bucket"):
        for rule in bucket["Properties"].get("LifecycleConfiguration", {}).get("Rules", []):
            if rule.get("ExpiredObjectDeleteMarker") and {"ExpirationInDays", "ExpirationDate"} & set(rule):
                yield f"{name}: the rule {rule['Id']} must not have ExpiredObjectDeleteMarker and an expiration: make two rules"


RULES = {
    "failure-destinations": failure_destinations,
    "access-log-groups": access_log_groups,
    "quiet-alarms": quiet_alarms,
    "nameless-budgets": nameless_budgets,
    "delete-markers": delete_markers,
}


def problems_of(resources):
    """Returns the violations of all rules in the resources of the transformed template."""
    return [f"{problem} ({rule}: docs/operations.md, Rules of a deployment)" for rule, check in RULES.items() for problem in check(resources)]


def of_type(resources, kind):
    return [(name, resource) for name, resource in resources.items() if resource["Type"] == kind]


def needed_by(name, resources):
    """Returns the resources that CloudFormation completes before it creates the named one."""
    found, queue = set(), [name]
    while queue:
        resource = resources.get(queue.pop(), {})
        for other in set(as_list(resource.get("DependsOn", []))) | references(resource.get("Properties", {}), resources):
            if other not in found:
                found.add(other)
                queue.append(other)
    return found


def references(value, resources):
    if isinstance(value, list):
        return set().union(*(references(item, resources) for item in value))
    if not isinstance(value, dict):
        return set()
    found = set().union(*(references(item, resources) for item in value.values()))
    if "Ref" in value:
        found.add(value["Ref"])
    if "Fn::GetAtt" in value:
        argument = value["Fn::GetAtt"]
        found.add(argument[0] if isinstance(argument, list) else argument.split(".")[0])
    if "Fn::Sub" in value:
        template = as_list(value["Fn::Sub"])[0]
        found |= {part.split("}")[0].split(".")[0] for part in template.split("${")[1:]}
    return found & set(resources)


def policies_of(role, resources, complete):
    """Returns the policies of a role that are complete: those inside of it, and the complete ones beside it."""
    inside = [policy["PolicyDocument"] for policy in resources[role]["Properties"].get("Policies", [])]
    beside = [policy["Properties"] for name, policy in of_type(resources, "AWS::IAM::Policy") if name in complete]
    return inside + [policy["PolicyDocument"] for policy in beside if {"Ref": role} in policy["Roles"]]
