//! Which elements HTML has, which attributes they take, and what may stand in what: the rules that
//! a parser forgives and a validator does not, for what pages here are made of. An element or an
//! attribute that is not listed is a fault until it is added with its rule.

use super::element::Element;

/// Attributes of every element.
const EVERYWHERE: [&str; 13] = [
    "autofocus",
    "class",
    "dir",
    "hidden",
    "id",
    "inert",
    "lang",
    "popover",
    "role",
    "spellcheck",
    "tabindex",
    "title",
    "translate",
];

/// Elements with their own attributes, and after the bar those that they have to have.
#[rustfmt::skip]
const ELEMENTS: &[(&str, &str)] = &[
    ("a", "href rel target download hreflang type"), ("abbr", ""), ("address", ""), ("article", ""),
    ("aside", ""), ("b", ""), ("bdi", ""), ("blockquote", "cite"), ("body", ""), ("br", ""),
    ("button", "type name value disabled form formaction formmethod formnovalidate popovertarget popovertargetaction"),
    ("caption", ""), ("cite", ""), ("code", ""), ("col", "span"), ("colgroup", "span"), ("data", "value | value"),
    ("datalist", ""), ("dd", ""), ("del", "datetime"), ("details", "open name"), ("dfn", ""), ("dialog", "open"),
    ("div", ""), ("dl", ""), ("dt", ""), ("em", ""), ("fieldset", "disabled form name"), ("figcaption", ""),
    ("figure", ""), ("footer", ""), ("form", "action method enctype novalidate autocomplete name"), ("h1", ""),
    ("h2", ""), ("h3", ""), ("h4", ""), ("h5", ""), ("h6", ""), ("head", ""), ("header", ""), ("hgroup", ""),
    ("hr", ""), ("html", "| lang"), ("i", ""),
    ("img", "src srcset sizes alt width height loading decoding fetchpriority | src alt"),
    ("input", "type name value required disabled readonly checked maxlength minlength min max step pattern \
        placeholder autocomplete autocapitalize inputmode enterkeyhint list multiple accept size form formaction"),
    ("ins", "datetime"), ("kbd", ""), ("label", "for"), ("legend", ""), ("li", "value"),
    ("link", "rel href type media sizes as | rel href"), ("main", ""), ("mark", ""), ("menu", ""),
    ("meta", "name content charset http-equiv media"), ("meter", "value min max low high optimum | value"),
    ("nav", ""), ("noscript", ""), ("ol", "start reversed type"), ("optgroup", "label disabled | label"),
    ("option", "value selected disabled label"), ("output", "for form name"), ("p", ""), ("picture", ""),
    ("pre", ""), ("progress", "value max"), ("q", "cite"), ("s", ""), ("samp", ""),
    ("script", "src type defer async integrity | src"), ("search", ""), ("section", ""),
    ("select", "name required disabled multiple size autocomplete form"), ("small", ""), ("span", ""),
    ("strong", ""), ("sub", ""), ("summary", ""), ("sup", ""), ("table", ""), ("tbody", ""),
    ("td", "colspan rowspan headers"),
    ("textarea", "name rows cols required disabled readonly maxlength minlength placeholder autocomplete \
        autocapitalize form wrap"),
    ("tfoot", ""), ("th", "colspan rowspan headers scope abbr | scope"), ("thead", ""), ("time", "datetime"),
    ("title", ""), ("tr", ""), ("u", ""), ("ul", ""), ("var", ""), ("wbr", ""),
];

/// What is part of a line of text.
const PHRASES: &str = "a abbr b bdi br button cite code data datalist del dfn em i img input ins kbd label mark \
    meter noscript output picture progress q s samp script select small span strong sub sup svg textarea time u \
    var wbr";

/// What contains nothing but lines of text.
const LINES: &str = "abbr b bdi button cite code data dfn em h1 h2 h3 h4 h5 h6 i kbd label legend mark meter \
    output p pre progress q s samp small span strong sub summary sup time u var";

/// What takes over the rules of whatever it stands in.
const TRANSPARENT: &str = "a del ins noscript";

