"""Tests of the decisions of a deployment."""

import contextlib
import copy
import io
import json
import logging
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib
import types
import unittest
import unittest.mock
import zipfile

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")  # the transform asks boto3 for a region, and makes no call

import botocore.session  # noqa: E402
import deploy  # noqa: E402
import deploy_role  # noqa: E402
from botocore import xform_name  # noqa: E402
from botocore.exceptions import ClientError, WaiterError  # noqa: E402
from deploy_checks import KEPT_VERSIONS, ROOT, Problem, check_concurrency, check_model, check_numbers, check_places, dangers, environment, fingerprint, mail_identities, models_of, parameters_of, reserved_concurrency, stamp, table_suffix, unfinished  # noqa: E402
from deploy_rules import RULES, problems_of  # noqa: E402
from deploy_stack import Stack  # noqa: E402
from samcli.lib.package.artifact_exporter import Template  # noqa: E402
from samcli.lib.package.uploaders import Uploaders  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402
from transformed import PARAMETERS, NoManagedPolicies, transformed  # noqa: E402

COMPLETE = "BaseUrl: https://portal.acme.test\nMailFrom: no-reply@acme.test\nImageRepositories: acme/*\nCorsAllowOrigins: https://portal.acme.test\n"

logging.disable(logging.WARNING)  # of the transform, about settings that only AWS has


