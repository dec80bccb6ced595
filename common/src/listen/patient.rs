//! A stream whose writes do not wait for ever for a reader.
//!
//! Time counts only while a write cannot go on, so a stream of rare events may last for days. A reader that keeps us
//! waiting for [`PATIENCE`] before it has taken [`ENOUGH`] bytes is given up: that is less than 4 kB/s.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The longest time for which writes wait…
const PATIENCE: Duration = Duration::from_secs(15);
/// …before so many bytes are taken.
const ENOUGH: usize = 64 << 10;

pub(super) struct Patient<S> {
    stream: S,
    patience: Duration,
    enough: usize,
    /// How long writes have waited before the current wait, and how many bytes were taken meanwhile.
    waited: Duration,
    taken: usize,
    /// When the current wait began, and what wakes us at its end.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Patient<S> {
        Patient { stream, patience: PATIENCE, enough: ENOUGH, waited: Duration::ZERO, taken: 0, wait: None }
    }

    /// Judges what a write has come to.
    fn judge(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(written) => {
                if let Some((since, _)) = self.wait.take() {
                    self.waited += since.elapsed();
                }
                self.taken += *written.as_ref().unwrap_or(&0);
                if self.taken >= self.enough {
                    (self.waited, self.taken) = (Duration::ZERO, 0);
                }
                Poll::Ready(written)
            }
            Poll::Pending => {
                let left = self.patience.saturating_sub(self.waited);
                let (_, end) =
                    self.wait.get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
                ready!(end.as_mut().poll(cx));
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client reads nothing")))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.judge(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Sends 256 kB to a reader that takes `bytes` and pauses, again and again.
    async fn send(patience: Duration, bytes: usize, pause: Duration) -> io::Result<()> {
        let (near, mut far) = tokio::io::duplex(1_024);
        let mut patient = Patient { patience, enough: 4 << 10, ..Patient::new(near) };
        let reading = async {
            let mut buffer = vec![0; bytes];
            while far.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                tokio::time::sleep(pause).await;
            }
        };
        let writing = async {
            let written = patient.write_all(&vec![0; 256 << 10]).await;
            drop(patient);
            written
        };
        // What is left in the pipe at the end need not be read.
        tokio::select! { written = writing => written, () = reading => Ok(()) }
    }

    #[tokio::test]
    async fn a_reader_that_takes_little_or_nothing_is_given_up() {
        for pause in [2, 1_000].map(Duration::from_millis) {
            let error = send(Duration::from_millis(200), 1, pause).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{pause:?}");
        }
    }

    #[tokio::test]
    async fn a_reader_that_is_merely_slow_gets_everything() {
        let begun = Instant::now();
        send(Duration::from_millis(900), 1_024, Duration::from_millis(5)).await.unwrap();
        assert!(begun.elapsed() > Duration::from_millis(900), "the whole must take longer than the patience");
    }

    #[tokio::test]
    async fn pauses_between_writes_do_not_count() {
        let (near, mut far) = tokio::io::duplex(1_024);
        let mut patient = Patient { patience: Duration::from_millis(20), ..Patient::new(near) };
        for _ in 0..8 {
            patient.write_all(b"event").await.unwrap();
            tokio::time::sleep(Duration::from_millis(15)).await;
            far.read_exact(&mut [0; 5]).await.unwrap();
        }
    }
}
