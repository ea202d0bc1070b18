//! The files beside the pages. They are in the binary, and have their digest in their path, so that a
//! browser may keep them.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::Response;
use axum::routing::get;

use crate::secret::sha256;

/// A file.
pub(super) struct Asset {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
    path: LazyLock<String>,
}

pub(super) static STYLE: Asset = Asset {
    name: "console.css",
    content_type: "text/css; charset=utf-8",
    text: include_str!("assets/console.css"),
    path: LazyLock::new(|| STYLE.placed()),
};

pub(super) static SCRIPT: Asset = Asset {
    name: "console.js",
    content_type: "text/javascript; charset=utf-8",
    text: include_str!("assets/console.js"),
    path: LazyLock::new(|| SCRIPT.placed()),
};

pub(super) static ICON: Asset = Asset {
    name: "icon.svg",
    content_type: "image/svg+xml",
    text: include_str!("assets/icon.svg"),
    path: LazyLock::new(|| ICON.placed()),
};

impl Asset {
    /// Where it is.
    pub(super) fn path(&'static self) -> &'static str {
        &self.path
    }

    fn placed(&self) -> String {
        let digest = sha256(self.text);
        format!("/assets/{}/{}", digest.get(..16).unwrap_or_default(), self.name)
    }

    fn response(&self) -> Response {
        let mut response = Response::new(Body::from(self.text));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let for_good = "public, max-age=31536000, immutable";
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(for_good));
        response
    }
}

/// Puts them beside the pages.
pub(super) fn mount(router: Router) -> Router {
    [&STYLE, &SCRIPT, &ICON].into_iter().fold(router, |router, asset: &'static Asset| {
        router.route(asset.path(), get(move || async move { asset.response() }))
    })
}