class Parameters(unittest.TestCase):
    def read(self, text, shared=()):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "staging.yaml"
            path.write_text(text)
            return parameters_of(shared, path)

    def test_settings_replace_shared_parameters(self):
        found = self.read(COMPLETE + "LogRetentionDays: 90\nProtectTables: true\n", ["LogRetentionDays=14", "GradualDeployment=true"])
        self.assertEqual("90", found["LogRetentionDays"])
        self.assertEqual("true", found["ProtectTables"])
        self.assertEqual("true", found["GradualDeployment"])

    def test_values_are_taken_as_they_are_written(self):
        found = self.read(COMPLETE + "A: 0755\nB: 12:30:00\nC: 1_000\nD: yes\nE: False\nF: ''\nG:\n")
        self.assertEqual({"A": "0755", "B": "12:30:00", "C": "1_000", "D": "true", "E": "false", "F": ""},
                         {name: value for name, value in found.items() if len(name) == 1})

    def test_numbers_are_whole(self):
        template = yaml_parse((ROOT / "template.yaml").read_text())
        check_numbers(template, {"RateLimitPerMinute": "100", "BaseUrl": "https://a.test"})
        for value in "5.5", "1e3", "+5", "9" * 20, "5\n":
            with self.subTest(value), self.assertRaisesRegex(Problem, "'RateLimitPerMinute' is invalid"):
                check_numbers(template, {"RateLimitPerMinute": value})

    def test_existing_tables_are_checked_by_their_suffix(self):
        self.assertEqual([], table_suffix(self.read(COMPLETE + "TableSuffix: -r1\n")))
        self.assertEqual(["--table-suffix=-r1"], table_suffix(self.read(COMPLETE + "TableSuffix: -r1\nCreateTables: false\n")))
        self.assertEqual(["--table-suffix="], table_suffix(self.read(COMPLETE + "CreateTables: false\n")))

    def test_problems_name_the_parameter(self):
        for text, want in {
            "": "BaseUrl, MailFrom, ImageRepositories, CorsAllowOrigins",
            COMPLETE.replace("MailFrom", "MailSender"): "set MailFrom",
            COMPLETE.replace("https", "http"): "BaseUrl must begin with https://",
            (ROOT / "settings" / "example.yaml").read_text(): "values of the example",
            "- BaseUrl": "one parameter per line",
            COMPLETE + "LogRetentionDays: [14]": "one parameter per line",
            COMPLETE + "MailFrom: no-reply@other.test\n": "sets MailFrom more than once",
            COMPLETE.replace("acme/*", "*"): r"is not YAML, line 3.*quotes around values",
            COMPLETE + "LogRetentionDays: [": "is not YAML",
        }.items():
            with self.subTest(text), self.assertRaisesRegex(Problem, want):
                self.read(text)

    def test_origins_are_those_that_browsers_send(self):
        rest, _, good = COMPLETE.strip().rpartition("CorsAllowOrigins: ")
        for value in good, '"*"', "https://*", "http://[::1]:3000", "https://a.acme.test,http://localhost:3000", '"https://a.acme.test, https://b.acme.test"':
            self.read(rest + "CorsAllowOrigins: " + value)
        for value in "acme.test", "https://acme.test/", "https://acme.test/app", "https://Acme.test", "https://a.acme.test,b.acme.test", "https://*.acme.test":
            with self.subTest(value), self.assertRaisesRegex(Problem, "is no origin"):
                self.read(rest + "CorsAllowOrigins: " + value)

    def test_problems_of_values_name_the_settings(self):
        for parameters, want in ({"Foo": "1"}, "^x.yaml: the template has no"), ({"RateLimitPerMinute": "lots"}, "^x.yaml: the value"):
            with self.subTest(want), self.assertRaisesRegex(Problem, want):
                deploy.check_template(self.read(COMPLETE) | parameters, "x.yaml")

    def test_problems_show_no_keys(self):
        for text in "MediaModelKey: [s3cret\n", "\tMediaModelKey: s3cret\n", "MediaModelKey: \0s3cret\n", "---\nMediaModelKey: s3cret\n":
            with self.subTest(text), self.assertRaisesRegex(Problem, "is not YAML") as raised:
                self.read(COMPLETE + text)
            self.assertNotIn("s3cret", str(raised.exception))

    def test_other_encodings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.yaml"
            path.write_text(COMPLETE, encoding="utf-8-sig")  # as some editors save it
            self.assertIn("BaseUrl", parameters_of([], path))
            path.write_text(COMPLETE, encoding="utf-16")
            with self.assertRaisesRegex(Problem, "cannot be read"):
                parameters_of([], path)

    def test_another_region_or_host(self):
        topic = {"BaseUrl": "", "AlarmTopicArn": "arn:aws:sns:eu-west-1:123456789012:x"}
        check_places(topic, "eu-west-1")
        with self.assertRaisesRegex(Problem, "AlarmTopicArn is in eu-west-1"):
            check_places(topic, "us-east-1")
        check_places({"BaseUrl": "https://a.test", "DomainName": "a.test"}, "us-east-1")
        with self.assertRaisesRegex(Problem, "set BaseUrl to https://b.test"):
            check_places({"BaseUrl": "https://a.test", "DomainName": "b.test"}, "us-east-1")

    def test_an_incomplete_environment(self):
        with self.assertRaisesRegex(Problem, "set stack_name"):
            environment({"staging": {"deploy": {"parameters": {}}}}, "staging")
        with self.assertRaisesRegex(Problem, "must be a list"):
            parameters_of("LogRetentionDays=14 BaseUrl=x", pathlib.Path("settings/example.yaml"))

    def test_a_missing_file_and_an_unknown_environment(self):
        with self.assertRaisesRegex(Problem, "copy settings/example.yaml"):
            parameters_of([], pathlib.Path("settings/none.yaml"))
        with self.assertRaisesRegex(Problem, "cannot be read"):
            parameters_of([], ROOT / "settings")
        with self.assertRaisesRegex(Problem, "it has staging, production"):
            environment({"version": 0.1, "staging": {}, "production": {}}, "stagin")


class PlainSAM(unittest.TestCase):
    def test_sam_deploy_refuses_at_once_and_names_make_deploy(self):
        sam = pathlib.Path(sys.executable).with_name("sam")
        config = tomllib.loads((ROOT / "samconfig.toml").read_text())
        for env in (name for name in config if name != "version"):
            with self.subTest(env):
                done = subprocess.run([sam, "deploy", "--guided", "--config-env", env], cwd=ROOT, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                                      env=os.environ | {"SAM_CLI_TELEMETRY": "0"})
                self.assertEqual(1, done.returncode)
                self.assertIn(f"deploy with `make deploy ENV={env}`", done.stderr)
                self.assertEqual("", done.stdout)


