"""Runs the interoperability kit, a2a-itk, with our conformance agent and agents of others.

    cargo xtask kit itk --path CHECKOUT

The kit's own runner walks each pair of agents, every binding and every behaviour, and then all
agents at once. It runs in a copy of the checkout, with the agents of three other SDKs built from
what crates.io, npm and PyPI have (requirements-itk.txt, JS): the kit's own launchers want `uv`,
packages from git and a newer Go. Every scenario prints one line.
"""

import argparse
import asyncio
import itertools
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

BEHAVIOURS = [
    ("send_message", False),
    ("send_message", True),
    ("push_notification", False),
    ("resubscribe", True),
]
BINDINGS = ["jsonrpc", "grpc", "http_json"]
JS = "@a2a-js/sdk@1.3.0"
# The runner starts its receiver of webhooks by `uv run`, and the agent of Rust is built by protoc.
PROGRAMS = {
    "uv": '#!/bin/sh\nshift\nexec "$@"\n',
    "protoc": f'#!/bin/sh\nexec {sys.executable} -m grpc_tools.protoc "$@"\n',
}


def prepare(checkout, work):
    """Copies the kit, and builds the agents that need it; what is there stays."""
    kit, programs = work / "kit", work / "bin"
    if not kit.exists():
        shutil.copytree(checkout, kit, symlinks=True, ignore=shutil.ignore_patterns(".git", "target"))
        with (kit / "agents/rust/v10/Cargo.toml").open("a") as manifest:
            manifest.write("\n[workspace]\n")  # And not a part of ours, which stands above it.
    programs.mkdir(exist_ok=True)
    for name, text in PROGRAMS.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    path = [str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    os.environ["PATH"] = os.pathsep.join(path)
    os.environ["PROTOC"] = str(programs / "protoc")
    js = kit / "agents/ts/v10"
    if not (js / "node_modules").exists():
        (js / "package-lock.json").unlink(missing_ok=True)
        install = ["npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--silent", JS]
        subprocess.run(install, cwd=js, check=True)
    subprocess.run(["cargo", "build", "--quiet"], cwd=kit / "agents/rust/v10", check=True)
    return kit


def launcher(command, folder):
    """Starts an agent as the kit's own launchers do."""

    def launch(http_port, grpc_port):
        ports = ["--httpPort", str(http_port), "--grpcPort", str(grpc_port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*command, *ports], cwd=folder, **quiet)

    return launch


def agents(kit, ours):
    """The agents that can be started here: name, command, folder."""
    folder = kit / "agents"
    python, ts, rust = folder / "python", folder / "ts", folder / "rust/v10"
    return {
        "current": ([str(ours)], ours.parent),
        "python_v10": ([sys.executable, "main.py"], python / "v10"),
        "ts_v10": ([str(ts / "v10/node_modules/.bin/tsx"), "main.ts"], ts / "v10"),
        "rust_v10": ([str(rust / "target/debug/itk-rust-v10-agent")], rust),
    }

async def run(names, pairs, bindings):
    """Walks all scenarios; returns those that failed."""
    import test_suite
    import testlib

    # Ports are free when they are handed out, and whoever held them is not ours to end.
    testlib._clean_ports = lambda *ports: None
    for name, (command, folder) in names.items():
        test_suite._AGENT_DEFS[name] = {"launcher": launcher(command, folder)}
    started, _, ports = await testlib.start_itk_cluster(list(names))
    failed, passed = [], 0
    try:
        for sdks, binding, (behaviour, streams) in itertools.product(pairs, bindings, BEHAVIOURS):
            mode = f"{behaviour}{', streaming' if streams and behaviour == 'send_message' else ''}"
            scenario = f"{' ↔ '.join(sdks)}, {binding}, {mode}"
            why = await walk(testlib, list(sdks), binding, behaviour, streams, scenario)
            print(f"{'FAIL' if why else 'ok  '} {scenario}{f': {why}' if why else ''}", flush=True)
            passed += not why
            failed += [scenario] if why else []
    finally:
        testlib.stop_itk_cluster(started, ports)
        for process in started:
            process.wait(10)
    print(f"{passed} passed, {len(failed)} failed")
    return failed


async def walk(testlib, sdks, binding, behaviour, streams, scenario):
    try:
        done = await testlib.execute_itk_test(
            sdks=sdks,
            behavior=behaviour,
            scenario_name=scenario,
            protocols=[binding],
            streaming=streams,
        )
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return "" if all(one["passed"] for one in done.values()) else "the trace is incomplete"


def main():
    options = argparse.ArgumentParser(description="The interoperability kit and our agent")
    options.add_argument("--agent", required=True, type=Path)
    options.add_argument("--path", required=True, type=Path, help="a checkout of a2a-itk")
    options.add_argument("--work", required=True, type=Path, help="where to keep what is built")
    options.add_argument("--binding", choices=BINDINGS, help="only this one")
    options.add_argument("--with", dest="peers", help="only these agents, such as ts_v10,rust_v10")
    options.add_argument("--theirs", action="store_true", help="also pairs without ours")
    options = options.parse_args()
    logging.disable(logging.CRITICAL)
    ours = options.agent.resolve()
    kit = prepare(options.path, options.work.resolve())
    sys.path.insert(0, str(kit))
    os.chdir(kit)
    names = agents(kit, ours)
    if options.peers:
        names = {n: a for n, a in names.items() if n in ("current", *options.peers.split(","))}
    pairs = [pair for pair in itertools.permutations(names, 2) if options.theirs or "current" in pair]
    if len(names) > 2:
        pairs.append(tuple(names))
    bindings = [options.binding] if options.binding else BINDINGS
    return 1 if asyncio.run(run(names, pairs, bindings)) else 0


if __name__ == "__main__":
    sys.exit(main())
