//! What waits for whom in `swampbox serve`.

use std::sync::mpsc::channel;
use std::thread;

use tiny_http::{Response, Server};

use crate::service::{Serving, configured, post_to, text};

#[test]
fn a_target_that_does_not_answer_holds_up_releases_to_itself_and_to_no_other() {
    let (slow, quick) =
        (Server::http("127.0.0.1:0").unwrap(), Server::http("127.0.0.1:0").unwrap());
    let [slow_url, quick_url] =
        [&slow, &quick].map(|server| format!("http://{}", server.server_addr()));
    let table = |url: &str| format!("[[http]]\ntarget = \"{url}\"\nprivate = true\n");
    let ledger = configured(&format!(
        "[[rules]]\nconsequence_type = \"http.request\"\neffect = \"ALLOW\"\nreason = \"r\"\n{}{}\
         [service.limits]\nreleases_of_one_actuator = 1\npatience_seconds = 1\n",
        table(&slow_url),
        table(&quick_url),
    ));
    let config = std::fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    ledger.write("swampbox.toml", config.replace("[\"approvals\"]", "[\"rules\"]"));
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    for (id, url) in [("first", &slow_url), ("second", &slow_url), ("other", &quick_url)] {
        let body = format!(
            r#"{{"consequence_id":"{id}","consequence_type":"http.request","target":"{url}",
                "payload":{{"method":"POST","url":"{url}/","body":"hello"}}}}"#
        );
        let (status, answer) = serving.post(&token, "/v1/consequences", &body);
        assert_eq!(status, 201, "{answer}");
    }
    let service = serving.url.clone();
    let release =
        |id: &str| post_to(&service, &token, &format!("/v1/consequences/{id}/release"), "").1;
    let (entered, heard) = channel();
    let (let_go, go_on) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let request = slow.recv().unwrap();
            entered.send(()).unwrap();
            assert!(go_on.recv().is_err());
            request.respond(Response::empty(204)).unwrap();
        });
        scope.spawn(move || quick.recv().unwrap().respond(Response::empty(204)).unwrap());
        let first = scope.spawn(|| release("first"));
        heard.recv().unwrap();
        assert_eq!(text(&release("second"), "code"), "overloaded");
        assert_eq!(text(&release("other"), "status"), "RELEASED");
        drop(let_go);
        assert_eq!(text(&first.join().unwrap(), "status"), "RELEASED");
    });
}
