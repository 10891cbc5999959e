//! Hostile addresses and names, and some good ones.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::*;
use proptest::prelude::*;

/// Addresses that must never be called unless an operator allows their network.
const FORBIDDEN: [&str; 57] = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.1.2.3",
    "::ffff:169.254.169.254",
    "::ffff:0:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::1",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "4000::1",
];

const PUBLIC: [&str; 16] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.169.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "::ffff:8.8.8.8",
];

/// Addresses that are refused for how they are written, whatever is allowed.
const MALFORMED: [&str; 54] = [
    "",
    "/",
    "https",
    "https:",
    "https://",
    "https:///hook",
    "https:example.com",
    "//example.com/hook",
    "example.com",
    "example.com:443",
    "*",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:25/",
    "unix:///run/docker.sock",
    "javascript://example.com/",
    "https://user@example.com/",
    "https://user:word@example.com/",
    "https://example.com@127.0.0.1/",
    "https://example.com:443@127.0.0.1/",
    "https://@example.com/",
    "https://example.com/#fragment",
    "https://example.com#@127.0.0.1/",
    "https://example.com\\@127.0.0.1/",
    "https:\\\\example.com",
    "https://example.com /",
    "https://example.com/a b",
    "https://example.com/\r\nHost: other",
    "https://example.com\t/",
    "https://example.com:/",
    "https://example.com:0/",
    "https://example.com:00443/",
    "https://example.com:65536/",
    "https://example.com:-1/",
    "https://example.com:+443/",
    "https://example.com:80:80/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://0177.0.0.1/",
    "https://127.0.0.0x1/",
    "https://127.0.0.1./",
    "https://localhost./",
    "https://example..com/",
    "https://.example.com/",
    "https://-example.com/",
    "https://127.0.0.1%2f.example.com/",
    "https://%31%32%37.0.0.1/",
    "https://[::1/",
    "https://[127.0.0.1]/",
    "https://[fe80::1%25eth0]/",
];

/// The same for names outside ASCII, which some resolvers fold into digits, dots and letters.
const FOLDED: [&str; 5] = [
    "https://１２７.0.0.1/",
    "https://127。0。0。1/",
    "https://ⓛocalhost/",
    "https://exämple.com/",
    "https://127.0.0.1\u{200b}/",
];

fn parse_address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn literal(address: IpAddr, scheme: &str) -> String {
    match address {
        IpAddr::V4(address) => format!("{scheme}://{address}/hook"),
        IpAddr::V6(address) => format!("{scheme}://[{address}]/hook"),
    }
}

fn guard_allowing(allowed: &[&str]) -> AddressGuard {
    let exception = |text: &&str| NetworkException::parse(&format!("*@{text}:*")).unwrap();
    AddressGuard::new(allowed.iter().map(exception).collect())
}

#[test]
fn no_forbidden_address_passes_in_any_form() {
    let guard = guard_allowing(&[]);
    for text in FORBIDDEN {
        let address = parse_address(text);
        assert!(!guard.permits(address), "{text} passed");
        let refused = guard.check_url(&literal(address, "https"));
        assert!(matches!(refused, Err(Refused::NotPublic { .. })), "{text}: {refused:?}");
    }
}

#[test]
fn public_addresses_pass_over_https_and_not_over_http() {
    let guard = guard_allowing(&[]);
    for text in PUBLIC {
        let address = parse_address(text);
        assert!(guard.permits(address), "{text} was refused");
        assert!(guard.check_url(&literal(address, "https")).is_ok(), "{text} was refused");
        let plain = guard.check_url(&literal(address, "http"));
        assert!(matches!(plain, Err(Refused::NotSecure { .. })), "{text}: {plain:?}");
    }
}

#[test]
fn what_is_oddly_written_is_refused_whatever_is_allowed() {
    let guard = guard_allowing(&["0.0.0.0/0", "::/0"]);
    for url in MALFORMED.iter().chain(&FOLDED) {
        let refused = guard.check_url(url);
        assert!(matches!(refused, Err(Refused::Malformed(_))), "{url:?}: {refused:?}");
    }
    let long = format!("https://example.com/{}", "a".repeat(URL_BYTES_MAX));
    assert!(guard.check_url(&long).is_err());
}

#[test]
fn ordinary_addresses_pass() {
    let guard = guard_allowing(&[]);
    for url in [
        "https://shop.example.com/hooks/rmas",
        "https://shop.example.com",
        "https://shop.example.com:8443/a?b=c&d=%20",
        "https://SHOP.example.com/",
        "https://a_b.example.com/",
        "https://xn--exmple-cua.com/hook",
        "https://3com.example/",
        "https://shop.example.com/sku/{variant_identifier}/variants",
        "https://1.1.1.1/",
        "https://[2606:4700:4700::1111]:8443/hook",
    ] {
        assert!(guard.check_url(url).is_ok(), "{url} was refused: {:?}", guard.check_url(url));
    }
}

#[test]
fn allowed_networks_open_themselves_and_nothing_else() {
    let guard = guard_allowing(&["127.0.0.0/8", "fd00::/8"]);
    for url in ["http://127.0.0.1:8080/", "https://127.9.9.9/", "http://[fd00::1]/"] {
        assert!(guard.check_url(url).is_ok(), "{url} was refused");
    }
    assert!(guard.check_url("http://[::ffff:127.0.0.1]/").is_ok(), "it is 127.0.0.1");
    for url in ["http://10.0.0.1/", "https://[::1]/", "https://[fc00::1]/", "http://1.1.1.1/"] {
        assert!(guard.check_url(url).is_err(), "{url} passed");
    }
}

