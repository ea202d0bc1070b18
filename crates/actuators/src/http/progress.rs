//! Notes how far a request has come, from inside the client's own connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, NextTimeout, RustlsConnector, TcpConnector, Transport,
};

/// How far one request has come. Clones share what they note.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    stage: Arc<AtomicU8>,
}

/// The stages of a request, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing has been done, or the host is being looked up.
    LookingUp,
    /// Its addresses are known.
    Connecting,
    /// It has accepted the connection.
    Securing,
    /// The connection is ready to take the request.
    Connected,
    /// The first byte of the request may have left.
    Sending,
}

impl Progress {
    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::SeqCst) {
            0 => Stage::LookingUp,
            1 => Stage::Connecting,
            2 => Stage::Securing,
            3 => Stage::Connected,
            _ => Stage::Sending,
        }
    }

    /// Connects over TCP and, for `https`, TLS, and notes each step. What it adds for the sending
    /// stands last, so it sees the bytes of the request and not those of TLS.
    pub(crate) fn connector(&self) -> impl Connector {
        ().chain(self.at(Stage::Connecting))
            .chain(TcpConnector::default())
            .chain(self.at(Stage::Securing))
            .chain(RustlsConnector::default())
            .chain(self.at(Stage::Connected))
            .chain(WatchSending(self.clone()))
    }

    fn at(&self, stage: Stage) -> Reached {
        let progress = self.clone();
        Reached { progress, stage }
    }

    fn reached(&self, stage: Stage) {
        self.stage.fetch_max(stage as u8, Ordering::SeqCst);
    }
}

/// A link of the chain that notes that it was reached.
#[derive(Debug)]
struct Reached {
    progress: Progress,
    stage: Stage,
}

impl<T: Transport> Connector<T> for Reached {
    type Out = T;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<T>,
    ) -> Result<Option<T>, ureq::Error> {
        self.progress.reached(self.stage);
        Ok(chained)
    }
}

/// The last link of the chain.
#[derive(Debug)]
struct WatchSending(Progress);

impl<T: Transport> Connector<T> for WatchSending {
    type Out = Watched<T>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<T>,
    ) -> Result<Option<Watched<T>>, ureq::Error> {
        let progress = self.0.clone();
        Ok(chained.map(|transport| Watched { transport, progress }))
    }
}

/// A connection that notes the first byte of the request before it lets it go.
#[derive(Debug)]
struct Watched<T> {
    transport: T,
    progress: Progress,
}

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.transport.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.progress.reached(Stage::Sending);
        self.transport.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.transport.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.transport.is_open()
    }

    fn is_tls(&self) -> bool {
        self.transport.is_tls()
    }
}
