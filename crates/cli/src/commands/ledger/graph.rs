//! Which consequence was derived from which.

use std::collections::BTreeMap;
use std::fmt::Write;

use swampbox_custody::ReleaseState;
use swampbox_ledger::{Consequence, ConsequenceFilter};
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::{PAGE, PAGE_BYTES, place};
use crate::arguments::{Drawing, LedgerArguments};
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(
    format: Drawing,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let ledger = place::open(at)?;
    let mut nodes = Vec::new();
    let mut filter =
        ConsequenceFilter { limit: PAGE, bytes: PAGE_BYTES, ..ConsequenceFilter::default() };
    loop {
        let page = ledger.history().consequences(&filter)?;
        let Some(last) = page.last() else { break };
        filter.after = Some(last.snapshot.consequence_id.clone());
        // The material may be large, and is not drawn.
        nodes.extend(page.iter().map(Node::of));
    }
    if at.json {
        nodes.iter().try_for_each(|node| out.json(&node.to_document()))?;
    } else {
        let graph = Graph::of(nodes);
        match format {
            Drawing::Tree => graph.tree(out)?,
            Drawing::Dot => graph.dot(out)?,
            Drawing::Mermaid => graph.mermaid(out)?,
        }
    }
    Ok(Exit::Done)
}

struct Node {
    id: String,
    parent: Option<String>,
    state: ReleaseState,
    consequence_type: String,
    holder: Option<String>,
}

impl Node {
    fn of(consequence: &Consequence) -> Self {
        let snapshot = &consequence.snapshot;
        Self {
            id: snapshot.consequence_id.to_string(),
            parent: snapshot.parent_consequence_id.as_ref().map(ToString::to_string),
            state: snapshot.release_state,
            consequence_type: Shown::brief(snapshot.material.consequence_type()).to_string(),
            holder: snapshot.current_execution_id.as_ref().map(ToString::to_string),
        }
    }

    fn to_document(&self) -> Json {
        let optional = |text: &Option<String>| text.as_deref().map_or(Json::Null, Json::from);
        Json::object([
            ("consequence_id", Json::from(self.id.as_str())),
            ("parent_consequence_id", optional(&self.parent)),
            ("release_state", Json::from(self.state.as_str())),
            ("current_execution_id", optional(&self.holder)),
        ])
    }

    fn hands(&self) -> String {
        match &self.holder {
            Some(holder) => format!("held by {}", Name(holder)),
            None => "quarantined".to_owned(),
        }
    }
}

struct Graph {
    nodes: Vec<Node>,
    /// For each node the index of its parent, if it has one.
    parents: Vec<Option<usize>>,
}

impl Graph {
    fn of(nodes: Vec<Node>) -> Self {
        let places: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
        let parent = |node: &Node| places.get(node.parent.as_deref()?).copied();
        let parents = nodes.iter().map(parent).collect();
        Self { nodes, parents }
    }

    fn tree(&self, out: &mut Output) -> Result<(), Failure> {
        let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (index, parent) in self.parents.iter().enumerate() {
            children.entry(*parent).or_default().push(index);
        }
        let roots = children.remove(&None).unwrap_or_default();
        // A stack and no recursion: a chain may be as long as a ledger.
        let mut waiting: Vec<(usize, String, &str, &str)> =
            roots.into_iter().rev().map(|root| (root, String::new(), "", "")).collect();
        while let Some((index, indent, branch, below)) = waiting.pop() {
            if let Some(node) = self.nodes.get(index) {
                let (name, state) = (Name(&node.id), Painted::state(node.state));
                let (kind, hands) = (&node.consequence_type, node.hands());
                out.line(format_args!("{indent}{branch}{name}  {state}  {kind}, {hands}"))?;
            }
            let indent = indent + below;
            let own = children.remove(&Some(index)).unwrap_or_default();
            for (place, child) in own.into_iter().rev().enumerate() {
                let (branch, below) =
                    if place == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                waiting.push((child, indent.clone(), branch, below));
            }
        }
        Ok(())
    }

    fn dot(&self, out: &mut Output) -> Result<(), Failure> {
        out.line("digraph consequences {\n  node [shape=box];")?;
        for (index, node) in self.nodes.iter().enumerate() {
            let Label { name, kind, state } = Label::of(node, in_dot);
            let style = match node.state {
                ReleaseState::Contained => "dashed",
                ReleaseState::Released => "solid",
                ReleaseState::Uncertain => "dotted",
            };
            out.line(format_args!(
                "  n{index} [label=\"{name}\\n{kind}\\n{state}\", style={style}];"
            ))?;
        }
        for (child, parent) in self.edges() {
            out.line(format_args!("  n{parent} -> n{child};"))?;
        }
        out.line("}")
    }

    fn mermaid(&self, out: &mut Output) -> Result<(), Failure> {
        out.line("flowchart TD")?;
        for (index, node) in self.nodes.iter().enumerate() {
            let Label { name, kind, state } = Label::of(node, in_mermaid);
            out.line(format_args!("  n{index}[\"{name}<br/>{kind}<br/>{state}\"]"))?;
        }
        for (child, parent) in self.edges() {
            out.line(format_args!("  n{parent} --> n{child}"))?;
        }
        Ok(())
    }

    /// Each child with its parent.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let edge = |(child, parent): (usize, &Option<usize>)| Some((child, (*parent)?));
        self.parents.iter().enumerate().filter_map(edge)
    }
}

/// What stands in the box of a node, escaped.
struct Label {
    name: String,
    kind: String,
    state: String,
}

impl Label {
    fn of(node: &Node, escape: fn(&str) -> String) -> Self {
        Self {
            name: escape(&Name(&node.id).to_string()),
            kind: escape(&node.consequence_type),
            state: escape(&format!("{}, {}", node.state, node.hands())),
        }
    }
}

/// For a string in double quotes, where a backslash begins an escape.
fn in_dot(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// For a string in double quotes, which may hold HTML and Markdown: every sign that could be part
/// of these as its number.
fn in_mermaid(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() && !"-.,:/".contains(c) {
            // Writing to a string can't fail.
            let _ = write!(escaped, "#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}