#[test]
fn an_exception_is_for_one_merchant_and_one_port() {
    let exception = NetworkException::parse("acme@10.0.0.0/8:8443").unwrap();
    let guard = AddressGuard::new(vec![exception]);
    let of = |merchant: &str| guard.for_merchant(&MerchantId::parse(merchant).unwrap());

    assert!(of("acme").check_url("http://10.1.2.3:8443/hooks").is_ok());
    for url in ["http://10.1.2.3/", "https://10.1.2.3/", "http://10.1.2.3:8444/"] {
        assert!(of("acme").check_url(url).is_err(), "{url} has another port");
    }
    assert!(of("other").check_url("http://10.1.2.3:8443/hooks").is_err());
    assert!(of("other").check_url("http://shop.example:8443/").is_err(), "plain http");
    let found = [SocketAddr::new(parse_address("10.1.2.3"), 8443)];
    assert_eq!(of("acme").check_all("inside.example", &found, false), Ok(()));
    assert!(of("other").check_all("inside.example", &found, true).is_err());
    assert!(AddressGuard::default().check_url("http://10.1.2.3:8443/").is_err());
}

#[test]
fn a_refusal_names_the_address_and_the_reason() {
    let refused = guard_allowing(&[]).check_url("https://10.0.0.1/").unwrap_err();
    assert_eq!(refused.to_string(), "address 10.0.0.1 is not public (a private network)");
    let refused = guard_allowing(&[]).check_url("http://shop.example.com/").unwrap_err();
    assert_eq!(refused.to_string(), "plain http to shop.example.com is not allowed: use https");
}

#[test]
fn one_forbidden_address_among_several_refuses_the_name() {
    let guard = guard_allowing(&["127.0.0.0/8"]);
    let found = |texts: &[&str]| -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(parse_address(text), 443)).collect()
    };
    let check = |texts: &[&str], secure| guard.check_all("x.example", &found(texts), secure);

    assert_eq!(check(&["8.8.8.8", "1.1.1.1"], true), Ok(()));
    assert!(check(&["8.8.8.8", "10.0.0.1"], true).is_err());
    assert!(check(&["::1", "8.8.8.8"], true).is_err());
    assert_eq!(check(&["127.0.0.1", "127.0.0.2"], false), Ok(()));
    assert!(check(&["127.0.0.1", "8.8.8.8"], false).is_err(), "plain http left the network");
    assert_eq!(check(&[], true), Err(Refused::NoAddress { host: "x.example".to_owned() }));
}

#[tokio::test]
async fn a_name_is_judged_by_what_it_resolves_to() {
    let refused = guard_allowing(&[]).resolve("localhost", 443, true).await.unwrap_err();
    assert!(matches!(refused, Refused::NotPublic { .. }), "{refused}");

    let allowed =
        guard_allowing(&["127.0.0.0/8", "::1"]).resolve("localhost", 80, false).await.unwrap();
    assert!(allowed.iter().all(|address| address.ip().is_loopback() && address.port() == 80));

    let unknown = guard_allowing(&[]).resolve("no-such-host.invalid", 443, true).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no-such-host.invalid has no address");
}

#[tokio::test]
async fn a_literal_is_resolved_to_itself() {
    let guard = guard_allowing(&[]);
    let found = guard.resolve("[2606:4700:4700::1111]", 443, true).await.unwrap();
    assert_eq!(found, [SocketAddr::new(parse_address("2606:4700:4700::1111"), 443)]);
    assert!(guard.resolve("169.254.169.254", 80, true).await.is_err());
    assert!(guard.resolve("8.8.8.8", 80, false).await.is_err());
    assert!(guard.resolve("0x7f.1", 80, true).await.is_err());
}

#[test]
fn networks_are_read_strictly_and_written_as_they_were_read() {
    for text in ["10.0.0.0/8", "0.0.0.0/0", "::/0", "fd00::/8", "127.0.0.1/32"] {
        assert_eq!(Network::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Network::parse("::1").unwrap().to_string(), "::1/128");
    for text in ["", "10.0.0.0/33", "10.0.0.1/8", "10/8", "::/129", "::ffff:10.0.0.0/104", "x/8"] {
        assert!(Network::parse(text).is_err(), "{text} was accepted");
    }
}

proptest! {
    #[test]
    fn an_ipv4_address_is_the_same_in_every_disguise(bits in any::<u32>()) {
        let guard = guard_allowing(&[]);
        let plain = Ipv4Addr::from_bits(bits);
        let [a, b] = [u16::try_from(bits >> 16).unwrap(), u16::try_from(bits & 0xffff).unwrap()];
        let disguises = [
            plain.to_ipv6_mapped(),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b),
            Ipv6Addr::new(0x2002, a, b, 0, 0, 0, 0, 1),
        ];
        for disguise in disguises {
            prop_assert_eq!(guard.permits(disguise.into()), guard.permits(plain.into()));
        }
    }

    #[test]
    fn a_network_holds_what_shares_its_prefix(bits in any::<u32>(), prefix in 0_u8..=32) {
        let mask = u32::MAX.checked_shl(u32::from(32 - prefix)).unwrap_or(0);
        let first = Ipv4Addr::from_bits(bits & mask);
        let network = Network::parse(&format!("{first}/{prefix}")).unwrap();
        prop_assert!(network.contains(Ipv4Addr::from_bits(bits).into()));
        prop_assert!(network.contains(Ipv4Addr::from_bits(bits | !mask).into()));
        if prefix > 0 {
            let other = bits ^ (1 << (32 - prefix));
            prop_assert!(!network.contains(Ipv4Addr::from_bits(other).into()));
        }
    }
}
