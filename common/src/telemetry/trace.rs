//! OpenTelemetry traces of a page's way through the services, sent to a collector as OTLP over HTTP. Off by default.
//!
//! A trace begins where a URL is visited or a capture is imported. [`TraceContext`] is how it reaches the next service: in the
//! header `traceparent` of AMQP messages (W3C Trace Context), beside the sealed bytes. No site ever sees it.
//! Spans are made with [`page_span!`](crate::page_span). They are `tracing` spans of one target that the log never shows, so
//! they cost one comparison while traces are off.
//!
//! Invariant: the collector holds nobody up. Spans that ended wait in a bounded queue for one task that sends them in batches.
//! While the queue is full, further spans are dropped and counted, which the log says once. Start at [`Traces::start`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider, SpanData, SpanLimits, SpanProcessor};
use prometheus::{IntCounterVec, Opts};
use prost::Message as _;
use reqwest::{Client, StatusCode, Url, redirect};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use crate::config::{Secret, TelemetryConfig};
use crate::retry::Backoff;
use crate::tls;

/// The target of all spans that are sent, and of nothing else.
pub const TARGET: &str = "newslode_trace";
/// The header of a message that holds its [`TraceContext`].
pub const HEADER: &str = "traceparent";

/// Number of ended spans that wait for the collector: a few megabytes.
const QUEUE: usize = 4_096;
/// Largest number of spans in a request.
const BATCH: usize = 512;
/// Longest wait for a batch to fill.
const LINGER: Duration = Duration::from_secs(2);
/// Longest wait for the collector's answer.
const ANSWER: Duration = Duration::from_secs(10);
/// First and longest wait before a batch is sent again.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// How long a process that ends may take to send the remaining spans.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Counts spans by what became of them. A process has one subscriber, and so it has one counter.
static SPANS: LazyLock<Option<IntCounterVec>> = LazyLock::new(|| {
    let help = "Spans of traces by what became of them; dropped: the queue was full, or the process ended.";
    let spans = IntCounterVec::new(Opts::new("newslode_trace_spans_total", help), &["result"]).ok()?;
    SpanEnd::ALL.iter().for_each(|end| spans.with_label_values(&[end.name()]).inc_by(0));
    Some(spans)
});

/// The counter of spans, for the registry of metrics.
pub(super) fn spans() -> Option<IntCounterVec> {
    SPANS.clone()
}

/// What became of a span.
#[derive(Clone, Copy)]
enum SpanEnd {
    Sent,
    Refused,
    Dropped,
}

impl SpanEnd {
    const ALL: [SpanEnd; 3] = [SpanEnd::Sent, SpanEnd::Refused, SpanEnd::Dropped];

    fn name(self) -> &'static str {
        match self {
            SpanEnd::Sent => "sent",
            SpanEnd::Refused => "refused",
            SpanEnd::Dropped => "dropped",
        }
    }

    fn count(self, spans: usize) {
        if let Some(counter) = SPANS.as_ref() {
            counter.with_label_values(&[self.name()]).inc_by(spans as u64);
        }
    }
}

/// Makes a span of the way of a page. It takes a name and the fields of `tracing::info_span!`; `otel.kind` and `otel.name` have
/// the meaning of `tracing-opentelemetry`.
#[macro_export]
macro_rules! page_span {
    ($name:literal $(, $($fields:tt)*)?) => {
        tracing::info_span!(target: $crate::telemetry::trace::TARGET, $name $(, $($fields)*)?)
    };
}

/// The trace that a message belongs to, the span that sent it, and whether the trace is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceContext(SpanContext);

impl TraceContext {
    /// That of the current span; `None` while traces are off.
    #[must_use]
    pub fn current() -> Option<TraceContext> {
        let span = Span::current();
        if span.is_none() {
            return None;
        }
        let context = span.context().span().span_context().clone();
        context.is_valid().then_some(TraceContext(context))
    }

