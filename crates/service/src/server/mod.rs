//! Connections: taken in, bounded in number and in time, and brought to an end in good order.

mod framing;
mod patient;
mod stop;
mod tls;

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::middleware::from_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::api::{App, router};
use crate::console::Cookie;
use crate::stream;
use crate::{Limits, Parts};

use patient::Patient;
pub use stop::{Stop, Stopper};
pub use tls::{InvalidCertificate, Tls};

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
    /// have begun are settled. What takes longer than the grace is left as it is, and becomes UNCERTAIN
    /// when the ledger is opened again.
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
        let open = GracefulShutdown::new();
        let cookie = Cookie::of(listener.local_addr()?.port(), behind_tls || tls.is_some());
        let router = router(&app, cookie).layer(from_fn(framing::checked));
        loop {
            let (connection, place) = tokio::select! {
                taken = taken_in(&listener, &room) => taken?,
                () = stop.wait() => break,
            };
            let (router, watcher) = (router.clone(), open.watcher());
            let (tls, limits) = (tls.clone(), limits.clone());
            tokio::spawn(async move {
                match tls {
                    None => served(connection, router, watcher, &limits).await,
                    Some(tls) => {
                        let secret = timeout(limits.head_time, tls.accept(connection)).await;
                        if let Ok(Ok(secret)) = secret {
                            served(secret, router, watcher, &limits).await;
                        }
                    }
                }
                drop(place);
            });
        }
        drop(listener);
        let in_good_order = timeout(limits.grace, open.shutdown()).await.is_ok();
        let all_settled = timeout(limits.grace, app.idle()).await.is_ok();
        if !(in_good_order && all_settled) {
            tracing::warn!("the grace is over; what is still at work is left as it is");
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

/// Serves one connection to its end.
async fn served(
    connection: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: axum::Router,
    watcher: Watcher,
    limits: &Limits,
) {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(64 << 10);
    let service = TowerToHyperService::new(router);
    let connection = TokioIo::new(Patient::new(connection, limits.write_time));
    let connection = builder.serve_connection(connection, service);
    // How a client leaves is its own business.
    drop(watcher.watch(connection).await);
}
