//! The check of a merchant's endpoints: started by a form, its progress, and its verdicts. While it
//! runs, the page reloads itself without a script.

use app::{
    AppError,
    merchants::change_merchant::load_merchant,
    messages::{
        certify_check::{CertifyCheck, CertifyCheckState, find_certify_check, start_certify_check},
        certify_endpoints::CertifyRequest,
    },
};
use askama::Template;
use axum::{Router, response::Response, routing::get};
use domain::{
    identifier::MerchantId,
    messages::certificate::{Certificate, CertifyResult, CertifyVerdict},
};

use super::jobs::refresh;
use crate::{
    access::{
        merchant_visit::{MerchantForm, MerchantVisit},
        visit::MemberForm,
        visitor::Visitor,
    },
    core::{
        badge::Badge,
        form::non_empty,
        format::{TimeElement, to_sentence},
        frame::{Frame, Section, form_status, redirect, render_page},
    },
    merchants::tabs::{MerchantTab, MerchantTabs},
};
use server::{Web, error::ApiError};

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
    /// How many rules are judged, while a check runs.
    judged: Option<usize>,
    certificate: Option<&'a Certificate>,
    checked: Option<TimeElement>,
}

impl<'a> CertifyPage<'a> {
    pub(crate) fn new(visitor: &'a Visitor, merchant: &MerchantId) -> Self {
        Self {
            frame: Frame::new(visitor, Section::Merchants, format!("Check of {merchant}")),
            tabs: MerchantTabs::new(merchant, MerchantTab::Certify),
            held_url: "",
            problem: None,
            judged: None,
            certificate: None,
            checked: None,
        }
    }

    /// The page about the newest check.
    pub(crate) fn with_check(self, check: &'a CertifyCheck) -> Self {
        let page = Self { held_url: &check.held_url, ..self };
        match &check.state {
            CertifyCheckState::Running => Self { judged: Some(check.judged), ..page },
            CertifyCheckState::Done { certificate, at } => {
                let checked = Some(TimeElement(*at));
                Self { certificate: Some(certificate), checked, ..page }
            }
            CertifyCheckState::Refused(why) => Self { problem: Some(to_sentence(why)), ..page },
        }
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
    MerchantVisit { web, visitor, merchant }: MerchantVisit,
) -> Result<Response, ApiError> {
    load_merchant(&web.app, &merchant).await?;
    let check = find_certify_check(&web.app, &merchant);
    let page = CertifyPage::new(&visitor, &merchant);
    let page = match &check {
        Some(check) => page.with_check(check),
        None => page,
    };
    let response = render_page(&visitor, form_status(false), &page);
    Ok(if page.judged.is_some() { refresh(response) } else { response })
}

async fn check(
    MerchantForm { web, merchant, sent: MemberForm { visitor, form, .. } }: MerchantForm,
) -> Result<Response, ApiError> {
    let held_url = form.text("held_url");
    let request = CertifyRequest {
        held_url: non_empty(held_url).map(str::to_owned),
        ..CertifyRequest::default()
    };
    match start_certify_check(&web.app, &visitor.session, &merchant, &request).await {
        Ok(()) => Ok(redirect(&format!("/console/merchants/{merchant}/certify"))),
        Err(AppError::Conflict(why)) => {
            let page = CertifyPage {
                held_url,
                problem: Some(to_sentence(&why)),
                ..CertifyPage::new(&visitor, &merchant)
            };
            Ok(render_page(&visitor, form_status(true), &page))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fixtures::sample_visitor;

    #[test]
    fn a_running_check_has_a_progress_bar_and_no_form() {
        let visitor = sample_visitor();
        let merchant = MerchantId::parse("acme").unwrap();
        let page = CertifyPage { judged: Some(7), ..CertifyPage::new(&visitor, &merchant) };
        let html = page.render().unwrap();
        assert!(html.contains("7 of 25 rules checked"), "{html}");
        assert!(html.contains("max=\"25\" value=\"7\""), "{html}");
        assert!(!html.contains("Check endpoints</button>"), "{html}");
        let html = CertifyPage::new(&visitor, &merchant).render().unwrap();
        assert!(html.contains("Check endpoints</button>") && !html.contains("<progress"), "{html}");
    }
}
