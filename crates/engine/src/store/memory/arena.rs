//! Where what is kept of finished tasks is written, one after the other.
//!
//! Tasks are written in the order in which retention deletes them, so a chunk is given back as a
//! whole soon after its first task is. In allocations of their own they would lie between all the
//! short-lived ones, and keep those from using the same warm memory again.

use bytes::{Bytes, BytesMut};

/// Bytes of a chunk: a hundred tasks or so.
const CHUNK: usize = 128 << 10;

/// What is larger has a chunk of its own, so that an eighth of one is the most that stays empty.
const LARGE: usize = CHUNK / 8;

#[derive(Debug, Default)]
pub(super) struct Arena {
    chunk: BytesMut,
}

impl Arena {
    /// Keeps the `size` bytes that `write` writes.
    pub(super) fn keep(&mut self, size: usize, write: impl FnOnce(&mut BytesMut)) -> Bytes {
        if size > LARGE {
            let mut chunk = BytesMut::with_capacity(size);
            write(&mut chunk);
            return chunk.freeze();
        }
        if self.chunk.capacity() < size {
            self.chunk = BytesMut::with_capacity(CHUNK);
        }
        write(&mut self.chunk);
        self.chunk.split().freeze()
    }
}
