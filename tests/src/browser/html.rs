//! Whether the HTML of a page is sound: it parses without an error, everything in it stands where
//! it may stand, what it refers to exists, and it asks nothing of other hosts and nothing that the
//! content security policy would refuse.

use std::collections::BTreeSet;

use html5ever::{
    ParseOpts, parse_document,
    tendril::TendrilSink,
    tokenizer::TokenizerOpts,
    tree_builder::{QuirksMode, TreeBuilderOpts},
};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use super::{content, element::Element, page::Page};

/// Fails with everything that is wrong with a page.
pub(crate) fn assert_sound(page: &Page) {
    let policy = page.header("content-security-policy");
    let mut faults = if policy.contains("style-src 'sha256-") {
        find_faults(&without_mail_parts(&page.html))
    } else {
        find_faults(&page.html)
    };
    if !policy.starts_with("default-src 'none'") || policy.contains("unsafe") {
        faults.push(format!("the content security policy is {policy:?}"));
    }
    assert!(faults.is_empty(), "{}:\n{}\n{}", page.address, faults.join("\n"), page.html);
}

/// A mail without what only mails have: a style sheet of its own, which the policy names by its
/// hash, and links to the portal wherever it is.
fn without_mail_parts(html: &str) -> String {
    let (before, rest) = html.split_once("<style>").expect("a mail has a style sheet");
    let (_, after) = rest.split_once("</style>").expect("the style sheet ends");
    format!("{before}{after}").replace("https://returns.example.com/", "/")
}

/// What is wrong with a document.
pub(super) fn find_faults(html: &str) -> Vec<String> {
    let options = ParseOpts {
        tokenizer: TokenizerOpts { exact_errors: true, ..TokenizerOpts::default() },
        tree_builder: TreeBuilderOpts {
            exact_errors: true,
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
    };
    let document = parse_document(RcDom::default(), options).one(html);
    let mut faults: Vec<String> =
        document.errors.borrow().iter().map(ToString::to_string).collect();
    if document.quirks_mode.get() != QuirksMode::NoQuirks {
        faults.push("it does not begin with <!DOCTYPE html>".to_owned());
    }
    let mut elements = Vec::new();
    collect(&document.document, None, &mut elements);
    faults.extend(faults_of_the_whole(&elements));
    faults.extend(faults_of_references(&elements));
    for (position, element) in elements.iter().enumerate() {
        faults.extend(fault_of_policy(element).map(|fault| format!("{fault}: {}", element.tag())));
        let fault = content::fault(&elements, position);
        faults.extend(fault.map(|fault| format!("{fault}: {}", element.tag())));
    }
    faults
}

fn collect(node: &Handle, parent: Option<usize>, elements: &mut Vec<Element>) {
    let mut place = parent;
    match &node.data {
        NodeData::Element { name, attrs, .. } => {
            let attributes = attrs.borrow();
            let attributes = attributes
                .iter()
                .map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()));
            place = Some(elements.len());
            elements.push(Element {
                name: name.local.to_string(),
                attributes: attributes.collect(),
                parent,
                foreign: &*name.ns != "http://www.w3.org/1999/xhtml",
                text: String::new(),
            });
        }
        NodeData::Text { contents } => {
            let mut above = parent;
            while let Some(element) = above {
                elements[element].text.push_str(&contents.borrow());
                above = elements[element].parent;
            }
        }
        NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Comment { .. }
        | NodeData::ProcessingInstruction { .. } => (),
    }
    for child in node.children.borrow().iter() {
        collect(child, place, elements);
    }
}

/// What a page has once, and has to have.
fn faults_of_the_whole(elements: &[Element]) -> Vec<String> {
    let mut faults = Vec::new();
    for name in ["title", "h1", "main"] {
        let all: Vec<&Element> = elements.iter().filter(|it| it.is(&[name])).collect();
        if all.len() != 1 || all[0].text.trim().is_empty() {
            faults.push(format!("there is not one {name} with words in it, but {}", all.len()));
        }
    }
    let language = elements.iter().find(|it| it.is(&["html"])).and_then(|it| it.attribute("lang"));
    if language.is_none_or(str::is_empty) {
        faults.push("the language is not said".to_owned());
    }
    faults
}

