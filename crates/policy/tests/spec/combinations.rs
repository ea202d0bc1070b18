//! What every mix of one to three children comes to, against tables written by hand.
//!
//! Each mix has to fit exactly one row of its table, and each row has to fit some mix.

use swampbox_authority::{AuthorityProvider, DecisionDocument, NoDecision};
use swampbox_material::json::Json;
use swampbox_policy::{AllOf, FirstThatAnswers};

use crate::asked::{asked, minute, released};
use crate::child::{Child, Log, mixes};

/// The children may stand in any order. One of each group has to be among them, and none that is
/// not in the last column of letters.
const ALL_OF: &str = "
    one of each | none but      | answer                  | released in minute 7
    a           | a             | ALLOW from 0 until 10   | actuator_succeeded
    b           | b             | ALLOW from 5 until 15   | actuator_succeeded
    c           | c             | ALLOW from 10 until 20  | authority_not_yet_valid
    x           | x             | ALLOW from -10 until -5 | authority_expired
    a b         | ab            | ALLOW from 5 until 10   | actuator_succeeded
    b c         | bc            | ALLOW from 10 until 15  | authority_not_yet_valid
    a c         | abc           | no decision             | authority_unavailable
    x abc       | abcx          | no decision             | authority_unavailable
    u           | abcxu         | no decision             | authority_unavailable
    mokt        | abcxumokt     | as it came              | as the first of those that is not usable
    r           | abcxumoktr    | revoked                 | authority_revoked
    p           | abcxumoktrp   | pending                 | authority_pending
    de          | abcxumoktrpde | DENY                    | authority_not_allowed";

/// First come children that have no decision, or none such; then the one that the row is about, or
/// nobody; then any.
const FIRST_THAT_ANSWERS: &str = "
    passed over | the first to say more | answer                  | released in minute 7
    u           | a                     | ALLOW from 0 until 10   | actuator_succeeded
    u           | b                     | ALLOW from 5 until 15   | actuator_succeeded
    u           | c                     | ALLOW from 10 until 20  | authority_not_yet_valid
    u           | x                     | ALLOW from -10 until -5 | authority_expired
    u           | de                    | DENY                    | authority_not_allowed
    u           | p                     | pending                 | authority_pending
    u           | r                     | revoked                 | authority_revoked
    u           | m                     | as it came              | authority_invalid
    u           | o                     | as it came              | authority_consequence_mismatch
    u           | k                     | as it came              | authority_custodian_mismatch
    u           | t                     | as it came              | authority_material_mismatch
    u           | nobody                | no decision             | authority_unavailable";

/// Why the boundary refuses an answer that can't be used.
const REFUSALS: [(char, &str); 4] = [
    ('m', "authority_invalid"),
    ('o', "authority_consequence_mismatch"),
    ('k', "authority_custodian_mismatch"),
    ('t', "authority_material_mismatch"),
];

type Row = [&'static str; 4];

#[test]
fn all_of_allows_what_every_child_allows() {
    let fits = |[each, none_but, ..]: Row, mix: &str| {
        each.split(' ').all(|group| mix.contains(|letter| group.contains(letter)))
            && mix.chars().all(|letter| none_but.contains(letter))
    };
    check(ALL_OF, fits, all_of);
}

#[test]
fn the_first_that_answers_has_the_last_word() {
    let fits = |[passed_over, decides, ..]: Row, mix: &str| match mix
        .trim_start_matches(passed_over)
        .chars()
        .next()
    {
        Some(first) => decides != "nobody" && decides.contains(first),
        None => decides == "nobody",
    };
    check(FIRST_THAT_ANSWERS, fits, first_that_answers);
}

#[test]
fn all_of_asks_each_child_once_until_one_denies() {
    for mix in mixes() {
        let until = mix.find(['d', 'e']).map_or(mix.len(), |position| position + 1);
        assert_eq!(who_is_asked(all_of, &mix), mix[..until]);
    }
}

#[test]
fn the_first_that_answers_is_the_last_that_is_asked() {
    for mix in mixes() {
        let until = mix.find(|letter| letter != 'u').map_or(mix.len(), |position| position + 1);
        assert_eq!(who_is_asked(first_that_answers, &mix), mix[..until]);
    }
}

fn check<P: AuthorityProvider>(
    table: &'static str,
    fits: impl Fn(Row, &str) -> bool,
    combination: fn(Vec<Child>) -> P,
) {
    let mut rows = rows(table);
    assert_eq!(mixes().len(), 13 + 13 * 13 + 13 * 13 * 13);
    for mix in mixes() {
        let fitting: Vec<_> = rows.iter_mut().filter(|(row, _)| fits(*row, &mix)).collect();
        let [(row, used)] = fitting.try_into().expect(&mix);
        let [.., answer, mut reason] = *row;
        if reason == "as the first of those that is not usable" {
            let refusal = |letter| REFUSALS.into_iter().find(|(unusable, _)| *unusable == letter);
            reason = mix.chars().find_map(refusal).unwrap().1;
        }
        let children = || Child::each(&mix, &Log::default());
        assert_eq!(told(combination(children()).evaluate(&asked())), answer, "{mix}");
        assert_eq!(released(combination(children())).reason().code().as_str(), reason, "{mix}");
        *used = true;
    }
    assert!(rows.iter().all(|(_, used)| *used), "a row fits no mix");
}

/// The rows of a table, none of them used yet.
fn rows(table: &'static str) -> Vec<(Row, bool)> {
    let cells = |line: &'static str| -> Vec<_> { line.split('|').map(str::trim).collect() };
    let rows = table.lines().filter(|line| !line.is_empty()).skip(1);
    rows.map(|line| (cells(line).try_into().unwrap(), false)).collect()
}

fn who_is_asked<P: AuthorityProvider>(combination: fn(Vec<Child>) -> P, mix: &str) -> String {
    let log = Log::default();
    drop(combination(Child::each(mix, &log)).evaluate(&asked()));
    log.lock().unwrap().clone()
}

/// An answer in the words of the tables.
fn told(answer: Result<DecisionDocument, NoDecision>) -> String {
    let answer = match answer {
        Ok(answer) if answer.parts().is_empty() => return "as it came".into(),
        Ok(answer) => Json::read(answer.as_received().as_bytes()).unwrap(),
        Err(none) => {
            return match none.code().as_str() {
                "authority_pending" => "pending".into(),
                "authority_revoked" => "revoked".into(),
                _ => "no decision".into(),
            };
        }
    };
    let field = |name| answer.as_object().unwrap().get(name).unwrap().as_str().unwrap();
    let at = |name| (-10..=20).find(|&m| minute(m).to_string() == field(name)).unwrap();
    match field("verdict") {
        "ALLOW" => format!("ALLOW from {} until {}", at("issued_at"), at("valid_until")),
        verdict => verdict.into(),
    }
}

pub(crate) fn all_of(children: Vec<Child>) -> AllOf {
    let mut children = children.into_iter();
    let first = AllOf::new(children.next().unwrap()).with_ids(|| "combined".to_owned());
    children.fold(first, AllOf::and)
}

pub(crate) fn first_that_answers(children: Vec<Child>) -> FirstThatAnswers {
    let mut children = children.into_iter();
    let first = FirstThatAnswers::new(children.next().unwrap());
    children.fold(first, FirstThatAnswers::then)
}
