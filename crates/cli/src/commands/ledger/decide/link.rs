//! The way to a service.

use std::env;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use swampbox_material::json::{Json, MAX_DOCUMENT_BYTES};
use swampbox_material::{Code, Shown};
use ureq::Agent;
use ureq::http::{Response, Uri};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::arguments::LinkArguments;
use crate::config;
use crate::failure::Failure;

/// The variable that holds the key, if no file does.
const KEY: &str = "SWAMPBOX_KEY";

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Asks a service in the name of whoever has the key.
pub(super) struct Link {
    agent: Agent,
    base: String,
    key: String,
}

impl Link {
    /// The way to the service at this URL.
    pub(super) fn to(url: &str, arguments: &LinkArguments) -> Result<Self, Failure> {
        let base = base(url, arguments.allow_plain_http)?;
        let key = match &arguments.key_file {
            Some(file) => config::secret(file)?,
            None => env::var_os(KEY).unwrap_or_default().to_string_lossy().into_owned(),
        };
        if key.is_empty() {
            let message = format!("no key says who you are; give --key-file, or set {KEY}");
            return Err(Failure::plain(Code::Unauthenticated, message));
        }
        if let Some(flaw) = config::flaw(&key) {
            return Err(Failure::plain(Code::Unauthenticated, format!("{KEY}: {flaw}")));
        }
        let mut tls = TlsConfig::builder();
        if let Some(file) = &arguments.ca {
            tls = tls.root_certs(RootCerts::new_with_certs(&certificates(file)?));
        }
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .tls_config(tls.build());
        Ok(Self { agent: config.build().into(), base, key })
    }

    pub(super) fn get(&self, path: &str) -> Result<Json, Failure> {
        let request = self.agent.get(format!("{}{path}", self.base));
        let answer = request.header("authorization", self.credential()).call();
        self.taken(answer)
    }

    pub(super) fn post(&self, path: &str, body: Option<&Json>) -> Result<Json, Failure> {
        let request = self.agent.post(format!("{}{path}", self.base));
        let request = request.header("authorization", self.credential());
        self.taken(match body {
            Some(body) => request.header("content-type", "application/json").send(body.to_string()),
            None => request.send_empty(),
        })
    }

    fn credential(&self) -> String {
        format!("Bearer {}", self.key)
    }

    /// The document that was answered, or why it was refused.
    fn taken(&self, answer: Result<Response<ureq::Body>, ureq::Error>) -> Result<Json, Failure> {
        let unreachable = |why: &dyn ToString| {
            Failure::new(Code::ServiceUnreachable, &self.base, why.to_string())
        };
        let mut answer = answer.map_err(|error| unreachable(&error))?;
        let status = answer.status();
        let body = answer.body_mut().with_config().limit(MAX_DOCUMENT_BYTES as u64).read_to_vec();
        let body = body.map_err(|error| unreachable(&error))?;
        match Json::read(&body) {
            Ok(document) if status.is_success() => Ok(document),
            Ok(document) => Err(refused(&document).unwrap_or_else(|| unreachable(&status))),
            Err(_) => Err(unreachable(&format!("{status}, and no JSON"))),
        }
    }
}

/// What a problem document says.
fn refused(document: &Json) -> Option<Failure> {
    let text = |name: &str| document.as_object()?.get(name)?.as_str();
    let (code, detail) = (text("code")?, text("detail")?);
    let code = Code::ALL.iter().find(|known| known.as_str() == code)?;
    Some(match code {
        Code::StoreUnavailable | Code::ClockInvalid => Failure::plain(*code, detail),
        _ => Failure::refusal(*code, detail),
    })
}

/// The URL without a slash at its end, if a key may be sent there.
fn base(url: &str, plain_http: bool) -> Result<String, Failure> {
    let refused = |why: &str| {
        let message = format!("{}: {why}", Shown::brief(url));
        Failure::plain(Code::InvalidArguments, message)
    };
    let form = "a service is at a URL such as https://box.example.com";
    let uri: Uri = url.parse().map_err(|_| refused(form))?;
    let host = uri.host().ok_or_else(|| refused(form))?;
    if uri.query().is_some() || uri.authority().is_some_and(|one| one.as_str().contains('@')) {
        return Err(refused(form));
    }
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if plain_http || is_loopback(host) => {}
        Some("http") => {
            let why = "others could read the key on its way; take https, or say \
                       --allow-plain-http";
            return Err(refused(why));
        }
        _ => return Err(refused(form)),
    }
    Ok(url.trim_end_matches('/').to_owned())
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

/// The certificates in a PEM file.
fn certificates(file: &Path) -> Result<Vec<Certificate<'static>>, Failure> {
    let subject = file.to_string_lossy();
    let pem = config::bytes(file, MAX_DOCUMENT_BYTES).map_err(|unread| unread.failure(file))?;
    let found = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    match found.is_empty() {
        true => Err(Failure::new(Code::InvalidArguments, &subject, "it holds no certificate")),
        false => Ok(found),
    }
}
