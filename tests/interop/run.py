"""Runs our programs against agents and clients of other makers.

    cargo xtask interop            installs what is pinned here, builds, and runs what CI runs
    cargo xtask interop --all      runs all of it, and writes docs/interop.md
    cargo xtask interop --kit "a2a-sdk 0.3"   with this kit only; may stand several times
    cargo xtask interop --control  also theirs against theirs: is a failure ours? (Some fail, as
                                   a2a-sdk cannot read the empty answer of the others to DELETE.)

Two foreign kits, PyPI's a2a-sdk (py/) and npm's @a2a-js/sdk (js/), meet ours both ways, on JSON-RPC,
HTTP+JSON and gRPC:

- client.py and client.mjs call `sabir up` (the contract reviewer; on gRPC, which finds one agent of
  a server, `sabir sample contract-review`) and `sabir server --puppet`;
- `sabir send` and `sabir task` call server.py and server.mjs, the same reviewer on those kits, and so
  does the program `ask` of tests/conformance where there is no command yet.

Their releases for A2A 0.3 (py03/, js03/), which cannot be installed beside the others, meet ours in
0.3. While the client of a2a-sdk calls ours in 1.0, the one of 0.3 calls the same port at the same
time. The releases of 1.0 have modules for 0.3, which meet ours as the kits "a2a-sdk for 0.3" and
"@a2a-js/sdk for 0.3". In CI these and the npm kit of 0.3 are left out.

The official crates in Rust, a2a-lf (rust/), meet ours both ways too, and the official command line,
crate a2a-cli, calls ours by official_cli.py. Another SDK in Rust, a2a-protocol-sdk (rust/tomtom215/),
meets ours both ways as well. These speak 1.0 only. Go's a2a-go (go/) meets ours both ways in 0.3, and
has no HTTP+JSON. All of them have to be built, so they are met with `--all` or when asked for. `--all`
leaves a2a-go out where `go` is not on PATH, and says so, also in docs/interop.md.

What the reviewer and its caller say stands in reviewer.json, the files and data that go there and
back in parts.json, what our commands are put through in commands.py. Webhooks are received by
receiver.py and receiver.mjs. Every check prints one line, the last line counts them, and the exit
status is 1 if one failed. Only loopback addresses are called.

To move to other versions: change py's pins with `pip install` and `pip freeze` (requirements.txt),
js's with `npm install --omit-lockfile-registry-resolved`, go's with `go get`, those of the crates in
rust/*/Cargo.toml and that of the command line in xtask/src/interop.rs.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from commands import (
    BINDINGS,
    CASES,
    CASES_OF_0_3,
    PARTS,
    Commands,
    environment,
    files_and_data,
    push_configs,
    push_of_a_new_task,
)
from matrix import Matrix, Pair, document

HERE = Path(__file__).parent
START_SECONDS = 30
CLIENT_SECONDS = 120
# Why cells of the matrix are empty; where the peer is at fault, with the bytes that show it.
NOTES = [
    "@a2a-js/sdk 1.3.0 loses `null` that is the whole of a data part where it reads JSON: its server"
    ' answers `{"data":null}` with `{}`, and `Part.fromJSON`, by which its client here is given what to'
    " send, makes a part without content of it. On gRPC its server returns it.",
    "@a2a-js/sdk 0.3.14, in HTTP+JSON and on gRPC, loses the name of a file and the metadata of a"
    ' part: its server answers `{"file":{"fileWithBytes":"Ky8vKw==","mimeType":'
    '"application/octet-stream","name":"odd.bin"}}` without `name`, its client sends none. So data'
    " that is no object, which 0.3 marks in the metadata, comes back as the object it travelled in:"
    ' `{"data":{"data":{"value":0}}}`.',
    "On gRPC @a2a-js/sdk 0.3.14 has no `null` in data: its client cannot write it"
    " (`invalid int32: object`, before anything is sent), its server answers"
    ' `{"none":null}` with `{"none":0}`. It refuses by a code alone, without details.',
    "@a2a-js/sdk 1.3.0 in 0.3 loses the same in HTTP+JSON and on gRPC, and has `null` there. In"
    ' HTTP+JSON its server takes a push config only as the bare object, `{"pushNotificationConfig":…}`,'
    " where the kits for Python want that within `config`, as ours sends it: it answers `TaskPush"
    "NotificationConfig missing pushNotificationConfig`, so no config is set there but with a message.",
    "Kits of 0.3 do not agree on how HTTP+JSON and gRPC hold the bytes of a file: those for Python"
    " put the text of their base64 there, that for JavaScript the bytes. Our servers have a setting"
    ' for that, `v0_3_file_bytes`, with which the clients of @a2a-js/sdk are met in 0.3 ("plain").',
    "a2a-sdk 1.3.0 in 0.3 and HTTP+JSON neither lists nor deletes push configs: its client says"
    " `not supported in v0.3 REST`, its server answers `DELETE` with `A2A version '0.3' is not"
    " supported by this handler`.",
    "a2a-sdk 0.3.26, in HTTP+JSON and on gRPC, neither lists nor deletes push configs:"
    ' `GET …/pushNotificationConfigs` is 500 `{"message":"unknown exception"}`, `DELETE` is 405,'
    " and gRPC says `Method not implemented!`. Its client has neither on any binding.",
    "a2a-sdk 0.3.26 and @a2a-js/sdk 0.3.14 call webhooks with the token, and leave out credentials"
    " that they were given.",
    "a2a-go 0.3.3 has no HTTP+JSON. Its server answers `tasks/pushNotificationConfig/delete` with"
    " `HTTP/1.1 200 OK`, `Content-Length: 0`, which its own client cannot read (`failed to decode"
    " response: EOF`) and ours takes for the empty result. On gRPC it refuses by a code alone,"
    " without details. Beyond what is checked: it begins a stream of"
    " `tasks/resubscribe` without the task, answers it with `-32001` for a task that waits for input"
    " or has ended, and puts a user's answer into the history before the question.",
    "a2a-lf 0.4.2, and with it a2a-cli 0.4.5, in JSON reads `{\"data\":null}` as a text and returns"
    " `{\"text\":\"\"}`; what its client sends is right. It writes the integers of data as `7.0`.",
    "a2a-server-lf 0.5.3 keeps nothing of a status once the next one came, so its agent here waits"
    " before the first of its `ticks`. Beyond what is checked: it answers SubscribeToTask for a task"
    " that waits for input with `\"code\":-32001,\"message\":\"task not found`, though GetTask finds"
    " it, and each bare message leaves a task in ListTasks that stays `TASK_STATE_SUBMITTED`.",
    "a2a-cli 0.4.5 speaks neither gRPC nor 0.3, and serves nothing. Its `card get --validate` refuses"
    " our card only for the members of 0.3 in it, which the official schema of 1.0 forbids:"
    " `Additional properties are not allowed ('additionalInterfaces', 'preferredTransport',"
    " 'protocolVersion', 'url' were unexpected)`.",
    "a2a-protocol-sdk 0.15.0 keeps nothing of a status either once the next one came: after a question"
    ' and its answer GetTask says `"history":[{"messageId":"m1","parts":[{"text":"hi"}],"role":'
    '"ROLE_USER"},{"messageId":"m2",…,"role":"ROLE_USER",…}]`. So its agent here puts the question there,'
    " and waits before the first of its `ticks`. It leaves the history out of an answer to SendMessage"
    " unless `historyLength` asks for it. Its fourth binding, JSON-RPC on WebSockets, is none of A2A's.",
]
WITHOUT_GO = "Go's a2a-go was left out when this was written: there was no `go` on PATH."


def returned(sent, changed=None):
    """The case of files and data, for a server that cannot hold them all."""
    return {"files and data": partial(files_and_data, sent=sent, returned=changed or sent)}


RAW, URL, DATA = PARTS[:3]
NOT_NULL = [part for part in PARTS if part != {"data": None}]
UNNAMED = {name: value for name, value in RAW.items() if name != "filename"}
WITHOUT_NULL = {"data": {"zero": 0, "list": [1, ["a", 2], {}]}}
# As in 1.0.
CREDENTIALS_TOO = {"push, new task": push_of_a_new_task}
# What our commands are put through instead, where a note says that the peer does otherwise; `None`
# is nothing.
INSTEAD = {
    ("@a2a-js/sdk", "JSONRPC"): returned(NOT_NULL),
    ("@a2a-js/sdk", "HTTP+JSON"): returned(NOT_NULL),
    ("a2a-lf", "JSONRPC"): returned(NOT_NULL),
    ("a2a-lf", "HTTP+JSON"): returned(NOT_NULL),
    ("@a2a-js/sdk 0.3", "HTTP+JSON"): returned([RAW, URL, DATA], [UNNAMED, URL, DATA]),
    ("@a2a-js/sdk 0.3", "GRPC"): returned([RAW, URL, WITHOUT_NULL], [UNNAMED, URL, WITHOUT_NULL]),
    ("@a2a-js/sdk for 0.3", "JSONRPC"): returned(NOT_NULL) | CREDENTIALS_TOO,
    ("@a2a-js/sdk for 0.3", "HTTP+JSON"): returned([RAW, URL, DATA], [UNNAMED, URL, DATA])
    | CREDENTIALS_TOO
    | {"push configs": None, "push, waiting task": None},
    ("@a2a-js/sdk for 0.3", "GRPC"): returned([RAW, URL, DATA], [UNNAMED, URL, DATA])
    | CREDENTIALS_TOO,
    ("a2a-sdk for 0.3", "JSONRPC"): CREDENTIALS_TOO,
    ("a2a-sdk for 0.3", "HTTP+JSON"): CREDENTIALS_TOO
    | {"push configs": partial(push_configs, deletes=False)},
    ("a2a-sdk for 0.3", "GRPC"): CREDENTIALS_TOO,
    ("a2a-sdk 0.3", "HTTP+JSON"): {"push configs": partial(push_configs, deletes=False)},
    ("a2a-sdk 0.3", "GRPC"): {"push configs": partial(push_configs, deletes=False)},
    ("a2a-go", "JSONRPC"): CREDENTIALS_TOO,
    ("a2a-go", "GRPC"): CREDENTIALS_TOO,
}


def kits(older_python, rust_kits, a2acli, go_kit):
    """The kits by name: how their programs are run, and what they speak."""

    def kit(version, folder, program, ending):
        files = {each: [program, HERE / folder / f"{each}{ending}"] for each in ("client", "server")}
        return files | {"version": version, "bindings": list(BINDINGS)}

    of_both = {"arguments": ["0.3"]}
    plain = {"puppet": "puppet of plain bytes"}

    def in_rust(name):
        files = {each: [rust_kits / f"{name}-{each}"] for each in ("client", "server")}
        return files | {"version": "1.0", "bindings": list(BINDINGS)}

    command_line = {"client": [sys.executable, HERE / "official_cli.py", a2acli]}
    command_line |= {"version": "1.0", "bindings": ["JSONRPC", "HTTP+JSON"]}

    found = {
        "a2a-sdk": kit("1.0", "py", sys.executable, ".py"),
        "@a2a-js/sdk": kit("1.0", "js", "node", ".mjs"),
        "a2a-sdk for 0.3": of_both | kit("0.3", "py", sys.executable, ".py"),
        "@a2a-js/sdk for 0.3": of_both | plain | kit("0.3", "js", "node", ".mjs"),
        "a2a-sdk 0.3": kit("0.3", "py03", older_python, ".py"),
        "@a2a-js/sdk 0.3": plain | kit("0.3", "js03", "node", ".mjs"),
        "a2a-lf": in_rust("official"),
        "a2a-protocol-sdk": in_rust("tomtom215"),
        "a2a-cli": command_line,
    }
    if go_kit:
        found["a2a-go"] = {each: [go_kit / each] for each in ("client", "server")}
        found["a2a-go"] |= {"version": "0.3", "bindings": ["JSONRPC", "GRPC"]}
    return found


def releases(met):
    """The kits by name, as they are pinned or say themselves."""

    def python(pins):
        return re.search(r"^a2a-sdk\S*==(\S+)", (HERE / pins).read_text(), re.MULTILINE)[1]

    def npm(folder):
        package = json.loads((HERE / folder / "package.json").read_text())
        return package["dependencies"]["@a2a-js/sdk"]

    def crate(name, package):
        pins = (HERE / "rust" / package / "Cargo.toml").read_text()
        return re.search(rf'{name}\b.* version = "=([^"]+)"', pins)[1]

    def go():
        return re.search(r"/a2a-go v(\S+)", (HERE / "go/go.mod").read_text())[1]

    def command_line(kit):
        said = subprocess.run([kit["client"][-1], "--version"], capture_output=True, text=True)
        return said.stdout.split()[-1]

    found = {
        "a2a-sdk": f"a2a-sdk {python('requirements.txt')}",
        "a2a-sdk 0.3": f"a2a-sdk {python('py03/requirements.txt')}",
        "@a2a-js/sdk": f"@a2a-js/sdk {npm('js')}",
        "@a2a-js/sdk 0.3": f"@a2a-js/sdk {npm('js03')}",
        "a2a-lf": f"a2a-lf {crate('a2a-lf', 'official')}",
        "a2a-protocol-sdk": f"a2a-protocol-sdk {crate('a2a-protocol-sdk', 'tomtom215')}",
        "a2a-go": f"a2a-go {go()}",
    }
    if "a2a-cli" in met:
        found["a2a-cli"] = f"a2a-cli {command_line(met['a2a-cli'])}"
    return found


class Tally:
    """Prints a line for each check, and counts them."""

    def __init__(self):
        self.passed = self.failed = 0
        self.matrix = Matrix()

    def report(self, pair, check, why=None):
        self.matrix.count(pair, why is None)
        self.passed += why is None
        self.failed += why is not None
        print(f"{'ok  ' if why is None else 'FAIL'} {pair}: {check}{f': {why}' if why else ''}")
        sys.stdout.flush()


class Servers:
    """Programs that serve until the suite ends, each with its log in a folder."""

    def __init__(self, folder, stack):
        self.folder = folder
        self.stack = stack

    def start(self, name, command, **settings):
        """Starts one, waits until it says where it listens, and returns that URL."""
        log = self.folder / f"{name.replace('/', ' ')}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=environment() | settings,
            )
        self.stack.callback(stop, process)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None:
            if listening := re.search(r"^Listening on (\S+)$", log.read_text(), re.MULTILINE):
                return listening[1]
            time.sleep(0.05)
        raise SystemExit(f"{name} does not serve:\n{log.read_text()}")

    def print_logs(self):
        for log in sorted(self.folder.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text()[-1000:]}")


def stop(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def their_client(tally, pair, command):
    """Runs a client of theirs, which prints a line for each of its cases."""
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=CLIENT_SECONDS,
            env=environment(),
        )
    except subprocess.TimeoutExpired as expired:
        so_far = (expired.stdout or b"").decode()
        late = f"not done in {CLIENT_SECONDS} s"
        done = subprocess.CompletedProcess(command, late, so_far, "")
    cases = re.findall(r"^(ok|FAIL) ([^:\n]+)(?:: (.*))?$", done.stdout, re.MULTILINE)
    for outcome, case, why in cases:
        tally.report(pair, case, None if outcome == "ok" else why)
    if done.returncode != 0 or not cases:
        tally.report(pair, "runs to its end", f"{done.returncode}: {done.stderr[-2000:]}")


def our_client(tally, pair, our, binding, cases):
    """Puts our command line through its cases."""
    for name, case in cases.items():
        try:
            case(our, binding)
        except Exception as error:
            tally.report(pair, name, " ".join(f"{type(error).__name__}: {error}".split()))
        else:
            tally.report(pair, name)


def main():
    options = argparse.ArgumentParser(description="Our programs with agents and clients of others")
    options.add_argument("--sabir", required=True, type=Path, help="our program")
    options.add_argument("--older-python", required=True, help="the one with a2a-sdk 0.3")
    options.add_argument("--rust-kits", required=True, type=Path, help="the folder of theirs")
    options.add_argument("--go-kit", type=Path, help="the folder of Go's, if there is Go")
    options.add_argument("--a2acli", required=True, type=Path, help="the official command line")
    options.add_argument("--kit", action="append", help="with this one only")
    options.add_argument("--matrix", type=Path, help="write what met what to this file")
    options.add_argument("--control", action="store_true", help="also theirs against theirs")
    options = options.parse_args()
    sabir = options.sabir.resolve()
    go_kit = options.go_kit and options.go_kit.resolve()
    known = kits(
        options.older_python, options.rust_kits.resolve(), options.a2acli.resolve(), go_kit
    )
    met = {name: known[name] for name in options.kit or known}
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = Servers(Path(folder), stack)
        reviewers, puppets = our_servers(servers, sabir)
        serving = {name: kit for name, kit in met.items() if "server" in kit}
        theirs = {name: servers.start(name, kit["server"]) for name, kit in serving.items()}
        meetings = [(name, binding) for name in met for binding in met[name]["bindings"]]
        # The kits of both versions call the same ports at the same time.
        with ThreadPoolExecutor() as pool:
            calls = []
            for name, binding in meetings:
                pair = Pair(row(name), "sabir", binding, met[name]["version"])
                puppet = puppets[met[name].get("puppet", "puppet")]
                command = [*met[name]["client"], binding, reviewers[binding], puppet]
                command += met[name].get("arguments", [])
                calls.append(pool.submit(their_client, tally, pair, command))
            for call in calls:
                call.result()
        for name, binding in meetings:
            version = met[name]["version"]
            if name in theirs:
                our = Commands(sabir, Path(folder), theirs[name], binding, version)
                cases = CASES if version == "1.0" else CASES_OF_0_3
                cases = cases | INSTEAD.get((name, binding), {})
                cases = {case: run for case, run in cases.items() if run}
                our_client(tally, Pair("sabir", row(name), binding, version), our, binding, cases)
            for other in theirs if options.control else ():
                if (version, binding) not in spoken(met[other]):
                    continue
                pair = Pair(row(name), row(other), binding, version)
                command = [*met[name]["client"], binding, theirs[other], theirs[other]]
                their_client(tally, pair, command + met[name].get("arguments", []))
        if tally.failed:
            servers.print_logs()
    table = tally.matrix.table(releases(met))
    print(table)
    if options.matrix:
        left_out = [] if go_kit else [WITHOUT_GO]
        options.matrix.write_text(document(table, NOTES + left_out))
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def our_servers(servers, sabir):
    """The reviewer of ours by binding, and the puppets by name, in both versions."""
    both = "--v0-3"
    up = servers.start("up", [sabir, "up", both, "--listen", "127.0.0.1:0", "--data", "data"])
    # The slash at the end is for the npm kit, which would look for the card beside the agent.
    reviewers = dict.fromkeys(BINDINGS, f"{up}/agents/contract-review/")
    sample = [sabir, "sample", "contract-review", both, "--port", "0"]
    reviewers["GRPC"] = servers.start("sample", sample)
    puppet = [sabir, "server", "--puppet", both, "--port", "0", "--allow-loopback-webhooks"]
    puppets = {
        "puppet": servers.start("puppet", puppet),
        # Kits of 0.3 do not agree on how HTTP+JSON and gRPC hold the bytes of files.
        "puppet of plain bytes": servers.start("plain", puppet, SABIR_V0_3_FILE_BYTES="plain"),
    }
    return reviewers, puppets


def row(name):
    """The row of the matrix: a kit and its module for 0.3 are one."""
    return name.removesuffix(" for 0.3")


def spoken(kit):
    """What a kit speaks, as versions with bindings."""
    return {(kit["version"], binding) for binding in kit["bindings"]}


if __name__ == "__main__":
    sys.exit(main())
