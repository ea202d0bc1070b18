use std::io::Read;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tiny_http::{Response, Server};

/// What stands for the outside world: a server on the loopback interface that keeps whatever
/// arrives.
pub(super) struct Receiver {
    server: Arc<Server>,
    address: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrival>>>,
    thread: Option<JoinHandle<()>>,
}

/// One request that really arrived.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) idempotency_key: Option<String>,
    pub(super) body: String,
}

/// More than the demo sends.
const MAX_BODY_BYTES: u64 = 64 << 10;

impl Receiver {
    /// Listens on a free port.
    pub(super) fn start() -> Result<Self, String> {
        let server = Server::http("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = server.server_addr().to_ip().ok_or("the receiver has no address")?;
        let server = Arc::new(server);
        let arrived = Arc::<Mutex<Vec<Arrival>>>::default();
        let thread = thread::spawn({
            let (server, arrived) = (server.clone(), arrived.clone());
            move || serve(&server, &arrived)
        });
        Ok(Self { server, address, arrived, thread: Some(thread) })
    }

    /// Where it listens, as an origin.
    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has arrived so far.
    pub(super) fn arrived(&self) -> Vec<Arrival> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            // It only keeps requests; there is nothing to learn from how it ended.
            drop(thread.join());
        }
    }
}

fn serve(server: &Server, arrived: &Mutex<Vec<Arrival>>) {
    for mut request in server.incoming_requests() {
        let mut body = String::new();
        let read = request.as_reader().take(MAX_BODY_BYTES).read_to_string(&mut body);
        let header = |name| request.headers().iter().find(|header| header.field.equiv(name));
        let arrival = Arrival {
            method: request.method().to_string(),
            path: request.url().to_owned(),
            idempotency_key: header("Idempotency-Key").map(|header| header.value.to_string()),
            body,
        };
        arrived.lock().unwrap_or_else(PoisonError::into_inner).push(arrival);
        let status = if read.is_ok() { 201 } else { 400 };
        // Whether the answer got through is for the one who asked to find out.
        drop(request.respond(Response::from_string("").with_status_code(status)));
    }
}