    /// Reads a `traceparent` header. What is not one is ignored: it may come from anybody who may publish.
    #[must_use]
    pub fn parse(header: &str) -> Option<TraceContext> {
        let mut parts = header.split('-');
        let mut part = |digits: usize| {
            let is_hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
            parts.next().filter(|part| part.len() == digits && part.bytes().all(is_hex))
        };
        let (version, trace, span, flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        // Later versions may append parts.
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
        let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
        let context = SpanContext::new(trace, span, flags, true, TraceState::NONE);
        context.is_valid().then_some(TraceContext(context))
    }

    /// The value of the `traceparent` header.
    #[must_use]
    pub fn header(&self) -> String {
        let TraceContext(context) = self;
        format!("00-{}-{}-{:02x}", context.trace_id(), context.span_id(), context.trace_flags().to_u8())
    }
}

/// Makes a span part of the trace that a message belongs to. Without one, the span begins a trace.
pub fn follow(span: &Span, message: Option<&TraceContext>) {
    if let Some(TraceContext(parent)) = message
        && !span.is_disabled()
    {
        // It fails for a span that has begun, which ours has not.
        drop(span.set_parent(Context::new().with_remote_span_context(parent.clone())));
    }
}

/// Marks a span as failed, with the reason.
pub fn fail(span: &Span, reason: &str) {
    if !span.is_disabled() {
        span.set_status(opentelemetry::trace::Status::error(reason.to_owned()));
    }
}

/// `telemetry.traces` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It is no address of a collector.
    #[error("`telemetry.traces` must be an http:// or https:// URL, such as http://collector:4318/v1/traces")]
    Address,
    /// No client can be made.
    #[error("cannot set up the client that sends traces: {0}")]
    Client(#[from] reqwest::Error),
}

/// Checks the address of a collector; an empty one means that traces are off.
///
/// # Errors
/// When it is no URL of HTTP.
pub fn check(address: &Secret) -> Result<Option<Url>, TraceError> {
    if address.reveal().is_empty() {
        return Ok(None);
    }
    let url = Url::parse(address.reveal()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.map(Some).ok_or(TraceError::Address)
}

/// The traces of this process, and the task that sends them.
pub struct Traces {
    provider: SdkTracerProvider,
    stop: CancellationToken,
    sending: JoinSet<()>,
}

impl Traces {
    /// Starts to send the traces of this process; `None` if they are off. `service` names the process in them.
    ///
    /// # Errors
    /// When `telemetry.traces` cannot be used. A collector that is away is no error.
    pub fn start(config: &TelemetryConfig, service: &str) -> Result<Option<Traces>, TraceError> {
        let Some(url) = check(&config.traces)? else { return Ok(None) };
        tls::ready();
        let client = Client::builder()
            .user_agent(concat!("Newslode/", env!("CARGO_PKG_VERSION")))
            .no_proxy()
            .redirect(redirect::Policy::none())
            .timeout(ANSWER)
            .build()?;
        let resource = Resource::builder_empty()
            .with_service_name(service.to_owned())
            .with_attributes([
                KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
                KeyValue::new("service.instance.id", super::process::instance()),
            ])
            .build();
        let (queue, ended) = Queue::new(QUEUE);
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.trace_ratio)));
        let sender = Sender {
            client,
            url,
            resource: ResourceAttributesWithSchema::from(&resource),
            ended,
            is_full: queue.is_full.clone(),
        };
        let provider = SdkTracerProvider::builder()
            .with_span_processor(queue)
            .with_sampler(sampler)
            .with_span_limits(SpanLimits::default())
            .with_resource(resource)
            .build();
        let stop = CancellationToken::new();
        let mut sending = JoinSet::new();
        sending.spawn(sender.run(stop.clone()));
        Ok(Some(Traces { provider, stop, sending }))
    }

    /// What makes spans of traces out of those of [`page_span!`](crate::page_span).
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("newslode"))
            .with_context_activation(false)
            .with_location(false)
            .with_level(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target(TARGET, tracing::Level::INFO))
    }

    /// Sends what is left, within two seconds.
    pub async fn end(mut self) {
        self.stop.cancel();
        if let Some(Err(error)) = self.sending.join_next().await {
            tracing::warn!(%error, "the task that sends traces failed");
        }
    }
}

