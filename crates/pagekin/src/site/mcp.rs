//! `pagekin mcp`: a site for agents, by the Model Context Protocol on standard input and output.

mod report;
mod source;
mod tools;

use std::io::{self, IsTerminal};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ErrorData, ServerHandler, ServiceExt};

use crate::args::site::McpArgs;
use crate::failure::Failure;
use crate::output::say;
use crate::site::mcp::source::Source;

pub(crate) fn run(args: &McpArgs) -> Result<(), Failure> {
    let server = Server { source: Arc::new(Mutex::new(Source::open(args)?)) };
    if io::stdin().is_terminal() {
        say("waiting for a client of the Model Context Protocol on standard input; Ctrl-C ends");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        match server.serve(rmcp::transport::stdio()).await {
            Ok(service) => service.waiting().await.map(drop).map_err(Failure::from),
            // It has gone before it began.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    });
    // Without waiting for standard input, or for a host.
    runtime.shutdown_background();
    served
}

/// The site, which one call at a time asks.
#[derive(Debug, Clone)]
struct Server {
    source: Arc<Mutex<Source>>,
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
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        if !tools::NAMES.contains(&&*name) {
            let expected = tools::NAMES.join(", ");
            let message = format!("unknown tool: expected one of {expected}, found {name}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let source = Arc::clone(&self.source);
        let called = tokio::task::spawn_blocking(move || {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            tools::call(&mut source, &name, arguments.unwrap_or_default())
                .map_err(|error| error.to_string())
        });
        let result = match called.await {
            Ok(Ok(report)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(report.text)]);
                result.structured_content = Some(report.json);
                result
            }
            Ok(Err(error)) => CallToolResult::error(vec![ContentBlock::text(error)]),
            Err(_) => return Err(ErrorData::internal_error("the lookup ended early", None)),
        };
        Ok(result.into())
    }
}
