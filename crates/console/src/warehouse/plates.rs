//! Labels with the license plates of units, to print and as ZPL for label printers, and the
//! pictures of expected goods.

use std::fmt::Write as _;

use app::{
    merchants::pictures::{Picture, load_picture},
    warehouse::parcel_search::load_merchant_name,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{IntoResponse, Response},
    routing::get,
};
use domain::{
    identifier::MerchantId,
    reader::IDENTIFIER_MAX,
    warehouse::{
        code128::{QUIET_MODULES, draw_modules},
        plate_label::write_zpl,
    },
};

use crate::{
    access::{visit::Worker, visitor::Visitor},
    core::{
        frame::{Frame, Section, render_page},
        urls::plate_url,
    },
};
use server::{Web, assets::assets, error::ApiError, path::Path};

/// A picture is nothing but a picture, even if it is opened on its own.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const CACHE_FOR_AN_HOUR: &str = "private, max-age=3600";
const CACHE_BRIEFLY: &str = "private, max-age=30";
/// The height of the bars, in modules.
const BAR_HEIGHT: usize = 40;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/console/plates/{merchant}/{unit}", get(show))
        .route("/console/plates/{merchant}/{unit}/zpl", get(download))
        .route("/console/pictures/{merchant}/{token}", get(serve_picture))
}

#[derive(Template)]
#[template(path = "warehouse/plate.html", whitespace = "minimize")]
struct PlatePage<'a> {
    frame: Frame<'a>,
    plate: &'a str,
    owner: &'a str,
    /// Absent if a barcode cannot hold the plate.
    barcode: Option<Barcode>,
    zpl_url: String,
}

/// The bars of a Code 128 symbol.
struct Barcode {
    width: usize,
    height: usize,
    path: String,
}

impl Barcode {
    fn of(text: &str) -> Option<Self> {
        let modules = draw_modules(text)?;
        let mut path = String::new();
        let mut x = QUIET_MODULES;
        for run in modules.chunk_by(|left, right| left == right) {
            let width = run.len();
            if run.first() == Some(&true) {
                write!(path, "M{x} 0h{width}v{BAR_HEIGHT}h-{width}z")
                    .expect("writing to a string does not fail");
            }
            x += width;
        }
        Some(Self { width: x + QUIET_MODULES, height: BAR_HEIGHT, path })
    }
}

/// A unit of a merchant, or of the platform.
struct PlateOwner {
    name: String,
}

async fn load_owner(web: &Web, merchant: &str, unit: &str) -> Result<PlateOwner, ApiError> {
    let missing = |what| ApiError::App(app::AppError::NotFound(what));
    let merchant = MerchantId::parse_stored(merchant).map_err(|_| missing("merchant"))?;
    if unit.chars().count() > IDENTIFIER_MAX || unit.chars().any(char::is_control) {
        return Err(missing("unit"));
    }
    Ok(PlateOwner { name: load_merchant_name(&web.app, &merchant).await? })
}

async fn show(
    State(web): State<Web>,
    Worker { visitor, .. }: Worker,
    Path((merchant, unit)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let owner = load_owner(&web, &merchant, &unit).await?;
    let content = plate_page(&visitor, &merchant, &unit, &owner.name);
    Ok(render_page(&visitor, StatusCode::OK, &content))
}

fn plate_page<'a>(
    visitor: &'a Visitor,
    merchant: &str,
    unit: &'a str,
    owner: &'a str,
) -> PlatePage<'a> {
    PlatePage {
        frame: Frame::new(visitor, Section::Receiving, "License plate"),
        plate: unit,
        owner,
        barcode: Barcode::of(unit),
        zpl_url: format!("{}/zpl", plate_url(merchant, unit)),
    }
}

async fn download(
    State(web): State<Web>,
    _: Worker,
    Path((merchant, unit)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let owner = load_owner(&web, &merchant, &unit).await?;
    let headers = [
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"plate.zpl\"")),
        (CONTENT_TYPE, HeaderValue::from_static("application/zpl")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, write_zpl(&unit, &owner.name)).into_response())
}

async fn serve_picture(
    State(web): State<Web>,
    _: Worker,
    Path((merchant, token)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let missing = |_| ApiError::App(app::AppError::NotFound("picture"));
    let merchant = MerchantId::parse(&merchant).map_err(missing)?;
    let mut response = match load_picture(&web.app, &merchant, &token).await? {
        None => assets().no_picture.respond(&headers, CACHE_BRIEFLY),
        Some(Picture { kind, bytes }) => {
            let headers = [
                (CONTENT_TYPE, HeaderValue::from_static(kind.media_type())),
                (CACHE_CONTROL, HeaderValue::from_static(CACHE_FOR_AN_HOUR)),
            ];
            (headers, bytes).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PICTURE_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

    #[test]
    fn a_license_plate_stays_text() {
        let visitor = sample_visitor();
        assert_is_text(&plate_page(&visitor, "acme", HOSTILE, HOSTILE));
    }

    #[test]
    fn a_barcode_has_quiet_zones() {
        let barcode = Barcode::of("U-1").unwrap();
        assert!(barcode.path.starts_with("M10 0h2v40h-2z"), "{}", barcode.path);
        assert_eq!(barcode.width, 2 * QUIET_MODULES + draw_modules("U-1").unwrap().len());
        assert!(Barcode::of("ü").is_none());
    }
}
