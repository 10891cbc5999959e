//! The merchant's theme: colors, logo, and pictures of goods.
//!
//! Everything comes from our own address. The colors are a style sheet, so that pages need no
//! inline styles. The bytes of a picture determine its type, and its content policy lets it do
//! nothing: a drawing that is opened on its own runs no script and loads nothing.

use std::fmt::Write as _;

use app::merchants::{
    pictures::{Picture, load_picture},
    portals::load_logo,
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
use domain::merchants::portal::color::{BLACK, Color, PageSurfaces, Shades, WHITE};

use crate::visit::PortalVisit;
use server::{
    Web,
    assets::{CachedFile, REVALIDATE, assets},
    error::ApiError,
    path::Path,
};

/// The surfaces of pages, as in `base.css`.
const LIGHT: PageSurfaces = PageSurfaces {
    surfaces: [Color([0xfb, 0xf9, 0xf5]), WHITE, Color([0xf3, 0xee, 0xe6])],
    toward: BLACK,
};
const DARK: PageSurfaces = PageSurfaces {
    surfaces: [Color([0x17, 0x14, 0x11]), Color([0x1f, 0x1b, 0x17]), Color([0x29, 0x23, 0x1e])],
    toward: WHITE,
};

/// A picture needs no scripts, no styles and no frames.
const PICTURE_POLICY: &str = "default-src 'none'; sandbox";
const CACHE_FOR_AN_HOUR: &str = "private, max-age=3600";
/// A picture that failed to load is retried soon.
const CACHE_BRIEFLY: &str = "private, max-age=30";

pub(super) async fn serve_style(visit: PortalVisit, headers: HeaderMap) -> Response {
    let text = visit.storefront.portal.accent.map(style_sheet).unwrap_or_default();
    CachedFile::new("text/css; charset=utf-8", Bytes::from(text)).respond(&headers, REVALIDATE)
}

fn style_sheet(accent: Color) -> String {
    let mut sheet = String::new();
    for (before, ground, after) in
        [("", LIGHT, ""), ("@media (prefers-color-scheme: dark) {\n", DARK, "}\n")]
    {
        let Shades { accent, strong, soft, text: on } = accent.shades_on(&ground);
        writeln!(
            sheet,
            "{before}:root {{\n  --accent: {accent};\n  --accent-strong: {strong};\n  \
             --accent-soft: {soft};\n  --on-accent: {on};\n}}\n{after}"
        )
        .expect("writing to a string does not fail");
    }
    sheet
}

pub(super) async fn serve_logo(
    visit: PortalVisit,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Picture { kind, bytes } = load_logo(&visit.web.app, &visit.storefront.merchant).await?;
    Ok(with_picture_policy(CachedFile::new(kind.media_type(), bytes).respond(&headers, REVALIDATE)))
}

pub(super) async fn serve_picture(
    State(web): State<Web>,
    visit: PortalVisit,
    Path((_, token)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Some(Picture { kind, bytes }) =
        load_picture(&web.app, &visit.storefront.merchant, &token).await?
    else {
        return Ok(with_picture_policy(assets().no_picture.respond(&headers, CACHE_BRIEFLY)));
    };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind.media_type())),
        (CACHE_CONTROL, HeaderValue::from_static(CACHE_FOR_AN_HOUR)),
    ];
    Ok(with_picture_policy((headers, bytes).into_response()))
}

fn with_picture_policy(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surfaces_are_those_of_the_style_sheet() {
        let base = include_str!("../../server/static/base.css");
        let (light, dark) = base.split_once("prefers-color-scheme: dark").unwrap();
        for (text, ground) in [(light, LIGHT), (dark, DARK)] {
            for (name, color) in ["paper", "surface", "sunken"].iter().zip(ground.surfaces) {
                assert!(text.contains(&format!("--{name}: {color};")), "{name} {color}");
            }
        }
    }

    #[test]
    fn a_style_sheet_has_colors_for_light_and_for_dark_pages() {
        let sheet = style_sheet(Color([0x0b, 0x5c, 0xad]));
        let (light, dark) = sheet.split_once("@media").unwrap();
        assert!(light.contains("--accent: #0b5cad;") && light.contains("--on-accent: #ffffff;"));
        assert!(!dark.contains("--accent: #0b5cad;") && dark.contains("--on-accent: #000000;"));
        assert_eq!(sheet.matches('{').count(), sheet.matches('}').count());
    }
}
