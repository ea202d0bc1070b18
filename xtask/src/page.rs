//! What a page of documentation holds that can be checked: links, anchors, blocks to run.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The info string of a block that is run. A plain `sh` block is only shown.
const RUNNABLE: &str = "sh run";

/// The parts of one page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) links: Vec<Located>,
    pub(crate) anchors: BTreeSet<String>,
    pub(crate) runnable: Vec<Located>,
}

/// A piece of text and the line on which it begins, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn parse(markdown: &str) -> Self {
        let mut page = Self::default();
        let mut slugs = Slugs::default();
        let mut heading: Option<String> = None;
        let mut block: Option<Located> = None;
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        for (event, range) in Parser::new_ext(markdown, options).into_offset_iter() {
            let before = markdown.get(..range.start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let located = |text: &str| Located { line, text: text.to_owned() };
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(located(&dest_url));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let text = heading.take().unwrap_or_default();
                    page.anchors.insert(slugs.next(&text));
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))
                    if info.trim() == RUNNABLE =>
                {
                    block = Some(located(""));
                }
                Event::End(TagEnd::CodeBlock) => page.runnable.extend(block.take()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                    if let Some(block) = &mut block {
                        block.text.push_str(&text);
                    }
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    page.links.extend(values(&html, "href").map(located));
                    page.links.extend(values(&html, "src").map(located));
                    page.anchors.extend(values(&html, "id").map(str::to_owned));
                }
                _ => {}
            }
        }
        page
    }
}

/// Makes the anchors that GitHub gives to headings; a second heading of the same text is counted.
#[derive(Default)]
struct Slugs {
    seen: BTreeMap<String, usize>,
}

impl Slugs {
    fn next(&mut self, heading: &str) -> String {
        let slug: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let seen = self.seen.entry(slug.clone()).or_default();
        *seen += 1;
        match *seen {
            1 => slug,
            again => format!("{slug}-{}", again - 1),
        }
    }
}

/// The values of an attribute in a piece of HTML.
fn values<'html>(html: &'html str, attribute: &str) -> impl Iterator<Item = &'html str> {
    let opening = format!(" {attribute}=\"");
    let after: Vec<&str> = html.split(opening.as_str()).skip(1).collect();
    after.into_iter().filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(located: &[Located]) -> Vec<(usize, &str)> {
        located.iter().map(|item| (item.line, item.text.as_str())).collect()
    }

    #[test]
    fn links_and_images_are_found_with_their_lines() {
        let page = Page::parse("See [one](a.md).\n\n![two](b.svg)\n\n[three][t]\n\n[t]: c.md#x\n");
        assert_eq!(texts(&page.links), [(1, "a.md"), (3, "b.svg"), (5, "c.md#x")]);
    }

    #[test]
    fn a_link_in_code_is_not_a_link() {
        assert!(Page::parse("`[one](a.md)`\n\n```\n[two](b.md)\n```\n").links.is_empty());
    }

    #[test]
    fn a_link_written_as_html_is_found() {
        let page = Page::parse("<p><img alt=\"\" src=\"a.svg\"> <a href=\"b.md\">b</a></p>\n");
        assert_eq!(texts(&page.links), [(1, "b.md"), (1, "a.svg")]);
    }

    #[test]
    fn a_heading_becomes_an_anchor() {
        let page = Page::parse("# What it is, and is not\n\n## `cargo xtask ci` & more\n");
        let expected = ["cargo-xtask-ci--more", "what-it-is-and-is-not"];
        assert!(page.anchors.iter().eq(expected.iter()));
    }

    #[test]
    fn headings_of_one_text_are_counted() {
        let page = Page::parse("# Same\n# Same\n# Same\n");
        assert!(page.anchors.iter().eq(["same", "same-1", "same-2"].iter()));
    }

    #[test]
    fn only_a_block_marked_so_is_run() {
        let page = Page::parse("```sh\nrm -r x\n```\n\n```sh run\nswampbox demo\nls\n```\n");
        assert_eq!(texts(&page.runnable), [(5, "swampbox demo\nls\n")]);
    }
}
