//! A transport with one message per line. Unlike rmcp's own transport, it answers invalid lines
//! with JSON-RPC 2.0 errors instead of ignoring them.

use std::io;
use std::sync::Arc;

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Maximum number of bytes in a line. A text of 1 MiB whose bytes are all escaped is shorter.
const MAX_LINE: usize = 8 << 20;
/// Maximum number of values in a line. A few bytes of JSON can take much memory.
const MAX_VALUES: usize = 10_000;

pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    /// The received part of the current line.
    line: Vec<u8>,
    /// Whether the current line is too long and is skipped up to its end.
    is_too_long: bool,
    write: Arc<Mutex<W>>,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        let write = Arc::new(Mutex::new(write));
        Self { read: BufReader::new(read), line: Vec::new(), is_too_long: false, write }
    }

    /// Returns the next line, an error if it is too long, or `None` at the end. Cancel-safe: the
    /// next call resumes where a dropped one stopped.
    async fn next(&mut self) -> Option<Result<Vec<u8>, ErrorData>> {
        loop {
            let there = self.read.fill_buf().await.ok().filter(|there| !there.is_empty())?;
            let end = there.iter().position(|&byte| byte == b'\n');
            let part = &there[..end.unwrap_or(there.len())];
            if self.line.len() + part.len() > MAX_LINE {
                self.is_too_long = true;
                self.line = Vec::new();
            } else if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if std::mem::take(&mut self.is_too_long) {
                    let message = "the line is longer than 8 MiB";
                    return Some(Err(ErrorData::invalid_request(message, None)));
                }
                return Some(Ok(line));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            write.write_all(&line).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let (error, id) = match self.next().await? {
                Err(error) => (error, None),
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => match message(&line) {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(refused) => *refused,
                },
            };
            // Spawned, so that the line is written completely even if this future is dropped.
            let sent = tokio::spawn(self.send(TxJsonRpcMessage::<RoleServer>::error(error, id)));
            sent.await.ok()?.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.flush().await
    }
}

/// The error for an invalid line, and the id of its request if it has one.
type Refused = Box<(ErrorData, Option<RequestId>)>;

/// Parses the message of a line; `None` for unknown notifications.
fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refused> {
    if values(line) > MAX_VALUES {
        return Err(invalid("a message of at most 10,000 values", None));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return Err(unreadable(line, &error)),
    };
    let id = id_of(&value);
    let Value::Object(object) = &value else {
        let expected = match value {
            Value::Array(_) => "one message per line, not a batch",
            _ => "an object",
        };
        return Err(invalid(expected, None));
    };
    if object.get("jsonrpc") != Some(&Value::from("2.0")) {
        return Err(invalid("\"jsonrpc\": \"2.0\"", id));
    }
    let is_response = object.contains_key("result") || object.contains_key("error");
    let Some(method) = object.get("method").and_then(Value::as_str) else {
        // Unexpected responses are ignored.
        return if is_response && id.is_some() { Ok(None) } else { Err(invalid("a method", id)) };
    };
    let is_request = object.contains_key("id");
    if is_request && id.is_none() {
        return Err(invalid("an id that is a string or a whole number", None));
    }
    let params = object.get("params");
    if is_request && !params.is_none_or(Value::is_object) {
        return Err(invalid_params(method, "an object", id));
    }
    if is_request && method == "tools/call" {
        let of_call = |name: &str| params.and_then(|params| params.get(name));
        if !of_call("name").is_some_and(Value::is_string) {
            return Err(invalid_params(method, "the name of a tool", id));
        }
        if !of_call("arguments").is_none_or(Value::is_object) {
            return Err(invalid_params(method, "arguments that are an object", id));
        }
    }
    match serde_json::from_slice(line) {
        Ok(message) => Ok(Some(message)),
        Err(_) if !is_request => Ok(None),
        Err(error) => Err(invalid_params(method, &error.to_string(), id)),
    }
}

fn invalid(expected: &str, id: Option<RequestId>) -> Refused {
    let message = format!("invalid request: expected {expected}");
    Box::new((ErrorData::invalid_request(message, None), id))
}

fn invalid_params(method: &str, expected: &str, id: Option<RequestId>) -> Refused {
    let method: String = method.chars().take(64).collect();
    let message = format!("invalid parameters of {method}: expected {expected}");
    Box::new((ErrorData::invalid_params(message, None), id))
}

fn id_of(value: &Value) -> Option<RequestId> {
    serde_json::from_value(value.get("id")?.clone()).ok()
}

/// Returns the error for a line that is not JSON. A text that was cut within a character contains
/// an unpaired surrogate and is invalid JSON too, but its client still waits for an answer with the
/// request's id.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Refused {
    let whole = str::from_utf8(line).ok().map(without_halves);
    let id = whole.and_then(|whole| id_of(&serde_json::from_str(&whole).ok()?));
    if id.is_some() {
        let message = "the text contains an unpaired surrogate: a character was cut";
        return Box::new((ErrorData::invalid_params(message, None), id));
    }
    let message = format!("invalid JSON: {error}");
    Box::new((ErrorData::parse_error(message, None), None))
}

/// Replaces the escapes of unpaired surrogates with the escape of U+FFFD.
fn without_halves(json: &str) -> String {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        rest = &rest[at..];
        let next = rest.get(6..).and_then(unit);
        let n = match unit(rest) {
            Some(0xd800..=0xdbff) if next.is_some_and(|low| (0xdc00..=0xdfff).contains(&low)) => 12,
            Some(0xd800..=0xdfff) => {
                whole.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            None => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
        };
        whole.push_str(&rest[..n]);
        rest = &rest[n..];
    }
    whole + rest
}

/// Returns an upper bound of the number of values in a line of JSON.
fn values(line: &[u8]) -> usize {
    let (mut values, mut is_text, mut is_escaped) = (1, false, false);
    for &byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' | b':' if !is_text => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (i32, Option<String>) {
        let (error, id) = *message(line.as_bytes()).expect_err(line);
        (error.code.0, id.map(|id| id.to_string()))
    }

    #[test]
    fn invalid_messages_are_refused_with_their_ids() {
        let call = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
        };
        for (line, code, id) in [
            ("nonsense", -32700, None),
            ("{\"jsonrpc\":\"2.0\"", -32700, None),
            (&"[".repeat(9_000), -32700, None),
            (&format!("[{}1]", "1,".repeat(10_000)), -32600, None),
            ("[]", -32600, None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, None),
            ("7", -32600, None),
            ("{}", -32600, None),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, Some("a")),
            (r#"{"jsonrpc":"2.0","id":7}"#, -32600, Some("7")),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, None),
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#, -32602, Some("7")),
            (&call("\"none\""), -32602, Some("7")),
            (&call("{}"), -32602, Some("7")),
            (&call(r#"{"name":"similar","arguments":[]}"#), -32602, Some("7")),
            (&call(r#"{"name":"similar","arguments":{"text":"\ud800"}}"#), -32602, Some("7")),
            (
                &call(r#"{"name":"similar","arguments":{"text":"\udc00\ud800x"}}"#),
                -32602,
                Some("7"),
            ),
        ] {
            assert_eq!(refused(line), (code, id.map(str::to_owned)), "{line:.80}");
        }
        assert_eq!(message(b"\xff").unwrap_err().0.code.0, -32700);
        let whole = call(r#"{"name":"similar","arguments":{"text":"\\ud800 \ud83d\ude00"}}"#);
        assert!(matches!(message(whole.as_bytes()), Ok(Some(_))));
        assert!(message(br#"{"jsonrpc":"2.0","method":"x/y","params":[]}"#).is_ok());
    }
}
