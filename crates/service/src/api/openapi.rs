//! The OpenAPI document, made of the table of routes.

use swampbox_material::json::Json;

use super::shell::App;
use super::{Access, Call, Method, Problem, ROUTES, Reply, Route};

/// The schemas that the routes name.
const SCHEMAS: &str = include_str!("../../openapi/schemas.json");

/// The document, as `/openapi.json` gives it.
pub fn document() -> Json {
    let mut paths: Vec<(&str, Vec<(&str, Json)>)> = Vec::new();
    for route in ROUTES {
        let method = match route.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        let operation = (method, operation(route));
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, operations)) => operations.push(operation),
            None => paths.push((route.path, vec![operation])),
        }
    }
    let paths = paths.into_iter().map(|(path, operations)| (path, Json::object(operations)));
    let bearer = |description: &str| {
        Json::object([
            ("type", Json::from("http")),
            ("scheme", Json::from("bearer")),
            ("description", Json::from(description)),
        ])
    };
    Json::object([
        ("openapi", Json::from("3.1.0")),
        (
            "info",
            Json::object([
                ("title", Json::from("SwampBox")),
                ("version", Json::from(env!("CARGO_PKG_VERSION"))),
                (
                    "description",
                    Json::from(
                        "Consequences of agents, held until an authority releases them. Every refusal is a \
                         problem document with a stable `code`.",
                    ),
                ),
            ]),
        ),
        ("paths", Json::object(paths)),
        (
            "components",
            Json::object([
                (
                    "securitySchemes",
                    Json::object([
                        (
                            "apiKey",
                            bearer(
                                "The API key of a principal, or a token of the issuer that is believed.",
                            ),
                        ),
                        ("executionToken", bearer("The token of an execution.")),
                    ]),
                ),
                ("schemas", schemas()),
            ]),
        ),
    ])
}

/// A test reads them; a build in which they are broken is not one that is served.
fn schemas() -> Json {
    Json::read(SCHEMAS.as_bytes()).unwrap_or(Json::Null)
}

fn operation(route: &Route) -> Json {
    let text = |text: &str| Json::from(text);
    let reference = |schema: &str| {
        Json::object([("$ref", Json::from(format!("#/components/schemas/{schema}").as_str()))])
    };
    let content = |kind: &str, schema: &str| {
        Json::object([(kind, Json::object([("schema", reference(schema))]))])
    };
    let place = |place: &str| {
        Json::object([
            ("name", text(place)),
            ("in", text("path")),
            ("required", Json::Bool(true)),
            ("schema", reference("Identifier")),
        ])
    };
    let places = route.path.split(['{', '}']).skip(1).step_by(2).map(place);
    let others = route.parameters.iter().map(|parameter| {
        Json::object([
            ("name", text(parameter.name)),
            ("in", text(parameter.within)),
            ("required", Json::Bool(false)),
            ("description", text(parameter.summary)),
            ("schema", reference(parameter.schema)),
        ])
    });
    let (status, schema) = route.reply;
    let kind = match schema {
        "EventStream" => "text/event-stream",
        "Metrics" => "application/openmetrics-text",
        _ => "application/json",
    };
    let done =
        Json::object([("description", text("It is done.")), ("content", content(kind, schema))]);
    let refused = Json::object([
        ("description", text("It is refused, and nothing has changed.")),
        ("content", content("application/problem+json", "Problem")),
    ]);
    let mut operation = vec![
        ("operationId", text(route.name)),
        ("summary", text(route.summary)),
        ("security", security(route.access)),
    ];
    if let Access::Roles(roles) | Access::ExecutionOr(roles) = route.access {
        let roles = roles.iter().map(|role| text(role.as_str())).collect();
        operation.push(("x-roles", Json::List(roles)));
    }
    let parameters: Vec<Json> = places.chain(others).collect();
    if !parameters.is_empty() {
        operation.push(("parameters", Json::List(parameters)));
    }
    if let Some(body) = route.body {
        let required = Json::Bool(!matches!(body, "Release" | "NewExecution" | "Adoption"));
        let body =
            Json::object([("required", required), ("content", content("application/json", body))]);
        operation.push(("requestBody", body));
    }
    let status = status.to_string();
    let done = (status.as_str(), done);
    let again = route.parameters.iter().any(|parameter| parameter.name == "Idempotency-Key");
    let again = again.then(|| {
        let told = "It was done before, under this key. The answer is what it was then.";
        let content = ("content", content(kind, schema));
        ("200", Json::object([("description", text(told)), content]))
    });
    let all = again.into_iter().chain([done, ("default", refused)]);
    operation.push(("responses", Json::object(all)));
    Json::object(operation)
}

fn security(access: Access) -> Json {
    let schemes: &[&str] = match access {
        Access::Anybody => &[],
        Access::Execution => &["executionToken"],
        Access::Roles(_) => &["apiKey"],
        Access::ExecutionOr(_) => &["executionToken", "apiKey"],
    };
    let scheme = |scheme: &&str| Json::object([(*scheme, Json::List(Vec::new()))]);
    Json::List(schemes.iter().map(scheme).collect())
}

pub(super) fn answer(_: &App, _: &Call) -> Result<Reply, Problem> {
    Ok(Reply::ok(document()))
}
