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
    server::Server,
    stage::ALLOW,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

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
            recorder.lock().unwrap().push(head);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PNG.len());
            let _ = stream.write_all(&[head.as_bytes(), PNG].concat());
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

fn assert_nothing_is_fetched(server: &Server) {
    let gallery = open_gallery();
    for url in [
        format!("http://{}/a.png", gallery.address),
        "file:///etc/passwd".to_owned(),
        "javascript:alert(1)".to_owned(),
        "https://169.254.169.254/latest".to_owned(),
    ] {
        let shop = Shop::on(server, |order| order["items"][0]["image_url"] = json!(url));
        let (_, shown) = fetch_picture(&shop);
        assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/svg+xml")));
        assert!(!shown.text().contains("PNG"), "{url}");
    }
    assert!(gallery.requests.lock().unwrap().is_empty());
}

#[test]
fn no_picture_is_fetched_from_an_address_that_is_not_public() {
    servers().for_each(assert_nothing_is_fetched);
}

#[test]
fn an_exception_for_the_endpoints_of_merchants_is_none_for_pictures() {
    assert_nothing_is_fetched(&Home::new().serve(&ALLOW));
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

        for rest in [token, "forged", &token[1..], &shop.pass(DANA)["homeward_shopper=".len()..]] {
            let reply = other.get(&format!("/pictures/{rest}"), "");
            assert_eq!(reply.status, 404, "{rest}");
        }
    }
}