/// Where spans wait after their end.
#[derive(Debug)]
struct Queue {
    ended: mpsc::Sender<SpanData>,
    /// Whether spans have been dropped since the last batch was sent.
    is_full: Arc<AtomicBool>,
}

impl Queue {
    fn new(most: usize) -> (Queue, mpsc::Receiver<SpanData>) {
        let (sender, receiver) = mpsc::channel(most);
        (Queue { ended: sender, is_full: Arc::default() }, receiver)
    }
}

impl SpanProcessor for Queue {
    fn on_start(&self, _span: &mut opentelemetry_sdk::trace::Span, _context: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.ended.try_send(span).is_err() {
            SpanEnd::Dropped.count(1);
            if !self.is_full.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "the collector of traces does not keep up: spans are dropped until it does; the work goes on"
                );
            }
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Why a batch was not taken.
enum SendError {
    /// It never will be.
    Refused(StatusCode),
    /// It may be later. Says what failed.
    Unavailable(String),
}

/// Sends ended spans in batches.
struct Sender {
    client: Client,
    url: Url,
    resource: ResourceAttributesWithSchema,
    ended: mpsc::Receiver<SpanData>,
    is_full: Arc<AtomicBool>,
}

impl Sender {
    async fn run(mut self, stop: CancellationToken) {
        loop {
            let mut batch = Vec::new();
            stop.run_until_cancelled(self.gather(&mut batch)).await;
            let request = self.request(batch);
            let is_sent = stop.run_until_cancelled(self.send_patiently(&request)).await.is_some();
            if !is_sent || stop.is_cancelled() {
                return self.send_the_rest((!is_sent).then_some(request)).await;
            }
        }
    }

    /// Sends a batch as soon as the collector takes it, or finds that it never will. Meanwhile the queue fills.
    async fn send_patiently(&self, request: &Request) {
        let mut backoff = Backoff::new(WAITS.0, WAITS.1);
        let mut is_away = false;
        let sent = loop {
            match self.send(request).await {
                Err(SendError::Unavailable(reason)) => {
                    if !is_away {
                        tracing::warn!(
                            reason,
                            "the collector of traces does not answer; trying again, and the work goes on"
                        );
                    }
                    is_away = true;
                    tokio::time::sleep(backoff.next_wait()).await;
                }
                sent => break sent,
            }
        };
        if is_away {
            tracing::info!("the collector of traces answers again");
        }
        self.count(request, sent);
    }

