"""Writes .github/deploy-role.yaml, the role with which `make deploy` works without AdministratorAccess. `--update` replaces the file.

TYPES has what CloudFormation calls for each type of resource of template.yaml. Source: the permissions in the handlers of the schemas of
resource types (`aws cloudformation describe-type`), documented and not tried with this role. A test compares the types with the template after
the SAM transform, so a new type needs a line here, and cfn-lint knows which actions exist.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent
FILE = ROOT / ".github" / "deploy-role.yaml"
STACK = "${StackName}"


def arn(service, resource, account="${AWS::AccountId}", region="${AWS::Region}"):
    return f"arn:${{AWS::Partition}}:{service}:{region}:{account}:{resource}"


def of_stack(service, kind, region="${AWS::Region}"):
    return arn(service, f"{kind}{STACK}-*", region=region)


FUNCTION = of_stack("lambda", "function:")
ROLE = of_stack("iam", "role/", region="")
BUCKET = f"arn:${{AWS::Partition}}:s3:::{STACK}-*"
GROUPS = [of_stack("logs", "log-group:"), of_stack("logs", "log-group:/aws/vendedlogs/")]
TABLE = of_stack("dynamodb", "table/")
DELIVERY = of_stack("firehose", "deliverystream/")
CATALOG = [arn("glue", "catalog"), arn("glue", f"database/{STACK}_logs"), arn("glue", f"table/{STACK}_logs/*")]
API = "arn:${AWS::Partition}:apigateway:${AWS::Region}::/*"  # APIs have random IDs

# The resources and the actions that CloudFormation needs for a type.
TYPES = {
    "AWS::ApiGatewayV2::Api": (API, "apigateway:DELETE apigateway:GET apigateway:PATCH apigateway:POST apigateway:PUT"),
    "AWS::ApiGatewayV2::ApiMapping": (API, "apigateway:DELETE apigateway:GET apigateway:PATCH apigateway:POST"),
    "AWS::ApiGatewayV2::DomainName": (API, "apigateway:DELETE apigateway:GET apigateway:PATCH apigateway:POST"),
    "AWS::ApiGatewayV2::Stage": (API, "apigateway:DELETE apigateway:GET apigateway:PATCH apigateway:POST"),
    "AWS::Budgets::Budget": (arn("budgets", "budget/*", region=""), "budgets:ListTagsForResource budgets:ModifyBudget budgets:TagResource budgets:UntagResource budgets:ViewBudget"),
    "AWS::CloudFront::Distribution": (arn("cloudfront", "distribution/*", region=""), "cloudfront:CreateDistribution cloudfront:DeleteDistribution "
        "cloudfront:GetDistribution cloudfront:GetDistributionConfig cloudfront:ListTagsForResource cloudfront:TagResource cloudfront:UntagResource cloudfront:UpdateDistribution"),
    "AWS::CloudWatch::Alarm": (of_stack("cloudwatch", "alarm:"), "cloudwatch:DeleteAlarms cloudwatch:DescribeAlarms cloudwatch:ListTagsForResource "
        "cloudwatch:PutMetricAlarm cloudwatch:TagResource cloudwatch:UntagResource"),
    "AWS::CloudWatch::Dashboard": (of_stack("cloudwatch", "dashboard/", region=""), "cloudwatch:DeleteDashboards cloudwatch:GetDashboard cloudwatch:PutDashboard"),
    "AWS::CodeDeploy::Application": (of_stack("codedeploy", "application:"), "codedeploy:CreateApplication codedeploy:DeleteApplication codedeploy:GetApplication "
        "codedeploy:GetApplicationRevision codedeploy:ListTagsForResource codedeploy:RegisterApplicationRevision codedeploy:TagResource codedeploy:UntagResource codedeploy:UpdateApplication"),
    "AWS::CodeDeploy::DeploymentGroup": ([of_stack("codedeploy", "application:"), of_stack("codedeploy", "deploymentgroup:"), arn("codedeploy", "deploymentconfig:*")],
        "codedeploy:CreateDeployment codedeploy:CreateDeploymentGroup codedeploy:DeleteDeploymentGroup codedeploy:GetDeployment codedeploy:GetDeploymentConfig "
        "codedeploy:GetDeploymentGroup codedeploy:ListTagsForResource codedeploy:StopDeployment codedeploy:TagResource codedeploy:UntagResource codedeploy:UpdateDeploymentGroup"),
    "AWS::DynamoDB::Table": (TABLE, "dynamodb:CreateTable dynamodb:DeleteTable dynamodb:DescribeContinuousBackups dynamodb:DescribeContributorInsights "
        "dynamodb:DescribeKinesisStreamingDestination dynamodb:DescribeTable dynamodb:DescribeTimeToLive dynamodb:GetResourcePolicy dynamodb:ListTagsOfResource dynamodb:TagResource "
        "dynamodb:UntagResource dynamodb:UpdateContinuousBackups dynamodb:UpdateTable dynamodb:UpdateTimeToLive"),
    "AWS::Events::Rule": (of_stack("events", "rule/"), "events:DeleteRule events:DescribeRule events:ListTagsForResource events:ListTargetsByRule events:PutRule events:PutTargets "
        "events:RemoveTargets events:TagResource events:UntagResource"),
    "AWS::Glue::Database": (CATALOG, "glue:CreateDatabase glue:DeleteDatabase glue:GetDatabase glue:UpdateDatabase"),
    "AWS::Glue::Table": (CATALOG, "glue:CreateTable glue:DeleteTable glue:GetTable glue:UpdateTable"),
    "AWS::IAM::Policy": (ROLE, "iam:DeleteRolePolicy iam:GetRolePolicy iam:PutRolePolicy"),
    "AWS::IAM::Role": (ROLE, "iam:AttachRolePolicy iam:CreateRole iam:DeleteRole iam:DeleteRolePolicy iam:DetachRolePolicy iam:GetRole iam:GetRolePolicy "
        "iam:ListAttachedRolePolicies iam:ListRolePolicies iam:PassRole iam:PutRolePolicy iam:TagRole iam:UntagRole iam:UpdateAssumeRolePolicy iam:UpdateRole iam:UpdateRoleDescription"),
    "AWS::KinesisFirehose::DeliveryStream": (DELIVERY, "firehose:CreateDeliveryStream firehose:DeleteDeliveryStream firehose:DescribeDeliveryStream firehose:ListTagsForDeliveryStream "
        "firehose:StartDeliveryStreamEncryption firehose:StopDeliveryStreamEncryption firehose:TagDeliveryStream firehose:UntagDeliveryStream firehose:UpdateDestination"),
    "AWS::Lambda::Alias": (FUNCTION, "lambda:CreateAlias lambda:DeleteAlias lambda:GetAlias lambda:UpdateAlias"),
    "AWS::Lambda::EventInvokeConfig": (FUNCTION, "lambda:DeleteFunctionEventInvokeConfig lambda:GetFunctionEventInvokeConfig lambda:PutFunctionEventInvokeConfig lambda:UpdateFunctionEventInvokeConfig"),
    "AWS::Lambda::Function": (FUNCTION, "lambda:CreateFunction lambda:DeleteFunction lambda:DeleteFunctionConcurrency lambda:GetFunction lambda:GetFunctionCodeSigningConfig "
        "lambda:GetFunctionConfiguration lambda:GetFunctionRecursionConfig lambda:GetRuntimeManagementConfig lambda:ListTags lambda:PutFunctionConcurrency lambda:TagResource lambda:UntagResource "
        "lambda:UpdateFunctionCode lambda:UpdateFunctionConfiguration"),
    "AWS::Lambda::Permission": (FUNCTION, "lambda:AddPermission lambda:GetPolicy lambda:RemovePermission"),
    "AWS::Lambda::Version": (FUNCTION, "lambda:GetFunctionConfiguration lambda:GetProvisionedConcurrencyConfig lambda:ListVersionsByFunction lambda:PublishVersion"),
    "AWS::Logs::LogGroup": (GROUPS, "logs:CreateLogGroup logs:DeleteLogGroup logs:DeleteRetentionPolicy logs:DescribeIndexPolicies logs:GetDataProtectionPolicy logs:ListTagsForResource "
        "logs:PutRetentionPolicy logs:TagResource logs:UntagResource"),
    "AWS::Logs::MetricFilter": (GROUPS, "logs:DeleteMetricFilter logs:DescribeMetricFilters logs:PutMetricFilter"),
    "AWS::Logs::SubscriptionFilter": (GROUPS, "logs:DeleteSubscriptionFilter logs:DescribeSubscriptionFilters logs:PutSubscriptionFilter"),
    "AWS::S3::Bucket": (BUCKET, "s3:CreateBucket s3:DeleteBucket s3:GetAccelerateConfiguration s3:GetAnalyticsConfiguration s3:GetBucketCORS s3:GetBucketLogging s3:GetBucketNotification "
        "s3:GetBucketObjectLockConfiguration s3:GetBucketOwnershipControls s3:GetBucketPublicAccessBlock s3:GetBucketTagging s3:GetBucketVersioning s3:GetBucketWebsite "
        "s3:GetEncryptionConfiguration s3:GetIntelligentTieringConfiguration s3:GetInventoryConfiguration s3:GetLifecycleConfiguration s3:GetMetricsConfiguration s3:GetReplicationConfiguration "
        "s3:ListBucket s3:PutBucketCORS s3:PutBucketNotification s3:PutBucketObjectLockConfiguration s3:PutBucketOwnershipControls s3:PutBucketPublicAccessBlock s3:PutBucketTagging "
        "s3:PutBucketVersioning s3:PutEncryptionConfiguration s3:PutLifecycleConfiguration"),
    "AWS::S3::BucketPolicy": (BUCKET, "s3:DeleteBucketPolicy s3:GetBucketPolicy s3:PutBucketPolicy"),
    "AWS::SQS::Queue": (of_stack("sqs", ""), "sqs:CreateQueue sqs:DeleteQueue sqs:GetQueueAttributes sqs:GetQueueUrl sqs:ListQueueTags sqs:SetQueueAttributes sqs:TagQueue sqs:UntagQueue"),
    "AWS::Scheduler::Schedule": (of_stack("scheduler", "schedule/default/"), "scheduler:CreateSchedule scheduler:DeleteSchedule scheduler:GetSchedule scheduler:UpdateSchedule"),
    "AWS::SecretsManager::Secret": ([arn("secretsmanager", "secret:MediaModelSecret-*"), arn("secretsmanager", "secret:OpenIdSecret-*")],
        "secretsmanager:CreateSecret secretsmanager:DeleteSecret secretsmanager:DescribeSecret secretsmanager:TagResource secretsmanager:UntagResource secretsmanager:UpdateSecret"),
}

# What `make deploy`, `sam` and the smoke test call themselves, and what has no resource of its own.
STEPS = {
    "change sets of the stack": ([arn("cloudformation", f"stack/{STACK}/*"), "arn:${AWS::Partition}:cloudformation:${AWS::Region}:aws:transform/Serverless-2016-10-31"],
        "cloudformation:CreateChangeSet cloudformation:DeleteChangeSet cloudformation:DescribeChangeSet cloudformation:DescribeStackEvents cloudformation:DescribeStacks "
        "cloudformation:ExecuteChangeSet cloudformation:GetTemplate cloudformation:ListStackResources cloudformation:UpdateTerminationProtection"),
    "the bucket of SAM": ([arn("cloudformation", "stack/aws-sam-cli-managed-default/*")],
        "cloudformation:CreateChangeSet cloudformation:DescribeChangeSet cloudformation:DescribeStackEvents cloudformation:DescribeStacks cloudformation:ExecuteChangeSet"),
    "its settings": ("arn:${AWS::Partition}:s3:::aws-sam-cli-managed-default-*", "s3:CreateBucket s3:GetBucketLocation s3:GetBucketPolicy s3:ListBucket s3:PutBucketPolicy "
        "s3:PutBucketPublicAccessBlock s3:PutBucketTagging s3:PutBucketVersioning s3:PutEncryptionConfiguration"),
    "its objects, below the s3_prefix of samconfig.toml": (f"arn:${{AWS::Partition}}:s3:::aws-sam-cli-managed-default-*/{STACK}/*", "s3:GetObject s3:PutObject"),
    "checks, which have no resource": ("*", "bedrock:GetFoundationModelAvailability cloudformation:DescribeType cloudformation:GetTemplateSummary lambda:GetAccountSettings logs:CreateLogDelivery "
        "logs:DeleteLogDelivery logs:DescribeLogGroups logs:DescribeResourcePolicies logs:GetLogDelivery logs:ListLogDeliveries logs:PutResourcePolicy logs:UpdateLogDelivery ses:GetAccount "
        "sts:GetCallerIdentity"),
    "the first domain": (arn("iam", "role/aws-service-role/ops.apigateway.amazonaws.com/*", region=""), "iam:CreateServiceLinkedRole"),
    "the sender": (arn("ses", "identity/*"), "ses:GetEmailIdentity"),
    "old versions": (FUNCTION, "lambda:GetFunctionConcurrency lambda:ListAliases"),
    "the smoke test, in tables": ([TABLE, f"{TABLE}/index/*"], "dynamodb:BatchGetItem dynamodb:BatchWriteItem dynamodb:ConditionCheckItem dynamodb:DeleteItem dynamodb:GetItem dynamodb:PutItem "
        "dynamodb:Query dynamodb:Scan dynamodb:UpdateItem"),
    "the smoke test, in buckets": (f"{BUCKET}/*", "s3:DeleteObject s3:GetObject s3:PutObject"),
}

HEAD = """# Written by .ci/deploy_role.py. A role with which `make deploy` works from GitHub, for one stack. See docs/operations.md.
AWSTemplateFormatVersion: "2010-09-09"
Description: The role that deploys a stack of Portside from GitHub.
Parameters:
  StackName:
    Type: String
    AllowedPattern: "[a-z][a-z0-9-]{1,20}" # names of buckets begin with it
    Description: Name of the stack in samconfig.toml, such as portside-staging.
  Subject:
    Type: String
    Description: Whom GitHub's token must name, such as repo:acme/portside:environment:staging.
  CreateProvider:
    Type: String
    Default: "true"
    AllowedValues: ["true", "false"]
    Description: Whether the stack creates the identity provider of GitHub. An account can have only one.
