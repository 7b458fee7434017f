-- The protocol version in which a webhook was registered, and is called.
ALTER TABLE pushes ADD COLUMN version TEXT NOT NULL DEFAULT '1.0';
