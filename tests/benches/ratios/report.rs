use std::time::Duration;

use serde_json::{Value, json};

/// One thing that was measured.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) measured: Figure,
    /// What it is compared with, if with anything, and the ratio of the two.
    pub(crate) against: Option<(Figure, f64)>,
    pub(crate) aim: Aim,
}

/// A figure, with its unit where it is shown.
#[derive(Clone, Copy)]
pub(crate) enum Figure {
    Time(Duration),
    Bytes(u64),
    BytesPerSecond(f64),
    PerSecond(f64),
}

/// What a line should come to.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    None,
    RatioOver(f64),
    RatioAtLeast(f64),
    RatioAtMost(f64),
    TimeUnder(Duration),
    BytesUnder(u64),
}

impl Line {
    /// Two times, and how many of the second the first is.
    pub(crate) fn of_times(
        name: &'static str,
        measured: Duration,
        against: Duration,
        aim: Aim,
    ) -> Self {
        let ratio = measured.as_secs_f64() / against.as_secs_f64();
        let against = Some((Figure::Time(against), ratio));
        Self { name, measured: Figure::Time(measured), against, aim }
    }

    fn met(&self) -> Option<bool> {
        let ratio = self.against.map(|(_, ratio)| ratio);
        match (self.aim, self.measured) {
            (Aim::None, _) => None,
            (Aim::RatioOver(bound), _) => ratio.map(|ratio| ratio > bound),
            (Aim::RatioAtLeast(bound), _) => ratio.map(|ratio| ratio >= bound),
            (Aim::RatioAtMost(bound), _) => ratio.map(|ratio| ratio <= bound),
            (Aim::TimeUnder(bound), Figure::Time(time)) => Some(time < bound),
            (Aim::BytesUnder(bound), Figure::Bytes(bytes)) => Some(bytes < bound),
            (Aim::TimeUnder(_) | Aim::BytesUnder(_), _) => None,
        }
    }

    fn cells(&self) -> [String; 6] {
        let (baseline, ratio) = self.against.map_or_else(Default::default, |(figure, ratio)| {
            (figure.shown(), format!("{ratio:.2}"))
        });
        let met = match self.met() {
            None => "",
            Some(true) => "met",
            Some(false) => "missed",
        };
        [self.name.into(), self.measured.shown(), baseline, ratio, self.aim.shown(), met.into()]
    }
}

impl Figure {
    fn shown(self) -> String {
        match self {
            Figure::Time(time) => format!("{time:.2?}"),
            Figure::Bytes(bytes) => in_large_units(bytes),
            Figure::BytesPerSecond(rate) => format!("{:.0} MB/s", rate / 1e6),
            Figure::PerSecond(rate) => format!("{rate:.0}/s"),
        }
    }

    fn json(self) -> Value {
        match self {
            Figure::Time(time) => json!({"value": time.as_secs_f64(), "unit": "s"}),
            Figure::Bytes(bytes) => json!({"value": bytes, "unit": "B"}),
            Figure::BytesPerSecond(rate) => json!({"value": rate, "unit": "B/s"}),
            Figure::PerSecond(rate) => json!({"value": rate, "unit": "1/s"}),
        }
    }
}

impl Aim {
    fn shown(self) -> String {
        match self {
            Aim::None => String::new(),
            Aim::RatioOver(bound) => format!("ratio > {bound}"),
            Aim::RatioAtLeast(bound) => format!("ratio >= {bound}"),
            Aim::RatioAtMost(bound) => format!("ratio <= {bound}"),
            Aim::TimeUnder(bound) => format!("under {bound:?}"),
            Aim::BytesUnder(bound) => format!("under {}", in_large_units(bound)),
        }
    }
}

fn in_large_units(bytes: u64) -> String {
    if bytes < 1 << 20 {
        return format!("{:.1} KiB", bytes as f64 / f64::from(1 << 10));
    }
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

/// The lines as a table for people.
pub(crate) fn table(lines: &[Line]) -> String {
    let head = ["name", "measured", "baseline", "ratio", "aim", ""].map(String::from);
    let rows: Vec<[String; 6]> = [head].into_iter().chain(lines.iter().map(Line::cells)).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(Vec::from_iter(cells).join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// The same as one JSON document.
pub(crate) fn json(lines: &[Line]) -> Value {
    let lines = lines.iter().map(|line| {
        let aim = match line.aim {
            Aim::None => Value::Null,
            aim => aim.shown().into(),
        };
        json!({
            "name": line.name,
            "measured": line.measured.json(),
            "baseline": line.against.map(|(figure, _)| figure.json()),
            "ratio": line.against.map(|(_, ratio)| ratio),
            "aim": aim,
            "met": line.met(),
        })
    });
    json!({"lines": Vec::from_iter(lines)})
}
