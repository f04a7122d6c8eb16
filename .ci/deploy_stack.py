"""The calls of AWS that a deployment makes besides those of the SAM CLI."""

import os
import re
import subprocess

import boto3
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, WaiterError

from deploy_checks import ROOT, Problem, check_concurrency, check_model, mail_identities, models_of, say, superfluous_versions, table_suffix, unfinished

def commit():
    return subprocess.run(["make", "-s", "commit"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


class Stack:
    """A CloudFormation stack, with the parameters of its next deployment."""

    def __init__(self, config, parameters):
        self.config, self.parameters, self.name = config, parameters, config["stack_name"]
        self.session = boto3.Session(region_name=config["region"])
        self.cloudformation = self.session.client("cloudformation")

    def describe(self):
        try:
            return self.cloudformation.describe_stacks(StackName=self.name)["Stacks"][0]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise

    def exists(self):
        found = self.describe()
        return found is not None and found["StackStatus"] != "REVIEW_IN_PROGRESS"

    def outputs(self):
        return {output["OutputKey"]: output["OutputValue"] for output in self.describe().get("Outputs", [])}

    def check(self, reserved):
        """Fails if the account or the stack is not ready. It changes nothing."""
        try:
            caller = self.session.client("sts").get_caller_identity()
            say(f"== account {caller['Account']}, as {caller['Arn']}")
            self.check_status()
            self.check_concurrency(reserved)
            self.check_mail()
            self.check_models()
            self.check_budget()
            self.check_backup_bucket()
        except ConnectionError as error:
            raise Problem(f"AWS does not answer: {error}: check the network and the region in samconfig.toml") from None
        except (BotoCoreError, ClientError) as error:
            raise Problem(f"AWS: {error}: check AWS_PROFILE and the permissions of the role") from None
        if self.exists():
            self.portside("check-layout", *table_suffix(self.parameters))

    def check_status(self):
        stack = self.describe()
        if problem := unfinished(self.name, (stack or {}).get("StackStatus", "")):
            raise Problem(problem)
        if stack and not stack.get("EnableTerminationProtection"):
            say(f"note: anybody with the permission can delete the stack by one command. To protect it, run `aws cloudformation update-termination-protection "
                f"--enable-termination-protection --stack-name {self.name}`")

    def check_concurrency(self, reserved):
        client = self.session.client("lambda")
        held = sum(client.get_function_concurrency(FunctionName=name).get("ReservedConcurrentExecutions", 0) for name in self.functions())
        check_concurrency(client.get_account_settings()["AccountLimit"], held, reserved)

    def functions(self):
        """Returns the names of the functions of the stack, none if it does not exist."""
        if not self.exists():
            return []
        pages = self.cloudformation.get_paginator("list_stack_resources").paginate(StackName=self.name)
        resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
        return [r["PhysicalResourceId"] for r in resources if r["ResourceType"] == "AWS::Lambda::Function" and r["ResourceStatus"] != "DELETE_COMPLETE"]

    def check_mail(self):
        client = self.session.client("sesv2")
        if not any(self.is_verified(client, name) for name in mail_identities(self.parameters["MailFrom"])):
            raise Problem(f"MailFrom: neither {self.parameters['MailFrom']} nor its domain is a verified identity of Amazon SES "
                          f"in {self.config['region']}")
        if not client.get_account()["ProductionAccessEnabled"]:
            say("note: Amazon SES is in the sandbox, so it sends mail only to verified addresses")

    def check_models(self):
        """Models of third parties need an agreement with AWS Marketplace, which an operator accepts once, and not the functions."""
        client = self.session.client("bedrock")
        for model in models_of(self.parameters):
            try:
                found = client.get_foundation_model_availability(modelId=model)
            except client.exceptions.ResourceNotFoundException:
                raise Problem(f"Amazon Bedrock has no model {model} in {self.config['region']}") from None
            check_model(model, found)

    def check_budget(self):
        if int(self.parameters.get("MonthlyBudget", "0")) == 0:
            return
        try:
            self.cloudformation.describe_type(Type="RESOURCE", TypeName="AWS::Budgets::Budget")
        except self.cloudformation.exceptions.TypeNotFoundException:
            raise Problem(f"CloudFormation has no budgets in {self.config['region']}: set MonthlyBudget to 0, and create a budget in the console") from None

    def check_backup_bucket(self):
        """The deployment itself does not need the bucket, and may have no permission to see it."""
        bucket = self.parameters.get("BackupBucket")
        try:
            if bucket:
                self.session.client("s3").head_bucket(Bucket=bucket)
        except ClientError as error:
            if error.response["Error"]["Code"] == "404":
                raise Problem(f"BackupBucket: there is no bucket {bucket}: create it first (docs/operations.md, Copies in another account or region)") from None

    @staticmethod
    def is_verified(client, identity):
        try:
            return client.get_email_identity(EmailIdentity=identity)["VerifiedForSendingStatus"]
        except client.exceptions.NotFoundException:
            return False

    def changes(self, change_set):
        pages = self.cloudformation.get_paginator("describe_change_set").paginate(ChangeSetName=change_set)
        return [change for page in pages for change in page["Changes"]]

    def execute(self, change_set):
        is_new = not self.exists()
        kind = "stack_create_complete" if is_new else "stack_update_complete"
        before = {event["EventId"] for event in self.events()}
        say("== deploy; a gradual deployment takes at least five minutes")
        self.cloudformation.execute_change_set(ChangeSetName=change_set)
        try:
            self.cloudformation.get_waiter(kind).wait(StackName=self.name, WaiterConfig={"Delay": 10, "MaxAttempts": 360})
        except WaiterError:
            for event in reversed(self.events()):
                if event["EventId"] not in before and event["ResourceStatus"].endswith("FAILED"):
                    say(f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', event['ResourceStatus'])}")
            raise Problem(f"the deployment failed; the stack is in the state {self.describe()['StackStatus']}") from None
        if is_new:  # and not before, because a stack whose creation failed must be deleted
            self.cloudformation.update_termination_protection(StackName=self.name, EnableTerminationProtection=True)
            say("== the termination protection of the stack is on (docs/operations.md, Deleting a stack)")

    def delete_old_versions(self):
        """Deletes versions of the functions that no alias uses, except the newest. CloudFormation deletes none, and their code counts for a quota."""
        client, deleted = self.session.client("lambda"), 0
        try:
            for name in self.functions():
                versions = [v for page in client.get_paginator("list_versions_by_function").paginate(FunctionName=name) for v in page["Versions"]]
                aliases = [a for page in client.get_paginator("list_aliases").paginate(FunctionName=name) for a in page["Aliases"]]
                for version in superfluous_versions(versions, aliases):
                    client.delete_function(FunctionName=name, Qualifier=version)
                    deleted += 1
        except (BotoCoreError, ClientError) as error:  # the next deployment tries again
            say(f"note: the deployment is complete, but old versions of functions are left: {error}")
        say(f"== {deleted} old versions of functions deleted")

    def events(self):
        try:
            pages = self.cloudformation.get_paginator("describe_stack_events").paginate(StackName=self.name)
            return [event for page in pages for event in page["StackEvents"]]
        except ClientError:
            return []

    def smoke_test(self, is_new, head_file):
        """Runs the smoke test. The file keeps the head of the audit log until the next one, where nobody in the account can change it."""
        say("== smoke test")
        if is_new:
            say("note: the service has no admin yet: create the first one with `portside bootstrap` (docs/operations.md, The first admin), "
                "then deploy again, which runs the smoke test")
            return
        probe = os.environ.get("PROBE_REPOSITORY", "")
        self.portside("smoke-test", "--url", self.parameters["BaseUrl"] or self.outputs()["ApiUrl"], "--image-repository", probe,
                      "--commit", commit(), "--head-file", str(head_file))

    def portside(self, *arguments):
        """Runs the operator's command on the tables and buckets of the stack."""
        variables = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper(): value for name, value in self.outputs().items()}
        settings = os.environ | variables | {"AWS_REGION": self.config["region"]}
        command = ["go", "run", "./cmd/portside", *arguments]
        if subprocess.run(command, cwd=ROOT, env=settings).returncode:
            raise Problem(f"`portside {arguments[0]}` failed on {self.name}")
