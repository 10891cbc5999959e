//! When a certificate ends. Only the way to this one field of its DER encoding is followed.

use std::path::Path;

use jiff::{Timestamp, civil::DateTime, tz::Offset};
use rustls::pki_types::{CertificateDer, pem::PemObject};

const INTEGER: u8 = 0x02;
const SEQUENCE: u8 = 0x30;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The version of the certificate, which may be absent.
const VERSION: u8 = 0xa0;

/// The end of the first certificate in a PEM file, if it can be read.
pub fn certificate_end(file: &Path) -> Option<Timestamp> {
    let certificate = CertificateDer::from_pem_file(file).ok()?;
    read_end(&certificate)
}

fn read_end(certificate: &[u8]) -> Option<Timestamp> {
    let (outer, _) = take(certificate, SEQUENCE)?;
    let (mut fields, _) = take(outer, SEQUENCE)?;
    if let Some((_, rest)) = take(fields, VERSION) {
        fields = rest;
    }
    // The serial number, the algorithm of the signature, and who issued the certificate.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, fields) = take(fields, tag)?;
    }
    let (validity, _) = take(fields, SEQUENCE)?;
    let (_, end) = take_time(validity)?;
    take_time(end).map(|(time, _)| time)
}

/// The content of the element at the beginning, which must have this tag, and what follows it.
fn take(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    if *found != tag {
        return None;
    }
    let (length, rest) = match usize::from(*first) {
        length @ 0..=0x7f => (length, rest),
        // The length is written in so many bytes.
        count @ 0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(count - 0x80)?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

fn take_time(bytes: &[u8]) -> Option<(Timestamp, &[u8])> {
    let (text, rest) = take(bytes, UTC_TIME).or_else(|| take(bytes, GENERALIZED_TIME))?;
    let text = std::str::from_utf8(text).ok()?;
    // Two digits of a year are those from 1950 to 2049.
    let century = match (text.len(), text.get(..2)?) {
        (13, year) if year >= "50" => "19",
        (13, _) => "20",
        _ => "",
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", format!("{century}{text}")).ok()?;
    Some((Offset::UTC.to_timestamp(time).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn the_end_of_a_certificate_is_read_before_and_after_the_middle_of_the_century() {
        for (year, expected) in [(2031, "2031-05-17T00:00:00Z"), (2061, "2061-05-17T00:00:00Z")] {
            let mut params = CertificateParams::new(vec!["returns.example".to_owned()]).unwrap();
            params.not_after = date_time_ymd(year, 5, 17);
            let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
            assert_eq!(read_end(certificate.der()), Some(expected.parse().unwrap()));

            let der = certificate.der();
            for length in 0..der.len() {
                assert_eq!(read_end(&der[..length]), None, "{length} bytes of it");
            }
        }
    }
}
