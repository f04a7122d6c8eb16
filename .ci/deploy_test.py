"""Tests of the decisions of a deployment."""

import os
import pathlib
import tempfile
import unittest

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")  # the transform asks boto3 for a region, and makes no call

from deploy_checks import ROOT, Problem, check_places, dangers, environment, fingerprint, mail_identities, parameters_of, reserved_concurrency, stamp, table_suffix, unfinished  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402

COMPLETE = "BaseUrl: https://portal.acme.test\nMailFrom: no-reply@acme.test\nImageRepositories: acme/*\n"


class NoManagedPolicies:
    def load(self):
        return {}


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

    def test_existing_tables_are_checked_by_their_suffix(self):
        self.assertEqual([], table_suffix(self.read(COMPLETE + "TableSuffix: -r1\n")))
        self.assertEqual(["--table-suffix=-r1"], table_suffix(self.read(COMPLETE + "TableSuffix: -r1\nCreateTables: false\n")))
        self.assertEqual(["--table-suffix="], table_suffix(self.read(COMPLETE + "CreateTables: false\n")))

    def test_problems_name_the_parameter(self):
        for text, want in {
            "": "BaseUrl, MailFrom, ImageRepositories",
            COMPLETE.replace("MailFrom", "MailSender"): "set MailFrom",
            COMPLETE.replace("https", "http"): "BaseUrl must begin with https://",
            (ROOT / "settings" / "example.yaml").read_text(): "values of the example",
            "- BaseUrl": "one parameter per line",
        }.items():
            with self.subTest(text), self.assertRaisesRegex(Problem, want):
                self.read(text)

    def test_values_are_texts_as_written(self):
        found = self.read(COMPLETE + "OpenIdClientId: 0123\nOpenIdName: on\nMediaInputPrice: 0.00001\nTableSuffix: 2026-11-22\nLogDelivery:\n")
        self.assertEqual(["0123", "on", "0.00001", "2026-11-22"], [found[n] for n in ("OpenIdClientId", "OpenIdName", "MediaInputPrice", "TableSuffix")])
        self.assertNotIn("LogDelivery", found)

    def test_unreadable_settings_are_refused_without_their_keys(self):
        bomb = "a: &a [x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefghijklmnopqrstuvwxy", "bcdefghijklmnopqrstuvwxyz"))
        for text, want in {
            COMPLETE + "MediaModelKey: [s3cret\n": "line 5: ",
            COMPLETE + "\tMediaModelKey: s3cret\n": "line 4: ",
            COMPLETE + "MediaModelKey: \0s3cret\n": "a character that YAML does not allow",
            COMPLETE + "MailFrom: s3cret@acme.test\n": "line 4: MailFrom is set twice",
            COMPLETE + "---\nMediaModelKey: s3cret\n": "line 4: ",
            COMPLETE + "? [s3cret]\n: x\n": "one parameter per line",
            COMPLETE.encode("utf-16").decode("latin-1"): "YAML does not allow",
            "s3cret": "one parameter per line",
            bomb: "one parameter per line",
        }.items():
            with self.subTest(text), self.assertRaisesRegex(Problem, want) as raised:
                self.read(text)
            self.assertNotIn("s3cret", str(raised.exception))
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Problem, "not readable"):
                parameters_of([], pathlib.Path(folder))
            path = pathlib.Path(folder) / "x.yaml"
            path.write_bytes(COMPLETE.encode() + b"OpenIdName: caf\xe9\n")
            with self.assertRaisesRegex(Problem, "UTF-8"):
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
        with self.assertRaisesRegex(Problem, "it has staging, production"):
            environment({"version": 0.1, "staging": {}, "production": {}}, "stagin")


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

    def test_states_of_the_stack(self):
        for status in "", "CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS":
            self.assertEqual("", unfinished("portside", status))
        self.assertIn("delete-stack", unfinished("portside", "ROLLBACK_COMPLETE"))
        for status in "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED":
            self.assertIn(status, unfinished("portside", status))


if __name__ == "__main__":
    unittest.main()
