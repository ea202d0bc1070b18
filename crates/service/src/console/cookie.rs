//! The cookie of a session.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

/// Which cookie a browser is given.
///
/// A browser sends a host's cookies to all of its ports, so services on one host have a name each. Behind
/// TLS the name begins with `__Host-`: a browser takes such a cookie from this host alone, and over a
/// secure connection.
#[derive(Clone, Debug)]
pub(crate) struct Cookie {
    name: String,
    over_tls: bool,
}

impl Cookie {
    /// That of the service which listens at this port.
    pub(crate) fn of(port: u16, over_tls: bool) -> Self {
        let prefix = if over_tls { "__Host-" } else { "" };
        Self { name: format!("{prefix}swampbox_session_{port}"), over_tls }
    }

    /// What gives a browser the id of a session: for no script, no other site, and behind TLS no other kind
    /// of connection.
    pub(super) fn set(&self, id: &str) -> String {
        let secure = if self.over_tls { "; Secure" } else { "" };
        format!("{}={id}; Path=/; HttpOnly; SameSite=Strict{secure}", self.name)
    }

    /// What takes it away again.
    pub(super) fn taken(&self) -> String {
        format!("{}; Max-Age=0", self.set(""))
    }

    /// The id of the session that these headers show. Two of them are none: one may be somebody else's.
    pub(super) fn shown<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let pairs = cookies.flat_map(|cookies| cookies.split(';')).map(str::trim);
        let mut ours = pairs.filter_map(|pair| pair.strip_prefix(&*self.name)?.strip_prefix('='));
        match (ours.next(), ours.next()) {
            (Some(id), None) => Some(id),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn over_tls_the_cookie_is_for_secure_connections_to_this_host_alone() {
        let cookies = [false, true].map(|over_tls| Cookie::of(7800, over_tls));
        assert_eq!(
            cookies.map(|cookie| [cookie.set("x"), cookie.taken()]),
            [
                [
                    "swampbox_session_7800=x; Path=/; HttpOnly; SameSite=Strict",
                    "swampbox_session_7800=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
                ],
                [
                    "__Host-swampbox_session_7800=x; Path=/; HttpOnly; SameSite=Strict; Secure",
                    "__Host-swampbox_session_7800=; Path=/; HttpOnly; SameSite=Strict; Secure; \
                     Max-Age=0",
                ],
            ]
        );
    }

    #[test]
    fn a_session_is_shown_by_one_cookie_of_its_name() {
        let shown = |over_tls, cookies| {
            let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(cookies))]);
            Cookie::of(80, over_tls).shown(&headers).map(str::to_owned)
        };
        assert_eq!(shown(false, "a=b; swampbox_session_80=x; c=d").as_deref(), Some("x"));
        assert_eq!(
            shown(false, "swampbox_session_8080=y; swampbox_session_80=x").as_deref(),
            Some("x")
        );
        assert_eq!(shown(false, "swampbox_session_80=x; swampbox_session_80=y"), None);
        assert_eq!(shown(false, "swampbox_session_8080=x; swampbox_session=x"), None);
        assert_eq!(shown(false, "a=swampbox_session_80=x"), None);
        assert_eq!(shown(true, "__Host-swampbox_session_80=x").as_deref(), Some("x"));
        assert_eq!(shown(true, "swampbox_session_80=x"), None, "any site of the domain may set it");
    }
}
