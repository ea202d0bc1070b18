//! Attempts over time, as bars. Colours come from the style sheet, so that nothing here is a style.

use maud::{Markup, html};
use swampbox_authority::Timestamp;
use swampbox_custody::ReleaseState;
use swampbox_ledger::Outcome;

const HOURS: usize = 24;
const HOUR: i128 = 3_600_000_000_000;

/// The plot, in its own units: how wide a bar's place is, and how high the bars are.
const STEP: usize = 20;
const HEIGHT: usize = 100;

/// The states, in the order in which they are stacked, and what each is called.
const STATES: [(ReleaseState, &str, &str); 3] = [
    (ReleaseState::Released, "released", "released"),
    (ReleaseState::Contained, "contained", "stayed contained"),
    (ReleaseState::Uncertain, "uncertain", "uncertain"),
];

/// How many attempts of each kind ended in an hour.
type Hour = [usize; STATES.len()];

/// What ended how in each of the hours up to `now`. `most` is how many attempts were looked at.
pub(super) fn figure(outcomes: &[Outcome], now: Timestamp, most: usize) -> Markup {
    let hours = counted(outcomes, now);
    let highest = hours.iter().map(|hour| hour.iter().sum()).max().unwrap_or(0).max(1);
    let totals = STATES.iter().enumerate().map(|(kind, (_, class, label))| {
        let total: usize = hours.iter().filter_map(|hour| hour.get(kind)).sum();
        (*class, *label, total)
    });
    let totals: Vec<_> = totals.collect();
    let words: Vec<_> = totals.iter().map(|(_, label, total)| format!("{total} {label}")).collect();
    html! {
        figure.plot {
            svg viewBox=(format!("0 0 {} {}", HOURS * STEP, HEIGHT + 2)) role="img"
                aria-label=(format!("Attempts an hour: {}", words.join(", "))) {
                @for (number, hour) in hours.iter().enumerate() {
                    (bar(number * STEP, hour, highest))
                }
                line.axis x1="0" x2=(HOURS * STEP) y1=(HEIGHT + 1) y2=(HEIGHT + 1) {}
            }
            p.axis.hint { span { "24 hours ago" } span { "at most " (highest) " an hour" } span { "now" } }
            figcaption {
                ul.legend {
                    @for (class, label, total) in &totals {
                        li { span.key.(class) {} (total) " " (label) }
                    }
                }
                @if outcomes.len() >= most { p.hint { "Of the last " (most) " attempts." } }
            }
        }
    }
}

fn bar(x: usize, hour: &Hour, highest: usize) -> Markup {
    let mut below = 0;
    let mut parts = Vec::new();
    for ((_, class, _), number) in STATES.iter().zip(hour) {
        let top = (below + number) * HEIGHT / highest;
        let bottom = below * HEIGHT / highest;
        // However small its share, what happened is seen.
        let height = (top - bottom).max(usize::from(*number > 0) * 2);
        parts.push((*class, HEIGHT.saturating_sub(bottom + height), height));
        below += number;
    }
    html! {
        @for (class, y, height) in parts.iter().filter(|(_, _, height)| *height > 0) {
            rect.(class) x=(x + 2) y=(y) width=(STEP - 4) height=(height) rx="1" {}
        }
    }
}

fn counted(outcomes: &[Outcome], now: Timestamp) -> [Hour; HOURS] {
    let mut hours = [Hour::default(); HOURS];
    for outcome in outcomes {
        let Some(settlement) = outcome.settlement else { continue };
        let Ok(at) = outcome.admitted_at.parse::<Timestamp>() else { continue };
        let hour = (0..HOURS).find(|hour| {
            let begin = -HOUR * i128::try_from(HOURS - hour - 1).unwrap_or_default() - HOUR;
            let edges = [begin, begin + HOUR].map(|by| now.moved_by(by));
            matches!(edges, [Ok(begin), Ok(end)] if begin < at && at <= end)
        });
        let kind = STATES.iter().position(|(state, ..)| *state == settlement.state());
        let place = hour.and_then(|hour| hours.get_mut(hour)).zip(kind);
        if let Some(number) = place.and_then(|(hour, kind)| hour.get_mut(kind)) {
            *number += 1;
        }
    }
    hours
}