Conditions:
  CreatesProvider: !Equals [!Ref CreateProvider, "true"]
Resources:
  GitHub:
    Type: AWS::IAM::OIDCProvider
    Condition: CreatesProvider
    Properties: { Url: "https://token.actions.githubusercontent.com", ClientIdList: [sts.amazonaws.com] }
  DeployRole:
    Type: AWS::IAM::Role
    Properties:
      MaxSessionDuration: 5400
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Effect: Allow
            Action: sts:AssumeRoleWithWebIdentity
            Principal: { Federated: !Sub "arn:${AWS::Partition}:iam::${AWS::AccountId}:oidc-provider/token.actions.githubusercontent.com" }
            Condition:
              StringEquals:
                token.actions.githubusercontent.com:aud: sts.amazonaws.com
                token.actions.githubusercontent.com:sub: !Ref Subject
"""
TAIL = """Outputs:
  DeployRole:
    Description: ARN of the role, the variable DEPLOY_ROLE of the environment in GitHub.
    Value: !GetAtt DeployRole.Arn
"""
MAX_POLICY = 6000  # characters of a managed policy, of which IAM accepts 6,144


def statements():
    """Returns the actions for each list of resources."""
    grouped = {}
    for resources, actions in [*TYPES.values(), *STEPS.values()]:
        key = tuple(resources) if isinstance(resources, list) else (resources,)
        grouped.setdefault(key, set()).update(actions.split())
    return sorted((sorted(actions), list(resources)) for resources, actions in grouped.items())


def policies():
    """Returns the statements in as many policies as IAM's limit of the size needs. The name of a stack has at most 9 characters more than its placeholder."""
    parts, size = [[]], 0
    for statement in statements():
        length = sum(len(text) + 20 for text in statement[0] + statement[1]) + 60
        if size + length > MAX_POLICY:
            parts, size = [*parts, []], 0
        parts[-1].append(statement)
        size += length
    return parts


def document():
    lines = [HEAD]
    for number, part in enumerate(policies(), 1):
        lines.append(f"  DeployPolicy{number}:\n    Type: AWS::IAM::ManagedPolicy\n    Properties:\n      Roles: [!Ref DeployRole]\n"
                     '      PolicyDocument:\n        Version: "2012-10-17"\n        Statement:\n')
        for actions, resources in part:
            lines.append("          - Effect: Allow\n            Action:\n" + "".join(f"              - {action}\n" for action in actions))
            lines.append("            Resource:\n" + "".join(f'              - !Sub "{r}"\n' if "$" in r else f'              - "{r}"\n' for r in resources))
    return "".join([*lines, TAIL])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        FILE.write_text(document())
    elif not FILE.exists() or FILE.read_text() != document():
        raise SystemExit(".github/deploy-role.yaml is not what .ci/deploy_role.py writes: run `python3 .ci/deploy_role.py --update`")
