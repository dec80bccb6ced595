//! Shares of what all clients use together: requests at once, streams of events, and the memory of answers that were not read yet.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::{Buf as _, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use newslode_common::listen::connections::Place;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::access::Counted;

/// The most bytes of an answer that are handed to the connection at once.
const PIECE: usize = 64 << 10;
/// The memory of all answers that were not read yet, in KiB.
const BUDGET: u32 = 128 << 10;
/// What an answer counts whose length is not known, because it is made while it is read.
const STREAMED: u32 = 4 << 10;
/// Answers of at most so many KiB need no part of the budget: the number of connections bounds them.
const SMALL: u32 = 256;

/// Counts what each client has of something.
#[derive(Default)]
pub(in crate::console) struct Shares {
    held: Mutex<HashMap<Counted, usize>>,
}

/// One of them, until it is dropped.
pub(in crate::console) struct Share {
    shares: Arc<Shares>,
    of: Counted,
}

impl Shares {
    /// Takes one for a client, which has at most `most`.
    pub(in crate::console) fn take(self: &Arc<Shares>, of: Counted, most: usize) -> Option<Share> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(of.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Share { shares: self.clone(), of })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.shares.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.of);
            }
        }
    }
}

/// The memory of answers.
pub(in crate::console) struct Budget {
    left: Arc<Semaphore>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { left: Arc::new(Semaphore::new(BUDGET as usize)) }
    }
}

impl Budget {
    /// Waits for the memory of a body of this size; a small one needs none, one that is larger than all of it takes all of it.
    pub(in crate::console) async fn take(&self, size: &SizeHint) -> Option<OwnedSemaphorePermit> {
        let size = size.exact().map(|bytes| u32::try_from(bytes.div_ceil(1 << 10)));
        let size = size.map_or(STREAMED, |size| size.unwrap_or(BUDGET).min(BUDGET));
        if size <= SMALL {
            return None;
        }
        self.left.clone().acquire_many_owned(size).await.ok()
    }
}

/// What an answer holds until all of it was taken.
pub(in crate::console) struct Holds {
    pub(in crate::console) memory: Option<OwnedSemaphorePermit>,
    pub(in crate::console) share: Option<Share>,
    pub(in crate::console) place: Option<Arc<Place>>,
}

impl Drop for Holds {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            place.waits();
        }
    }
}

/// A body that is handed on in pieces, so that what the answer holds is given back only when a client has read nearly all
/// of it.
pub(in crate::console) struct HeldBody {
    body: Body,
    rest: Bytes,
    _holds: Holds,
}

impl HeldBody {
    pub(in crate::console) fn new(body: Body, holds: Holds) -> HeldBody {
        HeldBody { body, rest: Bytes::new(), _holds: holds }
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let size = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (own, rest) = (self.body.size_hint(), self.rest.remaining() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(own.lower() + rest);
        if let Some(upper) = own.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;

    fn name(name: &str) -> Counted {
        Counted::Name(name.into())
    }

    #[test]
    fn each_client_has_its_own_share() {
        let shares = Arc::<Shares>::default();
        let first = shares.take(name("a"), 2).unwrap();
        let _second = shares.take(name("a"), 2).unwrap();
        assert!(shares.take(name("a"), 2).is_none());
        assert!(shares.take(name("b"), 2).is_some());
        drop(first);
        assert!(shares.take(name("a"), 2).is_some());
    }

    #[tokio::test]
    async fn an_answer_keeps_its_length_comes_in_pieces_and_holds_memory_to_its_end() {
        let budget = Budget::default();
        let whole = Bytes::from(vec![7; 1_000_000]);
        let body = Body::from(whole.clone());
        let memory = budget.take(&HttpBody::size_hint(&body)).await;
        let left = budget.left.available_permits();
        assert_eq!(left, BUDGET as usize - 977);
        let held = HeldBody::new(body, Holds { memory, share: None, place: None });
        assert_eq!(HttpBody::size_hint(&held).exact(), Some(1_000_000));
        let mut pieces = Body::new(held).into_data_stream();
        let (mut read, mut most) = (Vec::new(), 0);
        while let Some(piece) = pieces.next().await {
            let piece = piece.unwrap();
            most = most.max(piece.len());
            read.extend_from_slice(&piece);
            assert_eq!(budget.left.available_permits(), left);
        }
        assert_eq!((read, most), (whole.to_vec(), PIECE));
        drop(pieces);
        assert_eq!(budget.left.available_permits(), BUDGET as usize);
        assert!(budget.take(&SizeHint::with_exact(u64::from(SMALL) << 10)).await.is_none());
        let all = budget.take(&SizeHint::with_exact(u64::MAX)).await;
        assert_eq!((all.is_some(), budget.left.available_permits()), (true, 0));
    }
}
