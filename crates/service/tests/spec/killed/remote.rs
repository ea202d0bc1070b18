//! A service that may be gone at any moment.

use std::net::SocketAddr;

use swampbox_material::json::Json;
use ureq::Agent;

use super::victim::key;
use crate::served::Answer;

pub(super) struct Remote {
    pub(super) address: SocketAddr,
    pub(super) agent: Agent,
}

impl Remote {
    pub(super) fn at(address: SocketAddr) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { address, agent }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What is answered, unless it is gone before the whole answer has come.
    pub(super) fn get(&self, path: &str, who: &str) -> Option<Answer> {
        let credential = format!("Bearer {}", key(who));
        let request = self.agent.get(self.url(path)).header("authorization", credential);
        answer(request.call())
    }

    pub(super) fn post(
        &self,
        path: &str,
        credential: &str,
        body: &str,
        idempotency_key: Option<&str>,
    ) -> Option<Answer> {
        let credential = format!("Bearer {credential}");
        let mut request = self.agent.post(self.url(path)).header("authorization", credential);
        if let Some(key) = idempotency_key {
            request = request.header("idempotency-key", key);
        }
        answer(request.send(body))
    }
}

fn answer(answered: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Option<Answer> {
    let mut response = answered.ok()?;
    let status = response.status().as_u16();
    let text = response.body_mut().read_to_vec().ok()?;
    Some(Answer { status, body: Json::read(&text).ok()? })
}
