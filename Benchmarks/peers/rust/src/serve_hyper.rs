// hyper's HTTP/2 server: one task per connection and one per request, as under tonic.
// Fan-out: an own list (slab) of subscribers; each holds a waker and a short queue of the shared Bytes.
use crate::contract::*;
use crate::io::{BufIo, Turn};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body as _;
use hyper::service::service_fn;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Sub {
    live: bool,
    waker: Option<Waker>,
    cur: Option<Bytes>,
    more: VecDeque<Bytes>,
}
#[derive(Default)]
struct Hub {
    subs: Vec<Sub>,
    free: Vec<usize>,
}
thread_local!(static HUB: &'static RefCell<Hub> = Box::leak(Box::default())); // leaked: no destructor at exit

impl Hub {
    fn add(&mut self) -> usize {
        let i = self.free.pop().unwrap_or_else(|| { self.subs.push(Sub::default()); self.subs.len() - 1 });
        self.subs[i].live = true;
        self.subs[i].cur = Some(current_message());
        i
    }
    fn publish(&mut self, b: Bytes) -> usize {
        for s in self.subs.iter_mut().filter(|s| s.live) {
            if s.cur.is_none() { s.cur = Some(b.clone()) } else { s.more.push_back(b.clone()) }
            if let Some(w) = s.waker.take() { w.wake() }
        }
        self.subs.len() - self.free.len()
    }
}

enum Reply {
    Unary(Option<Bytes>),
    Sub(usize),
    Failed,
}
impl Drop for Reply {
    fn drop(&mut self) {
        if let Reply::Sub(i) = *self {
            HUB.with(|h| {
                let mut h = h.borrow_mut();
                h.subs[i] = Sub::default();
                h.free.push(i);
            })
        }
    }
}
impl http_body::Body for Reply {
    type Data = Bytes;
    type Error = Infallible;
    fn poll_data(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        match self.get_mut() {
            Reply::Unary(b) => Poll::Ready(b.take().map(Ok)),
            Reply::Failed => Poll::Ready(None),
            Reply::Sub(i) => HUB.with(|h| {
                let s = &mut h.borrow_mut().subs[*i];
                match s.cur.take() {
                    Some(b) => {
                        s.cur = s.more.pop_front();
                        Poll::Ready(Some(Ok(b)))
                    }
                    None => {
                        s.waker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                }
            }),
        }
    }
    fn poll_trailers(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<Option<HeaderMap>, Infallible>> {
        Poll::Ready(Ok(Some(status(0))))
    }
    fn is_end_stream(&self) -> bool { matches!(self, Reply::Failed) }
}

async fn read(mut body: hyper::Body) -> Result<Bytes, u32> {
    let mut got: Vec<u8> = Vec::new();
    while let Some(d) = body.data().await {
        let d = d.map_err(|_| INVALID)?;
        if got.is_empty() && whole(&d) { return Ok(d) }
        got.extend_from_slice(&d);
    }
    Ok(got.into())
}
async fn handle(req: Request<hyper::Body>) -> Result<Response<Reply>, Infallible> {
    let (parts, body) = req.into_parts();
    let r = match parts.uri.path() {
        SUBMIT => read(body).await.and_then(submit).map(|b| Reply::Unary(Some(b))),
        GET => read(body).await.and_then(get).map(|b| Reply::Unary(Some(b))),
        STREAM => read(body).await.and_then(subscribe).map(|_| Reply::Sub(HUB.with(|h| h.borrow_mut().add()))),
        PUBLISH => read(body)
            .await
            .and_then(|b| publish(b, |g| HUB.with(|h| h.borrow_mut().publish(g))))
            .map(|b| Reply::Unary(Some(b))),
        _ => Err(UNIMPLEMENTED),
    };
    Ok(match r {
        Ok(b) => head(b),
        Err(code) => {
            let mut r = head(Reply::Failed);
            r.headers_mut().extend(status(code));
            r
        }
    })
}

pub async fn serve(l: tokio::net::TcpListener, buf: bool) {
    let mut http = hyper::server::conn::Http::new();
    http.http2_only(true)
        .http2_max_concurrent_streams(1000)
        .http2_initial_stream_window_size(1 << 20)
        .http2_initial_connection_window_size(8 << 20);
    loop {
        let Ok((s, _)) = l.accept().await else { continue };
        let _ = s.set_nodelay(true);
        if buf {
            let io = BufIo::new(s);
            tokio::spawn(Turn(Box::pin(http.serve_connection(io.clone(), service_fn(handle))), io));
        } else {
            tokio::spawn(http.serve_connection(s, service_fn(handle)));
        }
    }
}
