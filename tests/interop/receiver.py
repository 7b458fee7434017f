"""A webhook that keeps what it is told, for clients in Python and for our command line."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL_SECONDS = 30
SECRETS = {"x-a2a-notification-token": "a token", "authorization": "Bearer a credential"}


class Receiver:
    """Listens on a loopback port while it is entered."""

    def __enter__(self):
        self.deliveries = []
        self.changed = threading.Condition()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handler(receiver):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                # Kept before it is answered: the next delivery may begin with the answer.
                with receiver.changed:
                    receiver.deliveries.append((headers, body))
                    receiver.changed.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler

    def until(self, last_state):
        """All deliveries up to the first that says this state, as pairs of headers and body."""
        with self.changed:
            done = self.changed.wait_for(lambda: self.index(last_state) is not None, CALL_SECONDS)
            if not done:
                raise AssertionError(f"never {last_state}: {[body for _, body in self.deliveries]}")
            return self.deliveries[: self.index(last_state) + 1]

    def index(self, wanted):
        states = [state(body) for _, body in self.deliveries]
        return states.index(wanted) if wanted in states else None


def state(body):
    """The state that a delivery tells, in the words of 1.0: its body is a StreamResponse there, and
    a Task in 0.3."""
    told = body.get("statusUpdate") or body.get("task") or body
    name = told.get("status", {}).get("state", "")
    return name.removeprefix("TASK_STATE_").upper().replace("-", "_")


def said(body):
    """The text of the status that a delivery tells."""
    told = body.get("statusUpdate") or body.get("task") or body
    message = told.get("status", {}).get("message") or {"parts": []}
    return "".join(part.get("text", "") for part in message["parts"])


def check_ticks(deliveries, task_id, task_of, secrets=SECRETS):
    """That deliveries are what `ticks 3` tells of this task: each status once, in their order, and
    all with the secrets. `task_of` reads the id of a body's task as the kit does."""
    for headers, body in deliveries:
        # 1.0 names no header for the token: some kits leave the x out.
        told = {f"x-{name}": value for name, value in headers.items()} | headers
        found = {name: told.get(name) for name in secrets}, task_of(body)
        if found != (secrets, task_id):
            raise AssertionError(f"{found}, wanted {secrets} and {task_id}")
    numbers = [said(body) for _, body in deliveries if "/" in said(body)]
    if numbers != ["1/3", "2/3", "3/3"]:
        raise AssertionError(f"{numbers}")
