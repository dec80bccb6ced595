//! A collector of traces: takes OTLP over HTTP as protobuf, as Jaeger and Tempo do, and keeps the spans.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use prost::Message as _;
use tokio::task::JoinSet;

use crate::process::LOOK;
use crate::services::SOON;

/// A span as it arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The process that made it.
    pub service: String,
    /// Its name.
    pub name: String,
    /// Its trace.
    pub trace: Vec<u8>,
    /// Its own id.
    pub id: Vec<u8>,
    /// The id of its parent; empty if it begins the trace.
    pub parent: Vec<u8>,
    /// Its attributes that are texts.
    pub attributes: BTreeMap<String, String>,
}

/// A running collector.
pub struct Collector {
    address: SocketAddr,
    spans: Arc<Mutex<Vec<Span>>>,
    _serving: JoinSet<()>,
}

impl Collector {
    /// Listens on a free port of loopback.
    pub async fn start() -> Collector {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, spans) = (listener.local_addr().unwrap(), Arc::default());
        let router = Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&spans));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Collector { address, spans, _serving: serving }
    }

    /// The value of `telemetry.traces`.
    pub fn url(&self) -> String {
        format!("http://{}/v1/traces", self.address)
    }

    /// What has arrived by now.
    pub fn spans(&self) -> Vec<Span> {
        self.spans.lock().unwrap().clone()
    }

    /// Waits for a span.
    pub async fn span(&self, wanted: impl Fn(&Span) -> bool) -> Span {
        let begun = Instant::now();
        loop {
            let spans = self.spans();
            if let Some(span) = spans.iter().find(|span| wanted(span)) {
                return span.clone();
            }
            assert!(begun.elapsed() < SOON, "it is not among {} spans: {spans:#?}", spans.len());
            tokio::time::sleep(LOOK).await;
        }
    }
}

async fn take(State(spans): State<Arc<Mutex<Vec<Span>>>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if headers.get("content-type").is_none_or(|kind| kind != "application/x-protobuf") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE;
    }
    let Ok(request) = ExportTraceServiceRequest::decode(body) else { return StatusCode::BAD_REQUEST };
    let mut held = spans.lock().unwrap();
    for of_process in request.resource_spans {
        let resource = texts(of_process.resource.map(|resource| resource.attributes).unwrap_or_default());
        let service = resource.get("service.name").cloned().unwrap_or_default();
        held.extend(of_process.scope_spans.into_iter().flat_map(|scope| scope.spans).map(|span| Span {
            service: service.clone(),
            name: span.name,
            trace: span.trace_id,
            id: span.span_id,
            parent: span.parent_span_id,
            attributes: texts(span.attributes),
        }));
    }
    StatusCode::OK
}

fn texts(attributes: Vec<KeyValue>) -> BTreeMap<String, String> {
    let text = |attribute: KeyValue| match attribute.value?.value? {
        Value::StringValue(text) => Some((attribute.key, text)),
        _ => None,
    };
    attributes.into_iter().filter_map(text).collect()
}
