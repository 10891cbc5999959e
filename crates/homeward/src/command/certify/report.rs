//! A certificate as text and as a page.

use std::fmt::Write as _;

use domain::messages::certificate::{Certificate, CertifyResult, CertifyVerdict};

const fn result_name(result: CertifyResult) -> &'static str {
    match result {
        CertifyResult::Passed => "passed",
        CertifyResult::Failed => "FAILED",
        CertifyResult::Skipped => "skipped",
    }
}

fn conclude(certificate: &Certificate) -> String {
    format!(
        "{} passed, {} failed, {} skipped: {} {}",
        certificate.count(CertifyResult::Passed),
        certificate.count(CertifyResult::Failed),
        certificate.count(CertifyResult::Skipped),
        certificate.url,
        if certificate.passed { "is certified" } else { "is not certified" }
    )
}

/// The verdicts as lines; those that failed with their calls.
pub(crate) fn format_text(certificate: &Certificate) -> String {
    let mut text = String::new();
    for verdict in &certificate.verdicts {
        let CertifyVerdict { rule, result, detail, demand, exchanges } = verdict;
        let _ = write!(text, "{:<8} {}", result_name(*result), rule.name());
        let _ = match result {
            CertifyResult::Passed => writeln!(text),
            CertifyResult::Skipped => writeln!(text, ": {detail}"),
            CertifyResult::Failed => writeln!(text, ": {detail}\n         {demand}"),
        };
        let shown = exchanges.iter().filter(|_| *result == CertifyResult::Failed);
        for exchange in shown {
            for part in [&exchange.request, &exchange.response] {
                for line in part.lines() {
                    let _ = writeln!(text, "         | {line}");
                }
                let _ = writeln!(text, "         |");
            }
        }
    }
    text.push_str(&conclude(certificate));
    text
}

/// The report as a page that needs nothing else.
pub(super) fn format_page(certificate: &Certificate) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>Certificate of {0}</title><style>:root{{color-scheme:light dark}}\
         body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}\
         pre{{overflow:auto;border:1px solid;padding:.5rem}}</style></head>\n\
         <body><main><h1>Certificate of {0}</h1><p>{1}.</p>\n",
        escape(&certificate.url),
        escape(&conclude(certificate))
    );
    for verdict in &certificate.verdicts {
        let detail = if verdict.detail.is_empty() {
            String::new()
        } else {
            format!(" <strong>{}</strong>", escape(&verdict.detail))
        };
        let _ = writeln!(
            page,
            "<h2>{}: {}</h2><p>{}{detail}</p>",
            verdict.rule.name(),
            result_name(verdict.result),
            escape(&verdict.demand)
        );
        for exchange in &verdict.exchanges {
            let _ = writeln!(
                page,
                "<details><summary>Call</summary><pre>{}</pre><pre>{}</pre></details>",
                escape(&exchange.request),
                escape(&exchange.response)
            );
        }
    }
    page.push_str("</main></body></html>\n");
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use domain::messages::certificate::{CertifyExchange, CertifyRule};

    use super::*;

    fn sample() -> Certificate {
        let verdict = |rule: CertifyRule, result| CertifyVerdict {
            rule,
            demand: rule.demand().to_owned(),
            result,
            detail: "the response was <500>".to_owned(),
            exchanges: vec![CertifyExchange {
                request: "POST /rmas".to_owned(),
                response: "500 after 3 ms".to_owned(),
            }],
        };
        let verdicts = vec![
            verdict(CertifyRule::AcceptsSamples, CertifyResult::Failed),
            verdict(CertifyRule::AnswersInTime, CertifyResult::Passed),
        ];
        Certificate::new("https://a.example/?<x>", verdicts)
    }

    #[test]
    fn the_text_shows_the_calls_of_rules_that_failed() {
        let text = format_text(&sample());
        assert!(text.contains("FAILED   accepts_samples: the response was <500>"), "{text}");
        assert_eq!(text.matches("| POST /rmas").count(), 1, "{text}");
        let end = "1 passed, 1 failed, 0 skipped: https://a.example/?<x> is not certified";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn texts_of_the_receiver_stay_text_on_the_page() {
        let page = format_page(&sample());
        assert!(!page.contains("<500>") && page.contains("&lt;500&gt;"), "{page}");
    }
}