class Versions(unittest.TestCase):
    def versions(self, parameters):
        text = (ROOT / "template.yaml").read_text()
        template = yaml_parse(text)
        template["Globals"]["Function"]["CodeUri"] = "s3://bucket/key"
        stamp(template, fingerprint(text, parameters))
        resources = transform(template, {}, NoManagedPolicies())["Resources"]
        return {name for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Version"}

    def test_a_new_parameter_publishes_every_function(self):
        before = self.versions({"BaseUrl": "https://a.test"})
        self.assertTrue(before)
        self.assertEqual(before, self.versions({"BaseUrl": "https://a.test", "ProtectTables": "true"}))
        self.assertFalse(before & self.versions({"BaseUrl": "https://b.test"}))


class Packages(unittest.TestCase):
    """Packages as `make release` writes them, of functions that are one line each."""

    @classmethod
    def setUpClass(cls):
        cls.template = yaml_parse((ROOT / "template.yaml").read_text())
        cls.functions = [name for name, resource in cls.template["Resources"].items() if resource["Type"] == "AWS::Serverless::Function"]
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        release = pathlib.Path(cls.folder.name)
        (release / "portside.cdx.json").write_text("{}")
        for name in cls.functions:
            (release / name).mkdir()
            (release / name / "bootstrap").write_text(name)
        subprocess.run(["go", "run", "./cmd/package", "-release", str(release)], cwd=ROOT, check=True, capture_output=True)
        (cls.package,) = release.glob("portside-*.zip")

    def unpacked(self, package):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "package" / "template.yaml"
        with unittest.mock.patch.multiple(deploy, UNPACKED=path, say=lambda text: None):
            deploy.unpack(package)
        return path

    def test_sam_uploads_the_archives_as_they_are(self):
        uploaded = {}

        class Uploader:
            bucket_name, prefix = "bucket", None

            def upload_with_dedup(self, path, *_args, **_kwargs):
                with zipfile.ZipFile(path) as archive:
                    uploaded[pathlib.Path(path).name] = archive.read("bootstrap").decode()
                return f"s3://bucket/{pathlib.Path(path).name}"

        class Signer:
            def should_sign_package(self, *_):
                return False

        path = self.unpacked(self.package)
        exported = Template(str(path), str(path.parent), Uploaders(Uploader(), None), Signer()).export()
        self.assertEqual({f"{name}.zip": name for name in self.functions}, uploaded)
        for name in self.functions:
            self.assertEqual(f"s3://bucket/{name}.zip", exported["Resources"][name]["Properties"]["CodeUri"])

    def test_a_stack_of_the_package_is_the_stack_of_the_sources(self):
        def stack(template):
            for resource in template["Resources"].values():
                if resource["Type"] == "AWS::Serverless::Function":
                    resource["Properties"]["CodeUri"] = "s3://bucket/key"
            return transform(template, PARAMETERS, NoManagedPolicies())

        built, packaged = stack(copy.deepcopy(self.template)), stack(yaml_parse(self.unpacked(self.package).read_text()))
        for resource in built["Resources"].values():
            if resource.get("Metadata") == {"BuildMethod": "makefile"}:
                del resource["Metadata"]
        self.assertEqual(built["Resources"].keys(), packaged["Resources"].keys())
        self.assertEqual([], [name for name, resource in built["Resources"].items() if resource != packaged["Resources"][name]])
        self.assertTrue(built == packaged)  # without the difference, which takes minutes to write

    def test_other_packages_are_refused(self):
        def changed(change):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            path = pathlib.Path(folder.name) / "package.zip"
            with zipfile.ZipFile(self.package) as old, zipfile.ZipFile(path, "w") as new:
                for name in old.namelist():
                    content = change(name, old.read(name))
                    if content is not None:
                        new.writestr(name, content)
            return path

        broken = pathlib.Path(self.folder.name) / "broken.zip"
        broken.write_text("PK")
        for package, want in [
            (changed(lambda name, content: content.replace(b"MemorySize: 256", b"MemorySize: 128")), "made from another template.yaml"),
            (changed(lambda name, content: content if name != "UsersFunction.zip" else None), "no code of UsersFunction"),
            (changed(lambda name, content: content if name != "template.yaml" else None), "not a package of `make release`"),
            (broken, "not a package of `make release`"),
            (ROOT / "none.zip", "not a package of `make release`"),
        ]:
            with self.subTest(want), self.assertRaisesRegex(Problem, want):
                self.unpacked(package)

    def test_a_package_is_deployed_with_the_fingerprint_of_the_parameters(self):
        path = pathlib.Path(self.folder.name) / "deployed" / "template.yaml"
        options = deploy.parse(["staging", "--package", str(self.package)])
        with unittest.mock.patch.multiple(deploy, UNPACKED=path, say=lambda text: None, build=None):
            self.assertEqual(path, deploy.prepare("sam", {}, options, {"BaseUrl": "https://a.test"}))
        mark = yaml_parse(path.read_text())["Globals"]["Function"]["Environment"]["Variables"]["DEPLOYMENT"]
        self.assertEqual(fingerprint((ROOT / "template.yaml").read_text(), {"BaseUrl": "https://a.test"}), mark)


class Changes(unittest.TestCase):
    @staticmethod
    def change(action, kind, replacement=None):
        change = {"Action": action, "ResourceType": kind, "LogicalResourceId": "X"}
        return {"Type": "Resource", "ResourceChange": change | ({"Replacement": replacement} if replacement else {})}

    def test_only_lost_tables_and_buckets_are_dangerous(self):
        table, bucket, function = "AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::Lambda::Function"
        for change, want in [
            (self.change("Add", table), []),
            (self.change("Modify", table, "False"), []),
            (self.change("Modify", table, "True"), ["X: replacement"]),
            (self.change("Modify", bucket, "Conditional"), ["X: replacement"]),
            (self.change("Remove", bucket), ["X: removal"]),
            (self.change("Remove", function), []),
            (self.change("Modify", function, "True"), []),
        ]:
            with self.subTest(change):
                self.assertEqual(want, dangers([change]))


class Account(unittest.TestCase):
    def test_identities_and_quotas(self):
        self.assertEqual(["a@mail.acme.test", "mail.acme.test", "acme.test"], mail_identities("a@mail.acme.test"))
        functions = {name: {"Properties": {"ReservedConcurrentExecutions": n}} for name, n in {"A": 50, "B": {"Ref": "N"}, "C": {"Ref": "M"}}.items()}
        template = {"Parameters": {"N": {"Default": 20}, "M": {"Default": 3}}, "Resources": functions | {"D": {"Properties": {}}}}
        self.assertEqual(50 + 7 + 3, reserved_concurrency(template, {"N": "7"}))

    def test_the_account_keeps_unreserved_concurrency(self):
        for total, unreserved, held, missing in [
            (1000, 1000, 0, 0),
            (186, 186, 0, 0),
            (185, 185, 0, 1),
            (10, 10, 0, 176),
            (1000, 150, 0, 36),  # others have reserved 850
            (1000, 100, 86, 0),  # the stack itself has reserved all of it
            (1000, 100, 80, 6),
        ]:
            limits = {"ConcurrentExecutions": total, "UnreservedConcurrentExecutions": unreserved}
            with self.subTest(limits, held=held):
                if missing:
                    with self.assertRaisesRegex(Problem, f"reserves {86 - held} more.*at least {total + missing} "):
                        check_concurrency(limits, held, 86)
                else:
                    check_concurrency(limits, held, 86)

    def test_models_need_access(self):
        self.assertEqual([], models_of({"MediaEngine": "openai", "MediaModel": "m"}))
        self.assertEqual(["anthropic.claude-x", "amazon.nova-y"],
                         models_of({"MediaEngine": "bedrock", "MediaModel": "eu.anthropic.claude-x", "MediaVisionModel": "amazon.nova-y"}))
        self.assertEqual([], models_of({"MediaEngine": "bedrock", "MediaModel": "arn:aws:bedrock:eu-central-1:1:application-inference-profile/x"}))
        usable = {"regionAvailability": "AVAILABLE", "authorizationStatus": "AUTHORIZED", "entitlementAvailability": "AVAILABLE"}
        check_model("m", usable)
        for part in usable:
            with self.subTest(part), self.assertRaisesRegex(Problem, f"cannot use the model m .{part}: NO"):
                check_model("m", usable | {part: "NO"})

    def test_states_of_the_stack(self):
        for status in "", "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS":
            self.assertEqual("", unfinished("portside", status))
        self.assertIn("delete-stack", unfinished("portside", "ROLLBACK_COMPLETE"))
        for status in "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED":
            self.assertIn(status, unfinished("portside", status))


class FakeLambda:
    """The versions and aliases of functions in memory. Like Lambda, it refuses to delete a version that an alias uses, and the whole function."""

    def __init__(self, functions):
        self.functions = functions

    def get_paginator(self, operation):
        key = {"list_versions_by_function": "Versions", "list_aliases": "Aliases"}[operation]
        return types.SimpleNamespace(paginate=lambda FunctionName: [{key: [entry]} for entry in self.functions[FunctionName][key]])

    def delete_function(self, FunctionName, Qualifier):
        function = self.functions[FunctionName]
        if not Qualifier.isdigit() or any(Qualifier in versions_of(alias) for alias in function["Aliases"]):
            raise AssertionError(f"deletes {FunctionName} {Qualifier}")
        function["Versions"] = [v for v in function["Versions"] if v["Version"] != Qualifier]


def versions_of(alias):
    return {alias["FunctionVersion"], *alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {})}


