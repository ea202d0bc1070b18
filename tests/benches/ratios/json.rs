use std::time::Duration;

use swampbox_material::{Material, Value};

use crate::Failure;
use crate::measure::{in_turns, per_second, timed};
use crate::report::{Aim, Figure, Line};

const ROUNDS: usize = 40;

/// About the size of the document, in bytes.
const SIZE: usize = 1 << 20;

/// The strict reader and writer against `serde_json::Value`, which is neither exact nor strict.
pub(crate) fn reading_and_writing() -> Result<Vec<Line>, Failure> {
    let text = document();
    let (own, other) = (strict(&text)?, lenient(&text)?);
    if strict(&own.to_json())? != own {
        return Err("what was written does not read back equal".into());
    }
    let [own_read, other_read] =
        in_turns(ROUNDS, [&|| timed(|| strict(&text)), &|| timed(|| lenient(&text))])?;
    let material = format!(r#"{{"consequence_type":"a","target":"b","payload":{text}}}"#);
    let [own_material, other_material] = in_turns(
        ROUNDS,
        [&|| timed(|| Ok(Material::from_json(material.as_bytes())?)), &|| {
            timed(|| lenient(&material))
        }],
    )?;
    let [own_write, other_write] = in_turns(
        ROUNDS,
        [&|| timed(|| Ok(own.to_json())), &|| timed(|| Ok(serde_json::to_string(&other)?))],
    )?;
    let line = |name, own: Duration, other: Duration, size, aim| Line {
        name,
        measured: Figure::BytesPerSecond(per_second(size, own)),
        against: Some((
            Figure::BytesPerSecond(per_second(size, other)),
            other.as_secs_f64() / own.as_secs_f64(),
        )),
        aim,
    };
    let size = text.len();
    let (own_both, other_both) = (own_read + own_write, other_read + other_write);
    Ok(vec![
        line("read 1 MiB of JSON / serde_json", own_read, other_read, size, Aim::None),
        line("read it as material / serde_json", own_material, other_material, size, Aim::None),
        line("write it / serde_json", own_write, other_write, size, Aim::None),
        line("read and write it / serde_json", own_both, other_both, 2 * size, Aim::RatioOver(1.0)),
    ])
}

/// Equality of two copies that share nothing, against that of `serde_json::Value`.
pub(crate) fn equality() -> Result<Vec<Line>, Failure> {
    let text = document();
    let own = (strict(&text)?, strict(&text)?);
    let other = (lenient(&text)?, lenient(&text)?);
    let [measured, baseline] = in_turns(
        ROUNDS,
        [&|| timed(|| equal(&own.0, &own.1)), &|| timed(|| equal(&other.0, &other.1))],
    )?;
    Ok(vec![Line {
        name: "equality of 1 MiB / serde_json, time",
        measured: Figure::Time(measured),
        against: Some((Figure::Time(baseline), measured.as_secs_f64() / baseline.as_secs_f64())),
        aim: Aim::RatioAtMost(1.0),
    }])
}

fn strict(text: &str) -> Result<Value, Failure> {
    Ok(Value::from_json(text.as_bytes())?)
}

fn lenient(text: &str) -> Result<serde_json::Value, Failure> {
    Ok(serde_json::from_slice(text.as_bytes())?)
}

fn equal<T: PartialEq>(one: &T, other: &T) -> Result<bool, Failure> {
    if one == other { Ok(true) } else { Err("two copies differ".into()) }
}

/// A list of records such as an agent proposes: identifiers, sentences with some escapes and
/// some letters beyond ASCII, amounts, nested objects, lists of tags. The same at every call.
fn document() -> String {
    let mut text = String::from("{\"version\":1,\"entries\":[");
    let mut draw = Draw(1);
    for number in 0.. {
        if text.len() >= SIZE {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text.push_str(&record(number, &mut draw));
    }
    text.push_str("]}");
    text
}

fn record(number: u32, draw: &mut Draw) -> String {
    let (account, cents, share) = (draw.below(1 << 40), draw.below(100_000_000), draw.below(9_999));
    let (words, tags) = (draw.below(40), draw.below(5));
    let sentence: String = (0..words).map(|_| draw.word()).collect();
    let tags: Vec<String> = (0..tags).map(|_| format!("\"{}\"", draw.word().trim())).collect();
    format!(
        r#"{{"id":"entry-{number:08}","account":{account},"amount":{{"currency":"EUR","cents":{cents},"share":0.{share:04}}},"approved":{},"reviewer":null,"note":"{sentence}","tags":[{}]}}"#,
        number.is_multiple_of(3),
        tags.join(","),
    )
}

/// Numbers without pattern, the same in every run (a linear congruential generator).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 24) % bound
    }

    fn word(&mut self) -> &'static str {
        match self.below(40) {
            0 => "Zürich ",
            1 => "月 ",
            2 => r#"\"second\" "#,
            3 => r"line\n",
            4..=10 => "invoice ",
            11..=20 => "transfer ",
            21..=30 => "approved ",
            _ => "of ",
        }
    }
}
