//! `pagekin mcp`: a Model Context Protocol server on standard input and output, for AI agents.

mod lines;
mod report;
mod source;
mod tools;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use pagekin_index::CallEnd;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::sync::{Mutex, Semaphore};

use crate::args::site::McpArgs;
use crate::failure::Failure;
use crate::output::eprint_line;
use crate::site::mcp::lines::Lines;
use crate::site::mcp::report::Report;
use crate::site::mcp::source::Source;
use crate::site::mcp::tools::Call;

/// Maximum number of running and waiting calls.
const MAX_CALLS: usize = 16;
/// Time that a timed-out call gets to report what it waited for.
const GRACE: Duration = Duration::from_millis(500);

pub(crate) fn run(args: &McpArgs) -> Result<(), Failure> {
    let server = Server {
        source: Arc::new(Mutex::new(Source::open(args)?)),
        slots: Arc::new(Semaphore::new(MAX_CALLS)),
        timeout: Duration::from_secs(args.timeout),
    };
    if io::stdin().is_terminal() {
        eprint_line(
            "waiting for a Model Context Protocol client on standard input (press Ctrl-C to stop)",
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        match server.serve(Lines::new(tokio::io::stdin(), tokio::io::stdout())).await {
            Ok(service) => service.waiting().await.map(drop).map_err(Failure::from),
            // The client closed the connection before the handshake.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    });
    // Does not wait for standard input or for a host.
    runtime.shutdown_background();
    served
}

/// The server. The source answers one call at a time.
#[derive(Debug, Clone)]
struct Server {
    source: Arc<Mutex<Source>>,
    slots: Arc<Semaphore>,
    /// Maximum time of a call, waiting included.
    timeout: Duration,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new("pagekin", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(me)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        if !tools::NAMES.contains(&&*name) {
            let expected = tools::NAMES.join(", ");
            let name: String = name.chars().take(64).collect();
            let message = format!("unknown tool {name}. The tools are {expected}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let call = Call::read(&name, arguments.unwrap_or_default());
        let called = match call.map_err(|error| error.to_string()) {
            Ok(call) => {
                let end = CallEnd::after(self.timeout);
                tokio::select! {
                    called = self.answer(call, end.clone()) => called?,
                    () = context.ct.cancelled() => {
                        end.cancel();
                        // Never sent: the client does not wait for a canceled call.
                        return Err(ErrorData::internal_error("the call was canceled", None));
                    }
                    () = tokio::time::sleep(self.timeout + GRACE) => {
                        end.cancel();
                        let seconds = self.timeout.as_secs_f64();
                        Err(format!("no answer within {seconds} seconds"))
                    }
                }
            }
            Err(error) => Err(error),
        };
        let result = match called {
            Ok(report) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(report.text)]);
                result.structured_content = Some(report.json);
                result
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(report::message(&error))]),
        };
        Ok(result.into())
    }
}

impl Server {
    /// Answers a call after the calls before it.
    async fn answer(&self, call: Call, end: CallEnd) -> Result<Result<Report, String>, ErrorData> {
        let Ok(_slot) = self.slots.try_acquire() else {
            return Ok(Err(format!("more than {MAX_CALLS} calls at a time. Try again later")));
        };
        let mut source = Arc::clone(&self.source).lock_owned().await;
        let called = tokio::task::spawn_blocking(move || {
            source.set_end(end);
            tools::call(&mut source, &call).map_err(|error| error.to_string())
        });
        called.await.map_err(|_| ErrorData::internal_error("the lookup ended early", None))
    }
}
