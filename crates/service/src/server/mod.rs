//! Connections: taken in, bounded in number and in time, and brought to an end in good order.

mod framing;
mod linger;
mod open;
mod patient;
mod stop;
mod tls;

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;
use std::time::Duration;

use axum::middleware::from_fn;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::api::{App, router};
use crate::console::Cookie;
use crate::stream;
use crate::{Limits, Parts};

use linger::{Lingering, Unread};
use open::Open;
use patient::Patient;
pub use stop::{Stop, Stopper};
pub use tls::{InvalidCertificate, Tls};

/// A runtime for a service: threads for its connections, half as many as the machine runs at once, since
/// what a request asks for is done by others, which need the rest. One of another kind does as well, if it
/// can keep time and wait for sockets.
///
/// # Errors
///
/// If the system gives no threads or no means to wait.
pub fn runtime() -> io::Result<Runtime> {
    let threads = available_parallelism().map_or(1, |all| all.get().div_ceil(2));
    Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

/// A service that can be served.
pub struct Service {
    app: Arc<App>,
    stop: Stop,
    behind_tls: bool,
}

impl Service {
    /// Makes a service. It stops when `stop` is set.
    pub fn new(parts: Parts, stop: Stop) -> Self {
        Self { app: Arc::new(App::new(parts, stop.clone())), stop, behind_tls: false }
    }

    /// The same behind a proxy that ends TLS, so that the console's cookie is for secure connections
    /// alone.
    #[must_use]
    pub fn behind_tls(self) -> Self {
        Self { behind_tls: true, ..self }
    }

    /// Takes connections in until it is told to stop, and then lets what is at work end: no request is
    /// taken any more, those who wait for a decision are told that it is pending, and attempts that
    /// have begun are settled. A connection on which no request is at work is closed at once. When the
    /// grace is over, so is every other one, and what is still at work is left as it is: it becomes
    /// UNCERTAIN when the ledger is opened again, unless it ends before the process does.
    ///
    /// # Errors
    ///
    /// If the listener fails for good.
    pub async fn serve(self, listener: TcpListener, tls: Option<Tls>) -> io::Result<()> {
        let Self { app, stop, behind_tls } = self;
        let pump = tokio::spawn(stream::run(Arc::downgrade(&app)));
        let upkeep = tokio::spawn(upkeep(Arc::downgrade(&app)));
        let limits = &app.parts.limits;
        let room = Arc::new(Semaphore::new(limits.connections));
        let open = Open::new();
        let cookie = Cookie::of(listener.local_addr()?.port(), behind_tls || tls.is_some());
        let router = router(&app, cookie).layer(from_fn(framing::checked));
        loop {
            let (connection, place) = tokio::select! {
                taken = taken_in(&listener, &room) => taken?,
                () = stop.wait() => break,
            };
            let (router, tls, limits) = (router.clone(), tls.clone(), limits.clone());
            let (kept, stop) = (open.another(), stop.clone());
            tokio::spawn(async move {
                kept.during(answered(connection, tls, router, stop, &limits)).await;
                drop(place);
            });
        }
        drop(listener);
        // Attempts come to their end after the requests for them: who waits for places until all are
        // free keeps others from them.
        let in_good_order = async {
            open.closed().await;
            app.idle().await;
        };
        if timeout(limits.grace, in_good_order).await.is_err() {
            let (connections, releases) = (open.count(), app.releases.at_work());
            tracing::warn!(
                connections,
                releases,
                "the grace is over: connections that are left are closed, and a release that is at \
                 work is UNCERTAIN unless it ends before the process does"
            );
            open.end();
        }
        pump.abort();
        upkeep.abort();
        Ok(())
    }
}

/// How often it is looked for attempts whose owners died beside the service.
const UPKEEP: Duration = Duration::from_secs(5);

/// Settles, now and then, what others left behind that used the ledger and are gone.
async fn upkeep(app: Weak<App>) {
    loop {
        sleep(UPKEEP).await;
        let Some(app) = app.upgrade() else { return };
        // A ledger that can't be used now may be later.
        match app.work(|app| Ok(app.parts.ledger.recover()?)).await {
            Ok(0) | Err(_) => {}
            Ok(recovered) => tracing::warn!(recovered, "attempts of others who are gone"),
        }
    }
}

/// The next connection, once there is room for it.
async fn taken_in(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = room.clone().acquire_owned().await.map_err(io::Error::other)?;
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                // Answers are whole; waiting for more to send gains nothing.
                drop(connection.set_nodelay(true));
                return Ok((connection, place));
            }
            Err(error) => {
                // Such as one that was closed again, or no descriptor being left: it passes.
                tracing::warn!(%error, "a connection could not be taken in");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Serves one connection to its end, over TLS if that is wanted.
async fn answered(
    connection: TcpStream,
    tls: Option<Tls>,
    router: axum::Router,
    stop: Stop,
    limits: &Limits,
) {
    let unread = Unread::default();
    let connection = Lingering::new(connection, unread.clone());
    let Some(tls) = tls else { return served(connection, router, unread, stop, limits).await };
    let secret = tokio::select! {
        secret = timeout(limits.head_time, tls.accept(connection)) => secret,
        () = stop.wait() => return,
    };
    if let Ok(Ok(secret)) = secret {
        served(secret, router, unread, stop, limits).await;
    }
}

async fn served(
    connection: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: axum::Router,
    unread: Unread,
    stop: Stop,
    limits: &Limits,
) {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(64 << 10);
    let router = TowerToHyperService::new(router);
    let asked = AtomicBool::new(false);
    let service = service_fn(|mut request: Request<Incoming>| {
        asked.store(true, Ordering::SeqCst);
        request.extensions_mut().insert(unread.clone());
        router.call(request)
    });
    let connection = TokioIo::new(Patient::new(connection, limits.write_time));
    let mut connection = pin!(builder.serve_connection(connection, service));
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = stop.wait() => None,
    };
    // One on which nothing was asked yet would be waited for until the head of a request has come.
    if ended.is_none() && asked.load(Ordering::SeqCst) {
        connection.as_mut().graceful_shutdown();
        // How a client leaves is its own business.
        drop(connection.await);
    }
}