class OldVersions(unittest.TestCase):
    @staticmethod
    def clean(functions):
        stack = object.__new__(Stack)  # without the clients of AWS, whose creation takes long
        stack.session, stack.functions = types.SimpleNamespace(client=lambda name: FakeLambda(functions)), lambda: list(functions)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            stack.delete_old_versions()
        return output.getvalue()

    def test_an_alias_and_the_newest_keep_their_versions(self):
        random_numbers = random.Random(1)
        for _ in range(500):
            numbers = random_numbers.sample(range(1, 130), random_numbers.randrange(1, 40))  # 100 is newer than 99
            aliases = [{"FunctionVersion": str(random_numbers.choice(numbers))} for _ in range(random_numbers.randrange(3))]
            if aliases and random_numbers.random() < .5:
                aliases[0]["RoutingConfig"] = {"AdditionalVersionWeights": {str(random_numbers.choice(numbers)): .1}}
            function = {"Aliases": aliases, "Versions": [{"Version": "$LATEST"}, *({"Version": str(n)} for n in numbers)]}
            used = {int(version) for alias in aliases for version in versions_of(alias)}
            newest = sorted(set(numbers) - used)[-KEPT_VERSIONS:]
            with self.subTest(numbers=numbers, aliases=aliases):
                self.clean({"A": function})
                self.assertEqual({"$LATEST", *map(str, used | set(newest))}, {v["Version"] for v in function["Versions"]})

    def test_all_functions_are_cleaned_and_counted(self):
        functions = {name: {"Aliases": [{"FunctionVersion": "9"}], "Versions": [{"Version": str(n)} for n in range(1, 10)]} for name in "AB"}
        self.assertIn("10 old versions", self.clean(functions))
        self.assertIn("0 old versions", self.clean(functions))

    def test_a_deployment_without_the_permission_is_complete(self):
        def denied(self, FunctionName, Qualifier):
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "DeleteFunction")

        functions = {"A": {"Aliases": [], "Versions": [{"Version": str(n)} for n in range(9)]}}
        with unittest.mock.patch.object(FakeLambda, "delete_function", denied):
            self.assertRegex(self.clean(functions), "deployment is complete.*AccessDenied")


