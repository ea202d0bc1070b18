use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long more is taken of what nobody reads any more.
const LONGEST: Duration = Duration::from_secs(5);

/// How many bytes are.
const MOST: usize = 8 << 20;

/// How many are at once.
const PART: usize = 16 << 10;

/// Whether the last answer of a connection was given before all of its request had come.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A connection that is closed in such a way that the last answer arrives. A system that still gets data
/// for a connection that is closed resets it, and the other side may lose the answer by that before it has
/// read it; so what is still sent is taken for a while, and thrown away.
pub(super) struct Lingering<C> {
    connection: C,
    unread: Unread,
    is_shut: bool,
    left: usize,
    until: Option<Pin<Box<Sleep>>>,
}

impl<C> Lingering<C> {
    pub(super) fn new(connection: C, unread: Unread) -> Self {
        Self { connection, unread, is_shut: false, left: MOST, until: None }
    }
}

impl<C: AsyncRead + Unpin> Lingering<C> {
    /// Takes what comes until nothing more does, or it is enough.
    fn poll_drained(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(LONGEST)));
        if until.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        let mut room = [0; PART];
        while self.left > 0 {
            let mut part = ReadBuf::new(&mut room);
            match Pin::new(&mut self.connection).poll_read(context, &mut part) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => break,
                Poll::Ready(Ok(())) => match part.filled().len() {
                    0 => break,
                    taken => self.left = self.left.saturating_sub(taken),
                },
            }
        }
        Poll::Ready(())
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Lingering<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_read(context, buffer)
    }
}

impl<C: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut self.connection).poll_shutdown(context))?;
            self.is_shut = true;
        }
        match self.unread.is_set() {
            true => self.poll_drained(context).map(Ok),
            false => Poll::Ready(Ok(())),
        }
    }
}