/// What contains these and nothing else.
const ONLY: [(&str, &str); 14] = [
    ("ul", "li script"),
    ("ol", "li script"),
    ("menu", "li script"),
    ("dl", "dt dd div"),
    ("table", "caption colgroup thead tbody tfoot tr"),
    ("thead", "tr"),
    ("tbody", "tr"),
    ("tfoot", "tr"),
    ("tr", "td th"),
    ("colgroup", "col"),
    ("select", "option optgroup hr"),
    ("optgroup", "option"),
    ("html", "head body"),
    ("head", "title meta link script"),
];

/// What stands in these and nowhere else.
const INSIDE: [(&str, &str); 10] = [
    ("li", "ul ol menu"),
    ("dt", "dl div"),
    ("dd", "dl div"),
    ("option", "select optgroup datalist"),
    ("legend", "fieldset"),
    ("figcaption", "figure"),
    ("summary", "details"),
    ("caption", "table"),
    ("tr", "thead tbody tfoot"),
    ("link", "head"),
];

/// What is the first in its parent.
const FIRST: [&str; 3] = ["legend", "summary", "caption"];

/// The elements around one, the nearest first.
pub(super) fn ancestors(elements: &[Element], place: usize) -> impl Iterator<Item = &Element> {
    let parent = |element: &&Element| element.parent.and_then(|parent| elements.get(parent));
    std::iter::successors(elements.get(place), parent).skip(1)
}

fn among(names: &str, element: &Element) -> bool {
    names.split_whitespace().any(|name| name == element.name)
}

/// What is wrong with an element or with where it stands.
pub(super) fn fault(elements: &[Element], place: usize) -> Option<String> {
    let element = elements.get(place)?;
    let mut around = ancestors(elements, place);
    if element.foreign {
        return None;
    }
    let known = ELEMENTS.iter().find(|(name, _)| *name == element.name);
    let Some((_, attributes)) = known else {
        return Some("it is no element of HTML that is used here".to_owned());
    };
    let parent = around.find(|it| !among(TRANSPARENT, it));
    fault_of_attributes(element, attributes)
        .or_else(|| parent.and_then(|parent| fault_of_place(elements, place, parent)))
        .or_else(|| fault_of_nesting(elements, place))
}

fn fault_of_attributes(element: &Element, attributes: &str) -> Option<String> {
    let (own, needed) = attributes.split_once('|').unwrap_or((attributes, ""));
    let unknown = element.attributes.iter().map(|(name, _)| name.as_str()).find(|name| {
        let known = EVERYWHERE.contains(name)
            || name.starts_with("aria-")
            || name.starts_with("data-")
            || own.split_whitespace().any(|known| known == *name);
        !known
    });
    if let Some(name) = unknown {
        return Some(format!("it has no attribute {name}"));
    }
    let missing = needed.split_whitespace().find(|name| element.attribute(name).is_none());
    missing.map(|name| format!("it has to have {name}"))
}

fn fault_of_place(elements: &[Element], place: usize, parent: &Element) -> Option<String> {
    let element = elements.get(place)?;
    let wrong = || Some(format!("it may not stand in {}", parent.tag()));
    let heading = element.is(&["h1", "h2", "h3", "h4", "h5", "h6"]);
    let headed = heading && parent.is(&["legend", "summary"]);
    if among(LINES, parent) && !among(PHRASES, element) && !headed {
        return wrong();
    }
    let only = ONLY.iter().find(|(name, _)| *name == parent.name);
    let inside = INSIDE.iter().find(|(name, _)| *name == element.name);
    if only.is_some_and(|(_, names)| !among(names, element))
        || inside.is_some_and(|(_, names)| !among(names, parent))
    {
        return wrong();
    }
    let later = || elements.iter().take(place).any(|it| it.parent == element.parent);
    (element.is(&FIRST) && later()).then(|| format!("it is not the first in {}", parent.tag()))
}

/// What somebody can press may not stand in what somebody can press, nor a label in a label.
fn fault_of_nesting(elements: &[Element], place: usize) -> Option<String> {
    let element = elements.get(place)?;
    let pressed = element.is(&["a", "button", "details"]) || element.is_field();
    let mut around = ancestors(elements, place);
    let clash = around.find(|it| {
        (pressed && it.is(&["a", "button"]))
            || (element.is(&["label"]) && it.is(&["label", "button", "a"]))
            || (element.is(&["header", "footer", "main"]) && it.is(&["header", "footer"]))
            || (element.is(&["form"]) && it.is(&["form"]))
    });
    clash.map(|other| format!("it stands inside another thing of its kind, {}", other.tag()))
}