class FakeCloudFormation:
    """A stack in memory, whose change set succeeds or fails."""

    def __init__(self, stack, succeeds=True):
        self.stack, self.succeeds = stack, succeeds

    def describe_stacks(self, StackName):
        if self.stack is None:
            raise ClientError({"Error": {"Code": "ValidationError", "Message": f"Stack with id {StackName} does not exist"}}, "DescribeStacks")
        return {"Stacks": [self.stack]}

    def execute_change_set(self, ChangeSetName):
        self.stack |= {"StackStatus": "UPDATE_COMPLETE" if self.succeeds else "ROLLBACK_COMPLETE"}

    def get_waiter(self, kind):
        def wait(StackName, WaiterConfig):
            if not self.succeeds:
                raise WaiterError(kind, "failed", {})

        return types.SimpleNamespace(wait=wait)

    def get_paginator(self, operation):
        return types.SimpleNamespace(paginate=lambda StackName: [{"StackEvents": []}])

    def update_termination_protection(self, StackName, EnableTerminationProtection):
        self.stack["EnableTerminationProtection"] = EnableTerminationProtection


class TerminationProtection(unittest.TestCase):
    @staticmethod
    def stack(*arguments):
        stack = object.__new__(Stack)
        stack.name, stack.cloudformation = "portside-test", FakeCloudFormation(*arguments)
        return stack

    def test_only_a_new_stack_that_is_complete_gets_it(self):
        for before, succeeds, protected in [
            ("REVIEW_IN_PROGRESS", True, True),
            ("REVIEW_IN_PROGRESS", False, None),  # the operator must delete it
            ("UPDATE_COMPLETE", True, None),  # the operator has turned it off
        ]:
            with self.subTest(before, succeeds=succeeds), contextlib.redirect_stdout(io.StringIO()):
                stack = self.stack({"StackStatus": before}, succeeds)
                with contextlib.nullcontext() if succeeds else self.assertRaises(Problem):
                    stack.execute("arn:change-set")
                self.assertEqual(protected, stack.describe().get("EnableTerminationProtection"))

    def test_a_stack_without_it_gets_a_note(self):
        for stack, noted in [(None, False), ({"StackStatus": "UPDATE_COMPLETE"}, True),
                             ({"StackStatus": "UPDATE_COMPLETE", "EnableTerminationProtection": True}, False)]:
            with self.subTest(stack), contextlib.redirect_stdout(io.StringIO()) as output:
                self.stack(stack).check_status()
                self.assertEqual(noted, "--enable-termination-protection --stack-name portside-test" in output.getvalue())


