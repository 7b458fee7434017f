"""Runs the official kit, a2a-tck, against our conformance agent in every profile.

    cargo xtask kit tck --path CHECKOUT

The checkout is used as it is. Each profile starts an agent of its own. What may fail stands in
KNOWN, each with the reason why the kit is at fault; whatever else fails, or does not fail any more,
ends this with status 1.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

COMMON = ["--any-input"]
OLD = ["--error-table=1.0.0"]
MIN = ["--no-streaming", "--no-push", "--extended-card=none"]
# Name, flags of the agent, arguments of pytest.
PROFILES = [
    ("full", [*OLD, "--extended-card=none"], []),
    ("full, table 1.0.1", ["--extended-card=none"], []),
    ("min", [*OLD, *MIN], []),
    ("min, table 1.0.1", MIN, []),
    ("ext: extended card", [*OLD, "--extended-card=open"], []),
    # No other test of the kit names the extension that is required here.
    ("ext: required extension", [*OLD, "--require-ext"], ["-k", "CapabilityExtensionRequired"]),
]
CRASH = "the kit reads the body of a response that it has closed, whenever a stream is refused"
CODES = "the kit has the gRPC codes of 1.0.0; since 1.0.1 it is FAILED_PRECONDITION"
# Profile, test, reason.
GRPC = "TestGrpcStatusCodes::test_{}_returns_unimplemented".format
KNOWN = [
    ("full, table 1.0.1", GRPC("version_not_supported"), CODES),
    ("min", "TestRestStreaming::test_streaming_content_type", CRASH),
    ("min, table 1.0.1", "TestRestStreaming::test_streaming_content_type", CRASH),
    ("min, table 1.0.1", GRPC("push_not_supported"), CODES),
    ("min, table 1.0.1", GRPC("unsupported_operation"), CODES),
    ("min, table 1.0.1", GRPC("version_not_supported"), CODES),
]


def run(agent, checkout, transports, profile):
    """Runs one profile; returns the outcome of each test by its name, and what was printed."""
    _, flags, arguments = profile
    command = [agent, "--port=0", *COMMON, *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        try:
            url = re.fullmatch(r"Listening on (\S+)", serving.stdout.readline().strip())[1]
            while serving.stdout.readline().strip() != "ready":
                pass
            return kit(checkout, url.replace("127.0.0.1", "localhost"), transports, arguments)
        finally:
            serving.terminate()


def kit(checkout, url, transports, arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "tests/compatibility/", f"--sut-host={url}"]
        command += ["--tb=short", "-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore"]
        command += [f"--junitxml={report}", *transports, *arguments]
        done = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, text=True)
        if not report.exists():
            sys.exit(done.stdout)
        outcomes = {}
        for case in xml.parse(report).iter("testcase"):
            name = f"{case.get('classname').rpartition('.')[2]}::{case.get('name')}"
            outcomes[name] = outcome(case)
        return outcomes, done.stdout


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"


def main():
    options = argparse.ArgumentParser(description="The official kit and our conformance agent")
    options.add_argument("--agent", required=True, type=Path)
    options.add_argument("--path", required=True, type=Path, help="a checkout of a2a-tck")
    options.add_argument("--profile", help="only the profiles whose name begins so")
    options.add_argument("--transport", help="what the kit takes, such as jsonrpc,http_json")
    options = options.parse_args()
    transports = [f"--transport={options.transport}"] if options.transport else []
    wrong = False
    for profile in PROFILES:
        name = profile[0]
        if options.profile and not name.startswith(options.profile):
            continue
        outcomes, printed = run(options.agent, options.path, transports, profile)
        counts = Counter(outcomes.values())
        counts = [f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped", "xfailed")]
        print(f"{name}: {', '.join(counts)}")
        red = {test for test, outcome in outcomes.items() if outcome in ("failed", "xfailed")}
        known = {test: why for where, test, why in KNOWN if where == name and test in outcomes}
        for test in sorted(red):
            print(f"  {outcomes[test]}: {test} ({known.get(test, 'NOT KNOWN')})")
        for test in sorted(known.keys() - red):
            if outcomes[test] == "passed":
                print(f"  passed, and was known to fail: {test}")
                wrong = True
        if red - known.keys():
            print(printed[-4000:])
            wrong = True
        sys.stdout.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