    /// Waits for a span, and then a moment for more.
    async fn gather(&mut self, batch: &mut Vec<SpanData>) {
        batch.extend(self.ended.recv().await);
        let until = Instant::now() + LINGER;
        while batch.len() < BATCH {
            match timeout_at(until, self.ended.recv()).await {
                Ok(Some(span)) => batch.push(span),
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Sends what has ended by now, as far as the time allows. The collector may get the unsent request twice.
    async fn send_the_rest(&mut self, unsent: Option<Request>) {
        let until = Instant::now() + LAST_WORDS;
        let mut next = unsent;
        loop {
            if let Some(request) = next.filter(|request| request.spans > 0) {
                let no_answer = Err(SendError::Unavailable("no answer".into()));
                let sent = timeout_at(until, self.send(&request)).await.unwrap_or(no_answer);
                self.count(&request, sent);
            }
            let mut batch = Vec::new();
            while batch.len() < BATCH
                && let Ok(span) = self.ended.try_recv()
            {
                batch.push(span);
            }
            if batch.is_empty() {
                return;
            }
            next = Some(self.request(batch));
        }
    }

    fn request(&self, batch: Vec<SpanData>) -> Request {
        let spans = batch.len();
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        Request { spans, body: ExportTraceServiceRequest { resource_spans }.encode_to_vec().into() }
    }

    /// Returns how many of the spans the collector rejected.
    async fn send(&self, request: &Request) -> Result<usize, SendError> {
        let unavailable = |error: reqwest::Error| {
            // The URL may hold a password. The cause is only in the sources.
            let error = error.without_url();
            let sources =
                std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
            let reason: Vec<_> = sources.map(ToString::to_string).collect();
            SendError::Unavailable(tls::with_remedy(&reason.join(": ")))
        };
        let post = self.client.post(self.url.clone()).header("content-type", "application/x-protobuf");
        let answer = post.body(request.body.clone()).send().await.map_err(unavailable)?;
        match answer.status() {
            status if status.is_success() => {}
            status @ (StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS) => {
                return Err(SendError::Unavailable(status.to_string()));
            }
            status if status.is_server_error() => return Err(SendError::Unavailable(status.to_string())),
            status => return Err(SendError::Refused(status)),
        }
        // A collector need not say anything.
        let answer = answer.bytes().await.unwrap_or_default();
        let rejected =
            ExportTraceServiceResponse::decode(answer).ok().and_then(|answer| answer.partial_success);
        Ok(rejected.map_or(0, |rejected| usize::try_from(rejected.rejected_spans).unwrap_or(0)))
    }

    fn count(&self, request: &Request, sent: Result<usize, SendError>) {
        match sent {
            Ok(rejected) => {
                let rejected = rejected.min(request.spans);
                SpanEnd::Sent.count(request.spans - rejected);
                SpanEnd::Refused.count(rejected);
                self.is_full.store(false, Ordering::Relaxed);
            }
            Err(SendError::Refused(status)) => {
                SpanEnd::Refused.count(request.spans);
                tracing::warn!(%status, spans = request.spans, "the collector refused spans of traces; is `telemetry.traces` right?");
            }
            Err(SendError::Unavailable(_)) => SpanEnd::Dropped.count(request.spans),
        }
    }
}

/// A batch as it is sent.
struct Request {
    spans: usize,
    body: bytes::Bytes,
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{Span as _, Tracer as _};

    use super::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_header_is_read_as_it_was_written() {
        for header in [GOOD, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"] {
            assert_eq!(TraceContext::parse(header).unwrap().header(), header);
        }
        // A later version may say more, and flags that we do not know.
        let later = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff-more";
        assert_eq!(TraceContext::parse(later).unwrap().header(), GOOD);
    }

    #[test]
    fn what_is_no_header_is_ignored() {
        let mut broken: Vec<String> = (0..GOOD.len()).map(|end| GOOD[..end].to_owned()).collect();
        broken.extend((0..GOOD.len()).map(|at| format!("{}é{}", &GOOD[..at], &GOOD[at + 1..])));
        broken.extend((0..GOOD.len()).map(|at| format!("{}+{}", &GOOD[..at], &GOOD[at + 1..])));
        broken.extend(
            [
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            ]
            .map(String::from),
        );
        for header in broken {
            assert_eq!(TraceContext::parse(&header), None, "{header}");
        }
    }

    #[test]
    fn without_traces_a_message_has_no_context() {
        let span = page_span!("visit");
        assert!(span.in_scope(TraceContext::current).is_none());
    }

    #[test]
    fn spans_that_find_the_queue_full_are_dropped_and_counted() {
        let count = |end: SpanEnd| SPANS.as_ref().unwrap().with_label_values(&[end.name()]).get();
        let (queue, mut ended) = Queue::new(2);
        let is_full = queue.is_full.clone();
        let provider = SdkTracerProvider::builder().with_span_processor(queue).build();
        let before = count(SpanEnd::Dropped);
        for _ in 0..5 {
            provider.tracer("test").start("span").end();
        }
        assert_eq!(count(SpanEnd::Dropped) - before, 3);
        assert!(is_full.load(Ordering::Relaxed));
        assert!(ended.try_recv().is_ok() && ended.try_recv().is_ok() && ended.try_recv().is_err());
    }
}
