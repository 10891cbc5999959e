//! What gives a portal its merchant's look: colours, logo, and pictures of goods.
//!
//! Everything comes from our own address. Colours are a style sheet, so that no page needs styles of its own; a
//! picture says what it is by its bytes, and is shown as nothing but a picture: a drawing that is
//! opened by itself runs no script and loads nothing.

use std::fmt::Write as _;

use app::merchants::{
    pictures::{Picture, picture},
    portals::logo as stored_logo,
};
use axum::{
    extract::State,
    http::{
        HeaderMap, HeaderValue,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use domain::merchants::portal::colour::{BLACK, Color, PageSurfaces, Shades, WHITE};

use super::visit::Visit;
use server::{
    Web,
    assets::{Held, REVALIDATE, assets},
    error::ApiError,
    path::Path,
};

/// The surfaces of pages, as `base.css` has them.
const LIGHT: PageSurfaces = PageSurfaces {
    surfaces: [Color([0xfb, 0xf9, 0xf5]), WHITE, Color([0xf3, 0xee, 0xe6])],
    away: BLACK,
};
const DARK: PageSurfaces = PageSurfaces {
    surfaces: [Color([0x17, 0x14, 0x11]), Color([0x1f, 0x1b, 0x17]), Color([0x29, 0x23, 0x1e])],
    away: WHITE,
};

/// No page, no script, no style: a picture.
const PICTURE_POLICY: &str = "default-src 'none'; sandbox";
const KEPT: &str = "private, max-age=3600";
/// What could not be had is looked for again soon.
const KEPT_SHORTLY: &str = "private, max-age=30";

pub(super) async fn style(visit: Visit, headers: HeaderMap) -> Response {
    let text = visit.front.portal.accent.map(sheet).unwrap_or_default();
    Held::new("text/css; charset=utf-8", Bytes::from(text)).answer(&headers, REVALIDATE)
}

fn sheet(accent: Color) -> String {
    let mut sheet = String::new();
    for (before, ground, after) in
        [("", LIGHT, ""), ("@media (prefers-color-scheme: dark) {\n", DARK, "}\n")]
    {
        let Shades { accent, strong, soft, on } = accent.on(&ground);
        writeln!(
            sheet,
            "{before}:root {{\n  --accent: {accent};\n  --accent-strong: {strong};\n  \
             --accent-soft: {soft};\n  --on-accent: {on};\n}}\n{after}"
        )
        .expect("writing to a string does not fail");
    }
    sheet
}

pub(super) async fn logo(visit: Visit, headers: HeaderMap) -> Result<Response, ApiError> {
    let (kind, bytes) = stored_logo(&visit.web.app, &visit.front.merchant).await?;
    Ok(guarded(Held::new(kind.media_type(), bytes).answer(&headers, REVALIDATE)))
}

pub(super) async fn goods(
    State(web): State<Web>,
    visit: Visit,
    Path((_, token)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Some(Picture { kind, bytes }) = picture(&web.app, &visit.front.merchant, &token).await?
    else {
        return Ok(guarded(assets().no_picture.answer(&headers, KEPT_SHORTLY)));
    };
    let said = [
        (CONTENT_TYPE, HeaderValue::from_static(kind.media_type())),
        (CACHE_CONTROL, HeaderValue::from_static(KEPT)),
    ];
    Ok(guarded((said, bytes).into_response()))
}

fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_judged_on_the_surfaces_that_pages_have() {
        let base = include_str!("../../server/static/base.css");
        let (light, dark) = base.split_once("prefers-color-scheme: dark").unwrap();
        for (text, ground) in [(light, LIGHT), (dark, DARK)] {
            for (name, colour) in ["paper", "surface", "sunken"].iter().zip(ground.surfaces) {
                assert!(text.contains(&format!("--{name}: {colour};")), "{name} {colour}");
            }
        }
    }

    #[test]
    fn a_sheet_has_a_colour_for_light_pages_and_one_for_dark_ones() {
        let sheet = sheet(Color([0x0b, 0x5c, 0xad]));
        let (light, dark) = sheet.split_once("@media").unwrap();
        assert!(light.contains("--accent: #0b5cad;") && light.contains("--on-accent: #ffffff;"));
        assert!(!dark.contains("--accent: #0b5cad;") && dark.contains("--on-accent: #000000;"));
        assert_eq!(sheet.matches('{').count(), sheet.matches('}').count());
    }
}
