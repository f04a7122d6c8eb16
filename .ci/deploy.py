"""Deploys Portside to an environment of samconfig.toml. `make deploy` calls it.

The parameters come from samconfig.toml and from settings/ENV.yaml. Everything that can be checked without a change is checked first:
parameters, permissions, quotas, the sender of mails, and the layout of the data. Then it builds, creates a change set, shows it, and refuses
to replace or remove a table or a bucket. A dry run stops before the first call of AWS and needs no credentials.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

import yaml
from botocore.exceptions import BotoCoreError, ClientError
from deploy_checks import (ROOT, Problem, check_numbers, check_package, check_places, dangers, environment, fingerprint, parameters_of, reserved_concurrency, say,
                           stamp)
from deploy_rules import problems_of

BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"
UNPACKED = ROOT / ".aws-sam" / "package" / "template.yaml"


def run(*command, **options):
    done = subprocess.run(command, cwd=ROOT, **options)
    if done.returncode:
        raise Problem(f"`{' '.join(command[:4])}` failed:\n{done.stdout or ''}{done.stderr or ''}".rstrip())
    return done


def check_template(parameters, settings):
    """Checks the parameters against the types, patterns and rules of template.yaml. A problem names the file that has the values."""
    done = subprocess.run(["go", "run", ".", "check", "-repo", str(ROOT)], cwd=ROOT / "local", input=json.dumps(parameters), text=True, capture_output=True)
    if done.returncode:
        raise Problem(re.sub(r"^template\.yaml:[0-9]+: (?=the template has no parameter|the value )", f"{settings}: ", done.stderr.replace("exit status 1", "").strip()))


def check_rules():
    from transformed import transformed

    if broken := problems_of(transformed()["Resources"]):
        raise Problem("template.yaml breaks rules of AWS:\n" + "\n".join(broken))


def report_sources():
    changed = run("git", "status", "--porcelain", capture_output=True, text=True).stdout.splitlines()
    if changed:
        say(f"note: {len(changed)} {'file differs' if len(changed) == 1 else 'files differ'} from the last commit, so /v1/health will name a commit without these changes")


def build(sam, config, env):
    say("== build; the first time takes minutes")
    run(sam, "validate", "--lint", "--config-env", env, "--region", config["region"], capture_output=True, text=True)
    run(sam, "build", "--config-env", env, "--region", config["region"], capture_output=True, text=True)


def unpack(package):
    from samtranslator.yaml_helper import yaml_parse

    say(f"== unpack {package}")
    shutil.rmtree(UNPACKED.parent, ignore_errors=True)
    try:
        with zipfile.ZipFile(package) as archive:
            archive.extractall(UNPACKED.parent)
        template = UNPACKED.read_text()
    except (OSError, zipfile.BadZipFile) as error:
        raise Problem(f"{package} is not a package of `make release`: {error}") from None
    check_package(yaml_parse((ROOT / "template.yaml").read_text()), yaml_parse(template), os.listdir(UNPACKED.parent))


def prepare(sam, config, options, parameters):
    """Returns the template to deploy, which the sources or a package provide, with the fingerprint of the parameters."""
    from samcli.yamlhelper import yaml_dump, yaml_parse

    path = UNPACKED if options.package else BUILT
    if options.package:
        unpack(options.package)
    else:
        build(sam, config, options.env)
    template = yaml_parse(path.read_text())
    stamp(template, fingerprint((ROOT / "template.yaml").read_text(), parameters))
    path.write_text(yaml_dump(template))
    return path


def parse(args):
    parser = argparse.ArgumentParser(prog="make deploy", description="Deploys Portside to an environment of samconfig.toml.")
    parser.add_argument("env")
    parser.add_argument("--settings", type=pathlib.Path)
    parser.add_argument("--package", type=pathlib.Path, help="deploy the package of a release instead of building the functions")
    parser.add_argument("--dry-run", action="store_true", help="stop before the first call of AWS")
    parser.add_argument("--yes", action="store_true", help="execute the change set without a question")
    parser.add_argument("--replace-data", action="store_true", help="accept changes that replace or remove tables or buckets")
    options = parser.parse_args(args)
    options.changes_aws = False
    options.settings = options.settings or ROOT / "settings" / f"{options.env}.yaml"
    return options


def deploy(options):
    from samtranslator.yaml_helper import yaml_parse

    os.environ["SAM_CLI_TELEMETRY"] = "0"
    if options.package and not options.package.is_file():
        raise Problem(f"PACKAGE: {options.package} does not exist")
    sam = str(pathlib.Path(sys.executable).with_name("sam"))
    config = environment(tomllib.loads((ROOT / "samconfig.toml").read_text()), options.env)
    parameters = parameters_of(config.get("parameter_overrides", []), options.settings)
    check_template(parameters, options.settings)
    template = yaml_parse((ROOT / "template.yaml").read_text())
    check_numbers(template, parameters)
    check_places(parameters, config["region"])
    check_rules()
    say(f"== {config['stack_name']} in {config['region']}: the parameters and the template are valid")
    report_sources()
    if options.dry_run:
        prepare(sam, config, options, parameters)
        say("== built. The dry run ends here, because the next step would call AWS")
        return
    from deploy_stack import Stack

    stack = Stack(config, parameters)
    stack.check(reserved_concurrency(template, parameters))
    is_new = not stack.exists()
    built = prepare(sam, config, options, parameters)
    options.changes_aws = True
    # The first deployment leaves the tables unprotected, so that CloudFormation can remove them if it fails.
    for protected in ["false", "true"] if is_new else ["true"]:
        apply(stack, options, sam, built, parameters | {"ProtectTables": parameters.get("ProtectTables", protected)})
    stack.smoke_test(is_new, ROOT / "settings" / f"{options.env}.audit-head")
    stack.delete_old_versions()


def confirmed():
    try:
        return input("Execute this change set? [y/N] ").strip().lower() == "y"
    except EOFError:
        raise Problem("the change set was not executed, because there is no terminal for the question: deploy with YES=1") from None


def apply(stack, options, sam, built, parameters):
    say("== change set")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=built.parent.parent) as file:  # only its owner can read it
        yaml.safe_dump(parameters, file)
        file.flush()
        done = run(sam, "deploy", "--config-env", options.env, "--template-file", str(built), "--no-execute-changeset", "--no-confirm-changeset",
                   "--parameter-overrides", f"file://{file.name}", capture_output=True, text=True)
    say(done.stdout)
    change_set = re.search(r"arn:[^\s]+:changeSet/[^\s]+", done.stdout)
    if not change_set:
        say("the stack is up to date")
        return
    found = dangers(stack.changes(change_set[0]))
    if found and not options.replace_data:
        raise Problem("the change set would replace or remove tables or buckets, so the service would use new, empty ones: "
                      + "; ".join(found) + ". If that is intended, deploy with REPLACE_DATA=1")
    if stack.config.get("confirm_changeset") and not options.yes and not confirmed():
        raise Problem("the change set was not executed")
    stack.execute(change_set[0])


if __name__ == "__main__":
    arguments = parse(sys.argv[1:])
    try:
        deploy(arguments)
    except Problem as problem:
        sys.exit(f"make deploy: {problem}")
    except (BotoCoreError, ClientError) as error:
        sys.exit(f"make deploy: AWS: {error}")
    except KeyboardInterrupt:
        running = "A change set that already runs continues on AWS: look at the state of the stack"
        sys.exit(f"make deploy: interrupted. {running if arguments.changes_aws else 'Nothing has changed on AWS'}")
