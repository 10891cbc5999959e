//! Pictures of goods, which only the server fetches.

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
};

use serde_json::json;

use super::shop::{DANA, Shop, servers};
use crate::harness::{
    home::Home,
    http::{Reply, Request},
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";

/// A server of pictures, and the requests it received.
struct Gallery {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

fn open_gallery() -> Gallery {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let recorder = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).unwrap_or(0);
            let head = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = match path.as_str() {
                "/a.png" => ("200 OK", PNG.to_vec()),
                "/a.svg" => ("200 OK", SVG.to_vec()),
                "/page" => ("200 OK", b"<html><script>alert(1)</script>".to_vec()),
                "/large" => ("200 OK", [PNG, &vec![0; 1 << 20]].concat()),
                "/moved" => ("302 Found\r\nLocation: /a.png", Vec::new()),
                _ => ("404 Not Found", Vec::new()),
            };
            recorder.lock().unwrap().push(head);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    Gallery { address, requests }
}

/// Fetches the picture of the first line.
fn fetch_picture(shop: &Shop<'_>) -> (String, Reply) {
    let page = shop.get("/return", &shop.pass(DANA));
    let address = page.text().split("class=\"picture\" src=\"").nth(1).unwrap();
    let address = address.split('"').next().unwrap().to_owned();
    let reply = shop.server.send(&Request::get(&address));
    (address, reply)
}

#[test]
fn a_picture_is_served_by_us_and_restricted_to_a_picture() {
    let gallery = open_gallery();
    let server = Home::sqlite().serve(&["--allow-network", "127.0.0.0/8"]);
    let at = |path: &str| {
        let url = format!("http://{}{path}", gallery.address);
        fetch_picture(&Shop::on(&server, |order| order["items"][0]["image_url"] = json!(url)))
    };
    for (path, kind, body) in [("/a.png", "image/png", PNG), ("/a.svg", "image/svg+xml", SVG)] {
        let (address, shown) = at(path);
        assert!(address.contains("/pictures/") && !address.contains("a.png"), "{address}");
        assert_eq!((shown.status, shown.body.as_slice()), (200, body));
        assert_eq!(shown.header("content-type"), Some(kind));
        assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
        let policy = shown.header("content-security-policy");
        assert_eq!(policy, Some("default-src 'none'; sandbox"));
        // The second time it comes from the cache.
        let before = gallery.requests.lock().unwrap().len();
        assert_eq!(server.send(&Request::get(&address)).status, 200);
        assert_eq!(gallery.requests.lock().unwrap().len(), before);
    }
    for path in ["/page", "/large", "/moved", "/absent"] {
        let (_, shown) = at(path);
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/svg+xml")));
        assert_ne!(shown.body, SVG, "{path}");
        assert!(!shown.text().contains("script"), "{path}");
    }
    let requests = gallery.requests.lock().unwrap();
    assert!(!requests.iter().any(|head| head.to_lowercase().contains("cookie")), "{requests:?}");
}

#[test]
fn no_picture_is_fetched_from_an_address_that_is_not_public() {
    let gallery = open_gallery();
    for server in servers() {
        for url in [
            format!("http://{}/a.png", gallery.address),
            "file:///etc/passwd".to_owned(),
            "javascript:alert(1)".to_owned(),
            "https://169.254.169.254/latest".to_owned(),
        ] {
            let shop = Shop::on(server, |order| order["items"][0]["image_url"] = json!(url));
            let (_, shown) = fetch_picture(&shop);
            assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/svg+xml")));
        }
    }
    assert!(gallery.requests.lock().unwrap().is_empty());
}

#[test]
fn a_token_is_valid_for_one_address_of_one_merchant() {
    for server in servers() {
        let url = json!("https://images.example.com/a.png");
        let shop = Shop::on(server, |order| order["items"][0]["image_url"] = url);
        let other = Shop::on(server, |_| ());
        let page = shop.get("/return", &shop.pass(DANA));
        let token = page.text().split("/pictures/").nth(1).unwrap().split('"').next().unwrap();
        // The address stays the same, so that browsers can cache the picture.
        assert!(shop.get("/return", &shop.pass(DANA)).text().contains(token));

        for rest in
            [token, "forged", "", &token[1..], &shop.pass(DANA)["homeward_shopper=".len()..]]
        {
            let reply = other.get(&format!("/pictures/{rest}"), "");
            assert_eq!(reply.status, 404, "{rest}");
        }
    }
}
