//! Children of combinations, each with one answer, and a log of what they were asked.

use std::sync::{Arc, Mutex};

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision, Verdict,
};
use swampbox_material::Material;

use crate::asked::{held, parsed, window};

/// Every answer that a child can give. Numbers are minutes; now is minute 7.
pub(crate) const ANSWERS: &str = "\
    a  ALLOW from 0 until 10
    b  ALLOW from 5 until 15
    c  ALLOW from 10 until 20
    x  ALLOW from -10 until -5
    d  DENY
    e  DENY, about another consequence
    u  no decision
    p  pending
    r  revoked
    m  malformed
    o  ALLOW, about another consequence
    k  ALLOW, for another custodian
    t  ALLOW, about other material";

/// The letters of [`ANSWERS`].
pub(crate) fn letters() -> Vec<char> {
    ANSWERS.lines().filter_map(|line| line.trim_start().chars().next()).collect()
}

/// Every mix of one to three answers.
pub(crate) fn mixes() -> Vec<String> {
    let longer = |mixes: &[String]| -> Vec<String> {
        let each = mixes.iter().flat_map(|mix| letters().into_iter().map(move |l| (mix, l)));
        each.map(|(mix, letter)| format!("{mix}{letter}")).collect()
    };
    let ones = longer(&[String::new()]);
    let twos = longer(&ones);
    let threes = longer(&twos);
    [ones, twos, threes].concat()
}

/// What the children of one combination were asked: a letter for each, in the order of asking.
pub(crate) type Log = Arc<Mutex<String>>;

/// A child that answers with one letter, and says with another whether that stands: `s` if it does,
/// `r` if it was revoked, `u` if that can't be told.
pub(crate) struct Child {
    letter: char,
    stands: char,
    position: usize,
    log: Log,
}

impl Child {
    /// A child for each letter, the answers of which all stand.
    pub(crate) fn each(mix: &str, log: &Log) -> Vec<Self> {
        Self::each_standing(mix, &"s".repeat(mix.len()), log)
    }

    pub(crate) fn each_standing(mix: &str, stands: &str, log: &Log) -> Vec<Self> {
        let children = (1..).zip(mix.chars().zip(stands.chars()));
        let child =
            |(position, (letter, stands))| Self { letter, stands, position, log: log.clone() };
        children.map(child).collect()
    }

    fn decision(&self) -> AuthorityDecision {
        let (from, until) = match self.letter {
            'b' => (5, 15),
            'c' => (10, 20),
            'x' => (-10, -5),
            _ => (0, 10),
        };
        let verdict = if "de".contains(self.letter) { Verdict::Deny } else { Verdict::Allow };
        let id = parsed(&format!("{}{}", self.letter, self.position));
        let decision = AuthorityDecision::about(&held(), id, verdict, window(from, until)).unwrap();
        match self.letter {
            'o' | 'e' => AuthorityDecision { consequence_id: parsed("Y"), ..decision },
            'k' => AuthorityDecision { execution_id: parsed("exec-B"), ..decision },
            't' => {
                let bound_consequence = Material::new("note", "inbox", "goodbye".into());
                AuthorityDecision { bound_consequence, ..decision }
            }
            _ => decision,
        }
    }
}

impl AuthorityProvider for Child {
    fn evaluate(&self, _: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.log.lock().unwrap().push(self.letter);
        match self.letter {
            'u' => Err(NoDecision::new("it has no opinion")),
            'p' => Err(NoDecision::pending("request 1 waits")),
            'r' => Err(NoDecision::revoked("key 1 was revoked")),
            '!' => panic!("a child panics, as the test wants it to"),
            'm' => Ok(DecisionDocument::read(b"{\"verdict\": \"ALLOW\"}")),
            _ => Ok(self.decision().into()),
        }
    }

    fn stands(&self, _: &AuthorityRequest, decision: &DecisionDocument) -> Result<(), NoDecision> {
        let own = format!("{}{}", self.letter, self.position);
        assert_eq!(decision.decision_id(), Some(parsed(&own)), "it is asked about its own answer");
        self.log.lock().unwrap().push_str(&format!(" {own}"));
        match self.stands {
            's' => Ok(()),
            'r' => Err(NoDecision::revoked("it was taken back")),
            '!' => panic!("a child panics, as the test wants it to"),
            _ => Err(NoDecision::new("that can't be told")),
        }
    }

    fn name(&self) -> &str {
        ["", "first", "second", "third"][self.position]
    }
}
