//! Writes the parts of a mail as HTML and as plain text.

use askama::Template;
use domain::{
    merchants::{
        language::Language,
        portal::{
            Portal,
            color::{BLACK, Color, PageSurfaces, Shades, WHITE},
        },
    },
    messages::mail::{Mail, MailKind, content::MailContent, settings::MailText},
};

use crate::parts::{MailParts, PartSources};

/// The usual color of links and buttons, as on the portal's pages.
const USUAL_ACCENT: Color = Color([0xad, 0x3a, 0x16]);

const LIGHT: PageSurfaces =
    PageSurfaces { surfaces: [WHITE, WHITE, Color([0xf3, 0xee, 0xe6])], toward: BLACK };
const DARK: PageSurfaces = PageSurfaces {
    surfaces: [Color([0x17, 0x14, 0x11]), Color([0x1f, 0x1b, 0x17]), Color([0x29, 0x23, 0x1e])],
    toward: WHITE,
};

/// Lines of plain text are broken here, so that no mail program has to.
const TEXT_COLUMNS: usize = 76;

/// Whose mail it is: the merchant's name, its portal, and its own words.
#[derive(Clone, Copy)]
pub struct MailLook<'a> {
    pub shop: &'a str,
    pub portal: &'a Portal,
    pub own_text: Option<&'a MailText>,
}

#[derive(Template)]
#[template(path = "mail.html", whitespace = "minimize")]
struct MailPage<'a> {
    parts: &'a MailParts<'a>,
    light: Shades,
    dark: Shades,
}

/// Renders a mail.
pub fn render(
    kind: MailKind,
    language: Language,
    look: MailLook<'_>,
    recipient: &str,
    content: MailContent,
) -> Mail {
    let MailLook { shop, portal, own_text } = look;
    let sources = PartSources {
        kind,
        language,
        shop,
        own_text,
        portal_texts: portal.texts_in(language),
        content: &content,
    };
    let parts = MailParts::new(&sources);
    let accent = portal.accent.unwrap_or(USUAL_ACCENT);
    let page =
        MailPage { parts: &parts, light: accent.shades_on(&LIGHT), dark: accent.shades_on(&DARK) };
    let html = page.render().expect("rendering to a string does not fail");
    let (subject, text) = (parts.subject.clone(), write_text(&parts));
    Mail {
        mail: kind,
        language,
        recipient: recipient.to_owned(),
        subject,
        text,
        html,
        content,
        attachment: None,
    }
}

fn write_text(parts: &MailParts<'_>) -> String {
    let mut blocks: Vec<String> = parts.paragraphs.iter().map(|it| wrap(it)).collect();
    blocks.extend(parts.code.map(|code| format!("    {code}")));
    let colon = parts.colon;
    blocks.extend(parts.link.as_ref().map(|link| format!("{}{colon}\n{}", link.text, link.url)));
    if !parts.items.is_empty() {
        let items: Vec<String> = parts.items.iter().map(|item| format!("- {item}")).collect();
        blocks.push(format!("{}{colon}\n{}", parts.items_title, items.join("\n")));
    }
    if !parts.amounts.is_empty() {
        let rows = parts.amounts.iter();
        let rows = rows.map(|row| format!("{}{colon} {}", row.label, row.amount));
        blocks.push(rows.collect::<Vec<_>>().join("\n"));
    }
    blocks.extend(parts.document.map(str::to_owned));
    let footer: Vec<String> = parts.footer.iter().map(|line| wrap(line)).collect();
    blocks.push(format!("-- \n{}", footer.join("\n")));
    let mut text = blocks.join("\n\n");
    text.push('\n');
    text
}

/// Breaks lines at spaces. What the writer broke stays broken.
fn wrap(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for written in text.lines() {
        let mut line = String::new();
        for word in written.split(' ') {
            let length = line.chars().count() + word.chars().count();
            if !line.is_empty() && length >= TEXT_COLUMNS {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.join("\n")
}