class BackupBucket(unittest.TestCase):
    def test_a_missing_bucket_is_named(self):
        stack, answers = object.__new__(Stack), {"here": None, "hidden": "403", "missing": "404"}

        def head_bucket(Bucket):
            if answers[Bucket]:
                raise ClientError({"Error": {"Code": answers[Bucket], "Message": ""}}, "HeadBucket")

        stack.session = types.SimpleNamespace(client=lambda name: types.SimpleNamespace(head_bucket=head_bucket))
        for parameters in {}, {"BackupBucket": ""}, {"BackupBucket": "here"}, {"BackupBucket": "hidden"}:
            stack.parameters = parameters
            stack.check_backup_bucket()
        stack.parameters = {"BackupBucket": "missing"}
        with self.assertRaisesRegex(Problem, "no bucket missing: create it first"):
            stack.check_backup_bucket()


class Budget(unittest.TestCase):
    def test_a_region_without_budgets_is_named(self):
        class TypeNotFound(Exception):
            pass

        def describe_type(Type, TypeName):
            self.assertEqual("AWS::Budgets::Budget", TypeName)
            raise TypeNotFound

        stack = object.__new__(Stack)
        stack.config = {"region": "eu-north-1"}
        exceptions = types.SimpleNamespace(TypeNotFoundException=TypeNotFound)
        for parameters in {}, {"MonthlyBudget": "0"}:
            stack.parameters = parameters
            stack.check_budget()
        stack.parameters = {"MonthlyBudget": "50"}
        stack.cloudformation = types.SimpleNamespace(describe_type=lambda Type, TypeName: {}, exceptions=exceptions)
        stack.check_budget()
        stack.cloudformation.describe_type = describe_type
        with self.assertRaisesRegex(Problem, "no budgets in eu-north-1: set MonthlyBudget to 0"):
            stack.check_budget()


