//! Somebody with a browser, as far as a test needs one.

use std::collections::BTreeSet;

use ureq::Agent;
use ureq::http::{HeaderMap, Response};

use crate::served::Served;

/// Somebody at the console.
pub(crate) struct Person<'s> {
    served: &'s Served,
    pub(crate) cookie: Option<String>,
    pub(crate) token: String,
}

/// What a browser is given.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) html: String,
}

impl<'s> Person<'s> {
    /// Somebody who is not logged in.
    pub(crate) fn stranger(served: &'s Served) -> Self {
        Self { served, cookie: None, token: String::new() }
    }

    /// Logged in with the key of this principal.
    pub(crate) fn logged_in(served: &'s Served, name: &str) -> Self {
        let mut person = Self::stranger(served);
        let answer = person.send("/login", &[("key", served.key(name))], &[]);
        assert_eq!(answer.status, 303, "{}", answer.html);
        person.cookie = Some(answer.cookie().split(';').next().unwrap().to_owned());
        person.token = person.get("/").token();
        person
    }

    pub(crate) fn get(&self, path: &str) -> Page {
        self.get_with(path, &[])
    }

    pub(crate) fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Page {
        let mut request = self.agent().get(self.url(path));
        for (name, value) in headers.iter().copied().chain(self.shown()) {
            request = request.header(name, value);
        }
        page(request.call().unwrap())
    }

    /// Sends a form of the console.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = [("csrf", self.token.as_str())];
        self.send(path, &[&token, fields].concat(), &[("sec-fetch-site", "same-origin")])
    }

    /// Sends exactly this.
    pub(crate) fn send(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Page {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let form = form.extend_pairs(fields).finish();
        let mut request = self.agent().post(self.url(path));
        let media = ("content-type", "application/x-www-form-urlencoded");
        let said = headers.iter().any(|(name, _)| *name == media.0);
        let media = (!said).then_some(media);
        for (name, value) in headers.iter().copied().chain(media).chain(self.shown()) {
            request = request.header(name, value);
        }
        page(request.send(&form).unwrap())
    }

    /// Opens every page of a request, and gives the last.
    pub(crate) fn read_to_the_end(&self, consequence: &str) -> Page {
        let first = format!("/decide/{consequence}");
        let mut page = self.get(&first);
        assert_eq!(page.status, 200, "{}", page.html);
        while let Some(next) = page.next() {
            page = self.get(&next);
            assert_eq!(page.status, 200, "{next}");
        }
        page
    }

    /// Decides with what stands in the form of this page.
    pub(crate) fn vote(&self, consequence: &str, page: &Page, verdict: &str) -> Page {
        let digest = page.value("digest").expect("a form to decide");
        self.post(
            &format!("/decide/{consequence}"),
            &[
                ("digest", &digest),
                ("verdict", verdict),
                ("reason", "looked at"),
                ("window_seconds", "60"),
            ],
        )
    }

    fn shown(&self) -> Option<(&str, &str)> {
        self.cookie.as_deref().map(|cookie| ("cookie", cookie))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.served.address)
    }

    fn agent(&self) -> Agent {
        let config = Agent::config_builder().http_status_as_error(false);
        config.max_redirects(0).max_redirects_will_error(false).build().into()
    }
}

fn page(mut response: Response<ureq::Body>) -> Page {
    Page {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        html: response.body_mut().read_to_string().unwrap(),
    }
}

impl Page {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("-", |value| value.to_str().unwrap())
    }

    pub(crate) fn cookie(&self) -> &str {
        self.header("set-cookie")
    }

    pub(crate) fn token(&self) -> String {
        self.value("csrf").unwrap_or_else(|| panic!("no token in {}", self.html))
    }

    /// The value of a hidden field.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        let (_, rest) = self.html.split_once(&format!(r#"name="{name}" value=""#))?;
        Some(rest.split('"').next()?.to_owned())
    }

    /// Where `Next page` of a list, or of material, leads to.
    pub(crate) fn next(&self) -> Option<String> {
        let links = self.tags().into_iter().filter(|tag| tag.starts_with("a "));
        let mut next = links.filter(|tag| tag.contains(r#"rel="next""#));
        let href = attribute(&next.next()?, "href")?;
        Some(href.split('#').next()?.replace("&amp;", "&"))
    }

    /// Whether it has the means to decide.
    pub(crate) fn lets_decide(&self) -> bool {
        self.html.contains(r#"name="verdict""#)
    }

    /// What is between `<` and `>`, for each tag.
    pub(crate) fn tags(&self) -> Vec<String> {
        let starts = self.html.split('<').skip(1);
        starts.map(|rest| rest.split('>').next().unwrap().to_owned()).collect()
    }

    /// Where its links lead to and its forms go.
    pub(crate) fn ways(&self) -> BTreeSet<String> {
        let tags = self.tags();
        let ways = tags.iter().filter_map(|tag| match tag.split(' ').next() {
            Some("a") => attribute(tag, "href"),
            Some("form") => attribute(tag, "action").map(|action| format!("send {action}")),
            _ => None,
        });
        ways.filter(|way| !way.starts_with('#')).collect()
    }

    /// What is to be read on it, below its heading, a block a line.
    pub(crate) fn text(&self) -> String {
        let (_, main) = self.html.split_once("<h1>").unwrap();
        let mut text = String::new();
        for part in main.split('<') {
            let (tag, words) = part.split_once('>').unwrap_or(("", part));
            let name = tag.split(' ').next().unwrap();
            let inline = [
                "/bdo", "bdo", "span", "/span", "code", "/code", "time", "/time", "strong",
                "/strong", "mark", "/mark", "a", "/a",
            ];
            if !inline.contains(&name) && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(words);
        }
        let plain = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
        let text = plain.iter().fold(text, |text, (from, to)| text.replace(from, to));
        text.trim().to_owned()
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(r#"{name}=""#))?;
    Some(rest.split('"').next()?.to_owned())
}
