//! What every page has around it.

use axum::http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use swampbox_custody::ReleaseState;
use swampbox_ledger::Execution;

use super::assets::{ICON, SCRIPT, STYLE};
use super::form::TOKEN;
use super::session::Visitor;
use super::shell::{Answered, Visit};
use super::text::{is_plain, message, name, place};
use crate::api::{APPROVER, HISTORIANS, Problem, READERS};
use crate::principal::Role;

/// The pages that a menu names, and who may see them.
const MENU: [(&str, &str, &[Role]); 6] = [
    ("/", "Overview", READERS),
    ("/decide", "Decide", APPROVER),
    ("/consequences", "Consequences", READERS),
    ("/executions", "Executions", READERS),
    ("/quarantine", "Quarantine", READERS),
    ("/ledger", "Ledger", HISTORIANS),
];

/// A page for whoever visits. `at` is the page of the menu that it belongs to.
pub(super) fn page(visit: &Visit, at: &str, title: &str, content: Markup) -> Answered {
    Answered::Page(framed(Some((&visit.visitor, at)), title, content))
}

/// A page that says why nothing was done, and what there is now.
pub(super) fn refused(visit: &Visit, problem: &Problem, now: Markup) -> Answered {
    let content = html! { (told(problem)) (now) };
    Answered::Refused(problem.status(), framed(Some((&visit.visitor, "")), "Refused", content))
}

/// A page that says why nothing is shown or done.
pub(super) fn problem(visitor: &Visitor, problem: &Problem) -> Markup {
    let title = match problem.status() {
        StatusCode::NOT_FOUND => "Not found",
        _ => "Refused",
    };
    framed(Some((visitor, "")), title, told(problem))
}

/// The page that asks for a key.
pub(super) fn login(problem: Option<&Problem>) -> Markup {
    let content = html! {
        form.card.login method="post" action="/login" {
            label for="key" { "API key" }
            input #key name="key" type="password" autocomplete="current-password" required
                autofocus spellcheck="false" aria-describedby="about-key";
            p.hint #about-key { "It stays with this service. Only a session of this browser is kept." }
            button.primary type="submit" { "Log in" }
        }
        @if let Some(problem) = problem { (told(problem)) }
    };
    framed(None, "Log in", content)
}

fn told(problem: &Problem) -> Markup {
    html! {
        section.card.problem role="alert" {
            p.what { (message(&problem.message)) }
            p { (problem.code.meaning()) " " (problem.code.remedy()) }
            p.hint { "Code: " code { (problem.code.as_str()) } }
        }
    }
}

fn framed(visitor: Option<(&Visitor, &str)>, title: &str, content: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · SwampBox" }
                link rel="stylesheet" href=(STYLE.path());
                link rel="icon" type="image/svg+xml" href=(ICON.path());
                script src=(SCRIPT.path()) defer {}
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header.top {
                    span.brand { "SwampBox" }
                    @if let Some((visitor, at)) = visitor {
                        nav aria-label="Pages" {
                            ul {
                                @for (path, title, roles) in MENU {
                                    @if roles.iter().any(|role| visitor.holder.has(*role)) {
                                        @let here = (path == at).then_some("page");
                                        li { a href=(path) aria-current=[here] { (title) } }
                                    }
                                }
                            }
                        }
                        form.who method="post" action="/logout" {
                            (token(visitor))
                            span { (name(visitor.holder.name.as_str())) }
                            button type="submit" { "Log out" }
                        }
                    }
                }
                main #content tabindex="-1" {
                    h1 { (title) }
                    (content)
                }
            }
        }
    }
}

/// The field that every form has.
pub(super) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name=(TOKEN) value=(visitor.token); }
}

/// A consequence by its id, which leads to its page.
pub(super) fn consequence(id: &str) -> Markup {
    html! { a href=(format!("/consequences/{}", place(id))) { (name(id)) } }
}

/// What became of a consequence.
pub(super) fn state(state: ReleaseState, releasing: bool) -> Markup {
    let class = state.as_str().to_ascii_lowercase();
    html! {
        span.state.(class) { (state.as_str()) }
        @if releasing { " " span.state.releasing { "being released" } }
    }
}

/// Who holds a consequence.
pub(super) fn holder(custodian: Option<&str>) -> Markup {
    match custodian {
        Some(custodian) => name(custodian),
        None => html! { span.state.quarantined { "quarantined" } },
    }
}

/// The ids of executions, for a field to choose from: those that are plain to see. Any other is typed.
pub(super) fn choices(id: &str, executions: &[Execution]) -> Markup {
    let ids = executions.iter().map(|execution| execution.id.as_str());
    html! {
        datalist id=(id) {
            @for id in ids.filter(|id| is_plain(id)) { option value=(id) {} }
        }
    }
}

/// The way to other pages of a list.
pub(super) fn more(first: Option<&str>, next: Option<&str>) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav.pages aria-label="More of the list" {
                @if let Some(first) = first { a.button href=(first) { "From the beginning" } }
                @if let Some(next) = next { a.button href=(next) rel="next" { "Next page" } }
            }
        }
    }
}