class Rules(unittest.TestCase):
    """Each rule finds a template that breaks it, and the documentation lists the rules."""

    @classmethod
    def setUpClass(cls):
        cls.template = transformed()["Resources"]

    def broken(self, change):
        resources = copy.deepcopy(self.template)
        change(resources)
        return problems_of(resources)

    def test_template_keeps_the_rules(self):
        self.assertEqual([], problems_of(self.template))

    def test_each_failure_destination_needs_the_whole_bucket_before_it_is_set(self):
        configs = [name for name in self.template if name.endswith("EventInvokeConfig")]
        self.assertGreater(len(configs), 8)
        for config in configs:
            role = self.template[config]["Properties"]["FunctionName"]["Ref"] + "Role"

            def narrow(resources, role=role):
                for statement in resources[role]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]:
                    if statement.get("Action") == "s3:PutObject" and "Failed" in str(statement):
                        statement["Resource"]["Fn::Sub"] += "/aws/lambda/async/*"

            def move(resources, role=role):
                policy = resources[role]["Properties"]["Policies"].pop(0)
                resources["Beside"] = {"Type": "AWS::IAM::Policy", "Properties": {"Roles": [{"Ref": role}], **policy}}

            def move_before(resources, role=role):
                move(resources, role)
                resources[config]["DependsOn"] = "Beside"

            with self.subTest(config):
                self.assertEqual(1, len(self.broken(narrow)))
                self.assertEqual(2, len(self.broken(move)))
                self.assertEqual([], self.broken(move_before))

    def test_canary_is_rolled_back_by_a_share_of_errors(self):
        properties = self.template["ServerErrorsAlarm"]["Properties"]
        condition, percent, otherwise = re.fullmatch(r"IF\((.*), (.*), (.*)\)", properties["Metrics"][0]["Expression"]).groups()
        self.assertEqual("GreaterThanOrEqualToThreshold", properties["ComparisonOperator"])
        for errors, requests, rolled_back in [(4, 4, False), (5, 5, True), (5, 50, True), (5, 1000, False), (100, 1000, True), (20, 1000, False), (0, 0, False)]:
            values = {"errors": errors, "requests": requests}
            share = eval(percent if eval(condition, values) else otherwise, values)  # the expressions of CloudWatch are expressions of Python, too
            with self.subTest(values):
                self.assertEqual(rolled_back, share >= properties["Threshold"])
        self.assertEqual('{ $.status = "5*" && $.status != "503" }', self.template["ServerErrorsFilter"]["Properties"]["FilterPattern"])

    def test_other_rules_find_what_breaks_them(self):
        def unnamed(resources):
            del resources["ApiAccessLogs"]["Properties"]["LogGroupName"]

        def notifying(resources):
            resources["FailedBatchesBucket"]["Properties"]["NotificationConfiguration"] = {}

        def breaching(resources):
            resources["StaleSealAlarm"]["Properties"]["TreatMissingData"] = "breaching"

        def silent(resources):
            del resources["StaleSealAlarm"]["Properties"]["InsufficientDataActions"]

        def named(resources):
            resources["Budget"]["Properties"]["Budget"]["BudgetName"] = "portside"

        def expiring(resources):
            for rule in resources["AnalyticsBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]:
                rule |= {"ExpirationInDays": 402}

        for change, n, want in (named, 1, "omit the BudgetName"), (expiring, 1, "make two rules"), (unnamed, 1, "vendedlogs"), (notifying, 2, "notifications"), (breaching, 1, "fire after"), (silent, 1, "nobody learns"):
            with self.subTest(want):
                problems = self.broken(change)
                self.assertEqual(n, len(problems), problems)
                self.assertIn(want, problems[0])

    def test_documentation_lists_the_rules(self):
        page = (ROOT / "docs" / "operations.md").read_text()
        table = page.split("### Rules of a deployment\n")[1].split("\n#")[0]
        self.assertEqual(list(RULES), re.findall(r"^\| `([a-z-]+)` \|", table, re.M))


class DeployRole(unittest.TestCase):
    """The role of .github/deploy-role.yaml. cfn-lint knows which actions exist."""

    def test_each_type_of_the_template_has_its_actions(self):
        used = {resource["Type"] for resource in transformed()["Resources"].values()}
        self.assertEqual(sorted(used), sorted(deploy_role.TYPES))

    def test_each_call_of_a_deployment_is_allowed(self):
        allowed = {action for actions, _ in deploy_role.statements() for action in actions}
        source = (ROOT / ".ci" / "deploy_stack.py").read_text()
        called = set(re.findall(r'cloudformation\.(?:get_paginator\("|(?!get_|exceptions))(\w+)', source))
        self.assertIn("list_stack_resources", called)
        for name in called:
            self.assertIn("cloudformation:" + name.title().replace("_", ""), allowed)

    def test_the_file_is_what_the_program_writes(self):
        self.assertEqual(deploy_role.FILE.read_text(), deploy_role.document(), "run python3 .ci/deploy_role.py --update")

    def test_policies_fit(self):
        for part in deploy_role.policies():
            policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": resources} for actions, resources in part]}
            text = json.dumps(policy, separators=(",", ":"))
            for name, value in ("StackName", "p" * 21), ("AWS::Region", "ap-southeast-1"), ("AWS::AccountId", "1" * 12), ("AWS::Partition", "aws-us-gov"):
                text = text.replace("${" + name + "}", value)
            self.assertLessEqual(len(text), 6144)


class FirstHour(unittest.TestCase):
    """The commands that `portside smoke-test --first-hour` prints call AWS, so only the models of its APIs can check them."""

    LIST = (ROOT / "cmd" / "portside" / "smoketest" / "firsthour.sh").read_text()
    OF_THE_CLI = {"query", "output", "cli-binary-format"}  # the command line itself has these options
    RESOURCES = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]

    def commands(self):
        """Returns the service, the operation and the options of each call of the AWS command line."""
        text = re.sub(r"(?m)^#.*$", "", self.LIST).replace("\\\n", " ")
        hour = re.findall(r"--([a-z-]+)", re.search(r"(?m)^hour\(\) \{(.*)\}$", text)[1])
        text = re.sub(r"'[^']*'", "''", text)
        for service, operation, rest in re.findall(r"\baws ([a-z0-9]+) ([a-z0-9-]+)([^\n;|]*)", text):
            rest = re.sub(r'"[^"]*"', '""', rest)
            options = set(re.findall(r"--([a-z-]+)", rest)) - self.OF_THE_CLI
            yield service, operation, options | set(hour if "$(hour)" in rest else [])

    def test_aws_has_the_commands_and_their_options(self):
        found = list(self.commands())
        self.assertGreater(len(found), 30)
        session = botocore.session.get_session()
        for service, operation, options in found:
            with self.subTest(f"aws {service} {operation}"):
                if service == "s3":  # copies files; it is no API
                    self.assertIn(operation, {"cp", "ls", "rm"})
                    continue
                model = session.get_service_model({"s3api": "s3"}.get(service, service))
                names = {xform_name(name).replace("_", "-"): name for name in model.operation_names}
                self.assertIn(operation, names)
                shape = model.operation_model(names[operation]).input_shape
                members = {xform_name(member).replace("_", "-") for member in shape.members}
                required = {xform_name(member).replace("_", "-") for member in shape.required_members}
                self.assertEqual(set(), options - members, "unknown options")
                self.assertEqual(set(), required - options, "missing options")

    def words(self, variable):
        text = self.LIST.replace("\\\n", " ")
        return [loop.split() for loop in re.findall(rf"(?m)^\s*for {variable} in (.*); do$", text)]

    def test_the_stack_has_the_resources(self):
        for name in re.findall(r"\$\(resource ([A-Za-z]+)\)", self.LIST) + [name for loop in self.words("bucket") + self.words("table") for name in loop]:
            self.assertIn(name, self.RESOURCES)

    def test_each_function_with_failed_events_is_listed(self):
        want = {name for name, resource in self.RESOURCES.items() if "EventInvokeConfig" in resource.get("Properties", {})}
        listed, forced = self.words("function")
        self.assertEqual(want, {name + "Function" for name in listed})
        buckets = {str(self.RESOURCES[name + "Function"]["Properties"]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]) for name in forced}
        self.assertEqual({str(self.RESOURCES[name]["Properties"]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]) for name in want}, buckets)

    def test_each_index_is_listed(self):
        want = {f"{name}/{index['IndexName']}" for name, resource in self.RESOURCES.items()
                for index in resource.get("Properties", {}).get("GlobalSecondaryIndexes", [])}
        self.assertEqual(want, set(self.words("index")[0]))

    def test_operators_can_pass_the_outputs(self):
        outputs = yaml_parse((ROOT / "template.yaml").read_text())["Outputs"]
        self.assertLessEqual({"ApiUrl", "ExecuteApiUrl", "AuditBucket", "ChartsBucket"}, outputs.keys())
        command = re.search(r'(?s)eval "\$\((.*?)\)"\n', (ROOT / "docs" / "operations.md").read_text())[1]
        program = command[command.index("awk"):]
        exported = subprocess.run(["sh", "-c", program], input="ApiUrl\thttps://a.test\nExecuteApiUrl\thttps://b.test\nModelLogGroups\ta,b\n",
                                  capture_output=True, text=True, check=True).stdout
        self.assertEqual("export API_URL='https://a.test'\nexport EXECUTE_API_URL='https://b.test'\nexport MODEL_LOG_GROUPS='a,b'\n", exported)


if __name__ == "__main__":
    unittest.main()
