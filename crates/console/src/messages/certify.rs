//! The check of a merchant's endpoints: started by a form, and its verdicts.

use app::{
    AppError,
    merchants::change_merchant::load_merchant,
    messages::certify_endpoints::{CertifyRequest, certify_endpoints},
};
use askama::Template;
use axum::{Router, extract::State, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    messages::certificate::{Certificate, CertifyResult, CertifyVerdict},
};

use crate::{
    access::{
        visit::{Member, MemberForm},
        visitor::Visitor,
    },
    core::{
        badge::Badge,
        form::non_empty,
        format::to_sentence,
        frame::{Frame, Section, form_status, render_page},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::{Web, error::ApiError, path::Path, requests::identifiers::parse_merchant};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/console/merchants/{merchant}/certify", get(show).post(check))
}

#[derive(Template)]
#[template(path = "messages/certify.html", whitespace = "minimize")]
pub(crate) struct CertifyPage<'a> {
    frame: Frame<'a>,
    tabs: MerchantTabs,
    held_url: &'a str,
    problem: Option<String>,
    certificate: Option<&'a Certificate>,
}

impl<'a> CertifyPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, merchant: &MerchantId) -> Self {
        Self {
            frame: Frame::new(visitor, Section::Merchants, format!("Check of {merchant}")),
            tabs: MerchantTabs::new(merchant, MerchantTab::Certify),
            held_url: "",
            problem: None,
            certificate: None,
        }
    }

    pub(crate) fn with_certificate(self, certificate: &'a Certificate) -> Self {
        Self { certificate: Some(certificate), ..self }
    }

    /// How many rules were followed, broken and left out.
    fn counts(&self) -> [(&'static str, usize); 3] {
        let count = |result| self.certificate.map_or(0, |it| it.count(result));
        [
            ("Passed", count(CertifyResult::Passed)),
            ("Failed", count(CertifyResult::Failed)),
            ("Skipped", count(CertifyResult::Skipped)),
        ]
    }

    /// What failed comes first.
    fn verdicts(&self) -> Vec<&'a CertifyVerdict> {
        let mut all: Vec<_> = self.certificate.map_or(&[][..], |it| &it.verdicts).iter().collect();
        all.sort_by_key(|verdict| verdict.result != CertifyResult::Failed);
        all
    }
}

pub(crate) fn result_badge(verdict: &CertifyVerdict) -> Badge {
    match verdict.result {
        CertifyResult::Passed => Badge::good("Passed"),
        CertifyResult::Failed => Badge::bad("Failed"),
        CertifyResult::Skipped => Badge::plain("Skipped"),
    }
}

async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Path(merchant): Path<String>,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    load_merchant(&web.app, &merchant).await?;
    Ok(render_page(&visitor, form_status(false), &CertifyPage::new(&visitor, &merchant)))
}

async fn check(
    State(web): State<Web>,
    Path(merchant): Path<String>,
    MemberForm { visitor, form, .. }: MemberForm,
) -> Result<Response, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    let held_url = form.text("held_url");
    let request = CertifyRequest {
        held_url: non_empty(held_url).map(str::to_owned),
        ..CertifyRequest::default()
    };
    let scope = visitor.session.scope(&web.app).for_merchant(&merchant);
    let page = CertifyPage { held_url, ..CertifyPage::new(&visitor, &merchant) };
    match certify_endpoints(scope, &request).await {
        Ok(certificate) => {
            let page = page.with_certificate(&certificate);
            Ok(render_page(&visitor, form_status(false), &page))
        }
        Err(AppError::Conflict(why)) => {
            let page = CertifyPage { problem: Some(to_sentence(&why)), ..page };
            Ok(render_page(&visitor, form_status(true), &page))
        }
        Err(error) => Err(error.into()),
    }
}