/// Identifiers that stand twice, and references to those that do not stand at all.
fn faults_of_references(elements: &[Element]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known = BTreeSet::new();
    for id in elements.iter().filter_map(|it| it.attribute("id")) {
        if id.is_empty() || id.contains(char::is_whitespace) || !known.insert(id) {
            faults.push(format!("the identifier {id:?} is not the only one, or is none"));
        }
    }
    let lists = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "headers"];
    let singles = ["for", "list", "form", "aria-activedescendant", "aria-errormessage"];
    for element in elements.iter().filter(|it| !it.foreign) {
        let all = element
            .attributes
            .iter()
            .filter(|(name, _)| lists.contains(&name.as_str()) || singles.contains(&name.as_str()));
        let all = all.flat_map(|(_, value)| value.split_whitespace());
        let anchor = element.attribute("href").and_then(|href| href.strip_prefix('#'));
        for id in all.chain(anchor.filter(|anchor| !anchor.is_empty())) {
            if !known.contains(id) {
                faults.push(format!("nothing is called {id:?}: {}", element.tag()));
            }
        }
    }
    let labelled = |field: &Element, place: usize| {
        let named = |label: &Element| {
            label.is(&["label"])
                && label.attribute("for").is_some_and(|id| field.attribute("id") == Some(id))
        };
        let around = content::ancestors(elements, place).any(|it| it.is(&["label"]));
        let said = ["aria-label", "aria-labelledby"].iter().any(|it| field.attribute(it).is_some());
        around || said || elements.iter().any(named)
    };
    for (place, field) in elements.iter().enumerate().filter(|(_, it)| it.is_field()) {
        if !labelled(field, place) {
            faults.push(format!("nothing says what to put in: {}", field.tag()));
        }
    }
    faults
}

/// What the content security policy refuses, and what would ask another host.
fn fault_of_policy(element: &Element) -> Option<&'static str> {
    let has = |name: &str| element.attribute(name).is_some();
    if has("style") || element.is(&["style"]) {
        return Some("a style stands in the page");
    }
    if element.attributes.iter().any(|(name, _)| name.starts_with("on")) {
        return Some("a script stands in an attribute");
    }
    if element.is(&["script"]) && (!has("src") || !element.text.is_empty()) {
        return Some("a script stands in the page");
    }
    let loads = ["src", "srcset", "action", "formaction", "poster", "data", "ping", "background"];
    let mut loaded = loads.iter().filter_map(|name| element.attribute(name));
    let link = element.attribute("href").unwrap_or_default();
    // To follow a link is the reader's own will; the other host does not learn from where.
    let away = element.is(&["a"])
        && element.attribute("rel").is_some_and(|rel| rel.contains("noreferrer"));
    let own = |address: &str| {
        let image = element.is(&["img"]) && address.starts_with("data:image/");
        let mail =
            element.is(&["a"]) && ["mailto:", "tel:"].iter().any(|it| address.starts_with(it));
        let path = address.starts_with('/') && !address.starts_with("//");
        path || image || mail || address.is_empty() || address.starts_with(['#', '?'])
    };
    (!loaded.all(own) || !(away || own(link))).then_some("it names an address of another host")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> String {
        format!(
            "<!DOCTYPE html><html lang=\"en\"><head><title>A page</title></head>\
             <body><main><h1>Words</h1>{body}</main></body></html>"
        )
    }

    #[test]
    fn a_plain_page_is_sound() {
        let form = r##"<form method="post" action="/x"><p><label for="a">A</label>
            <input id="a" name="a" aria-describedby="hint"><span id="hint">b</span></p>
            <label>C <select name="c"><option value="">d</option></select></label></form>
            <a href="https://example.com/" rel="noreferrer">away</a><a href="#hint">up</a>
            <svg viewBox="0 0 1 1" role="img"><title>A line</title><path d="M0 0h1"/></svg>
            <dl><div><dt>e</dt><dd><p>f</p></dd></div></dl>"##;
        assert_eq!(find_faults(&page(form)), Vec::<String>::new());
    }

    #[test]
    fn whatever_is_wrong_is_found() {
        for (body, fault) in [
            ("<p><div>x</div></p>", "tag to close"),
            ("<b>x", "Unexpected"),
            ("<p id=\"a\"></p><p id=\"a\"></p>", "not the only one"),
            ("<p aria-labelledby=\"a\">x</p>", "nothing is called"),
            ("<a href=\"#nowhere\">x</a>", "nothing is called"),
            ("<input name=\"x\">", "nothing says what to put in"),
            ("<p style=\"color: red\">x</p>", "a style stands"),
            ("<p onclick=\"x()\">x</p>", "a script stands in an attribute"),
            ("<script>x()</script>", "a script stands"),
            ("<img src=\"https://example.com/a.png\" alt=\"\">", "another host"),
            ("<img src=\"//example.com/a.png\" alt=\"\">", "another host"),
            ("<a href=\"https://example.com/\">x</a>", "another host"),
            ("<span><p>x</p></span>", "may not stand in"),
            ("<ul><p>x</p></ul>", "may not stand in"),
            ("<div><li>x</li></div>", "may not stand in"),
            ("<a href=\"/\"><button>x</button></a>", "inside another"),
            ("<blink>x</blink>", "no element of HTML"),
            ("<p align=\"left\">x</p>", "has no attribute"),
            ("<img src=\"/a\">", "has to have"),
            ("<h1>again</h1>", "not one h1"),
        ] {
            let faults = find_faults(&page(body));
            assert!(faults.iter().any(|it| it.contains(fault)), "{body}: {fault}: {faults:?}");
        }
        assert!(!find_faults("<html><title>x</title><h1>x</h1>").is_empty());
    }
}
