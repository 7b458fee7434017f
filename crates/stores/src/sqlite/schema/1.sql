-- Times are milliseconds since 1970. Entries and deliveries are found by their keys only, so they
-- stand in the tree of the key itself.

-- One row. The counts are kept here because counting millions of rows takes seconds.
CREATE TABLE meta (
    epoch INTEGER NOT NULL,
    finished_tasks INTEGER NOT NULL,
    finished_bytes INTEGER NOT NULL,
    messages INTEGER NOT NULL
) STRICT;
INSERT INTO meta VALUES (0, 0, 0, 0);

-- Whose things: everything else says a number.
CREATE TABLE scopes (
    scope INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    tenant TEXT NOT NULL,
    owner TEXT NOT NULL,
    UNIQUE (agent, tenant, owner)
) STRICT;

CREATE TABLE tasks (
    task INTEGER PRIMARY KEY, -- never used again
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    context TEXT NOT NULL,
    state INTEGER NOT NULL,
    status_at INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    head INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    turn_open INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    accepted INTEGER NOT NULL, -- the greatest turn of an accepted message
    first INTEGER NOT NULL,    -- the first entry kept; head + 1 for none
    bytes INTEGER NOT NULL,    -- of the log and the snapshot
    pushes INTEGER NOT NULL,   -- how many webhooks it has
    standing INTEGER NOT NULL  -- 0 runs, 1 waits, 2 finished, 3 finished and without entries
) STRICT;
CREATE UNIQUE INDEX tasks_by_id ON tasks (scope, id);
CREATE INDEX tasks_by_status ON tasks (scope, status_at, id) WHERE visible = 1;
CREATE INDEX tasks_by_context ON tasks (scope, context, status_at, id) WHERE visible = 1;
CREATE INDEX tasks_by_state ON tasks (scope, state, status_at, id) WHERE visible = 1;
CREATE INDEX tasks_running ON tasks (scope) WHERE standing = 0;
CREATE INDEX tasks_by_age ON tasks (standing, status_at) WHERE standing > 0;

CREATE TABLE entries (
    task INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    state INTEGER NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    task INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Tasks that are gone and whose entries are still to be deleted.
CREATE TABLE garbage (task INTEGER PRIMARY KEY) STRICT;

-- In the order in which they came: the index by key is in memory.
CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL, -- the digest of scope, message id and content
    digest BLOB NOT NULL,
    task TEXT NOT NULL,
    turn INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_expiry ON messages (expires);

-- Webhooks. They stay when their task goes, as long as something is to be delivered to them.
CREATE TABLE pushes (
    task INTEGER NOT NULL,
    id TEXT NOT NULL,
    scope INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    config BLOB NOT NULL,
    next INTEGER, -- the sequence of the first delivery that is neither made nor dead
    due INTEGER NOT NULL,
    PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pushes_due ON pushes (agent, due) WHERE next IS NOT NULL;
CREATE INDEX pushes_by_task ON pushes (scope, task_id);

CREATE TABLE outbox (
    task INTEGER NOT NULL,
    push TEXT NOT NULL,
    seq INTEGER NOT NULL,
    body BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    dead TEXT, -- why it will never be taken
    PRIMARY KEY (task, push, seq)
) STRICT, WITHOUT ROWID;
