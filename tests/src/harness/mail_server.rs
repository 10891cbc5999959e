//! A real mail server: `tests/mail-server`, which is aiosmtpd from Debian's packages.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

use super::{binary::workspace, eventually, home::text};

/// A mail server that ends with its test.
pub(crate) struct MailServer {
    program: Child,
    port: u16,
    accepted: Arc<Mutex<Vec<ReceivedMail>>>,
}

/// A mail that the server accepted.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedMail {
    pub(crate) to: String,
    pub(crate) message_id: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
    /// The attached files: `name` and `content`.
    pub(crate) files: Value,
    /// Headers and body, as they came.
    pub(crate) content: String,
}

impl MailServer {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(workspace().join("tests/mail-server"));
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        let port = lines.next().expect("python3-aiosmtpd must be installed").unwrap();
        let accepted: Arc<Mutex<Vec<ReceivedMail>>> = Arc::default();
        let kept = Arc::clone(&accepted);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mail: Value = serde_json::from_str(&line).unwrap();
                let mail = ReceivedMail {
                    to: text(&mail["to"][0]),
                    message_id: text(&mail["message_id"]),
                    subject: text(&mail["subject"]),
                    text: text(&mail["text"]),
                    html: text(&mail["html"]),
                    files: mail["files"].clone(),
                    content: text(&mail["content"]),
                };
                kept.lock().unwrap().push(mail);
            }
        });
        Self { program, port: port.parse().unwrap(), accepted }
    }

    /// The settings of a merchant that sends through this server.
    pub(crate) fn settings(&self) -> Value {
        json!({
            "host": "127.0.0.1", "port": self.port, "security": "none",
            "from": "returns@acme.example",
        })
    }

    /// The mails so far, in the order of their arrival.
    pub(crate) fn mails(&self) -> Vec<ReceivedMail> {
        self.accepted.lock().unwrap().clone()
    }

    /// Waits until there are so many mails.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        eventually(&format!("{count} mails"), || {
            Some(self.mails()).filter(|mails| mails.len() >= count)
        })
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
