//! `pagekin serve`, and a client that sends exactly the bytes of a test.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::program::PATIENCE;

/// A server, which is stopped when dropped.
#[derive(Debug)]
pub struct Served {
    /// The process.
    pub child: Child,
    /// The first line it printed.
    pub line: String,
    /// Its port.
    pub port: u16,
}

impl Served {
    /// Starts `pagekin serve` with these arguments and waits until it listens.
    #[must_use]
    pub fn start(arguments: &[OsString]) -> Self {
        let mut command = Command::new(crate::program::path());
        Self::by(command.arg("serve").args(arguments))
    }

    /// Runs a command whose first line contains its URL, and waits for that line.
    #[must_use]
    pub fn by(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        stdout.read_line(&mut line).expect("it prints its address");
        let port = line.split_once("127.0.0.1:").and_then(|(_, rest)| rest.split_once('/'));
        let port = port.and_then(|(port, _)| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("expected an address, found {line:?}"));
        Self { child, line, port }
    }

    /// Returns the response to `GET` of a path, which is sent unchanged.
    #[must_use]
    pub fn get(&self, path: &str) -> Response {
        self.get_with(path, "Host: localhost\r\n")
    }

    /// Sends other headers as well, each with its line break.
    #[must_use]
    pub fn get_with(&self, path: &str, headers: &str) -> Response {
        let mut stream = self.connect();
        let request = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads requests");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        let end = bytes
            .windows(4)
            .position(|window| window == b"\r\n\r\n")
            .expect("a response has a head");
        let head = String::from_utf8(bytes[..end].to_vec()).expect("a head is ASCII");
        let mut lines = head.lines();
        let status =
            lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header has a name and a value");
            (name.to_lowercase(), value.to_owned())
        };
        Response {
            status: status.expect("a response has a status"),
            headers: lines.map(header).collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// Connects to the server.
    #[must_use]
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout is above zero");
        stream
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The response of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the value of a header, or an empty string if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value)
    }
}
