// The h2 crate alone.  A connection's task takes every request of one read, then answers them all, then h2 writes: no
// task per request.  A request whose body is not whole yet gets a task.
// Fan-out: an own list of h2 send handles, send_data straight into each (h2 queues per stream): no task, no waker and
// no channel per subscriber.
use crate::contract::*;
use crate::io::{BufIo, Turn};
use bytes::Bytes;
use h2::server::SendResponse;
use h2::{RecvStream, SendStream};
use http::Request;
use std::cell::RefCell;
use std::future::{poll_fn, Future};
use std::task::Poll;
use tokio::io::{AsyncRead, AsyncWrite};

#[derive(Default)]
struct Hub {
    subs: Vec<SendStream<Bytes>>,
}
thread_local!(static HUB: &'static RefCell<Hub> = Box::leak(Box::default())); // leaked: no destructor at exit

impl Hub {
    fn publish(&mut self, b: Bytes) -> usize {
        let mut i = 0;
        while i < self.subs.len() {
            // an error: the stream or its connection is gone
            if self.subs[i].send_data(b.clone(), false).is_ok() { i += 1 } else { self.subs.swap_remove(i); }
        }
        self.subs.len()
    }
}

type Call = (Request<RecvStream>, SendResponse<Bytes>);

fn respond(path: &str, frame: Bytes, mut r: SendResponse<Bytes>) -> Result<(), h2::Error> {
    let out = match path {
        SUBMIT => submit(frame).map(Some),
        GET => get(frame).map(Some),
        STREAM => subscribe(frame).map(|_| None),
        PUBLISH => publish(frame, |g| HUB.with(|h| h.borrow_mut().publish(g))).map(Some),
        _ => Err(UNIMPLEMENTED),
    };
    match out {
        Ok(Some(b)) => {
            let mut s = r.send_response(head(()), false)?;
            s.send_data(b, false)?;
            s.send_trailers(status(0))
        }
        Ok(None) => {
            let mut s = r.send_response(head(()), false)?;
            s.send_data(current_message(), false)?;
            HUB.with(|h| h.borrow_mut().subs.push(s));
            Ok(())
        }
        Err(code) => {
            let mut h = head(());
            h.headers_mut().extend(status(code));
            r.send_response(h, true).map(|_| ())
        }
    }
}

/// The usual case, the whole message is here already; else a task waits for the rest.
fn start((req, resp): Call) {
    let (parts, mut body) = req.into_parts();
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let first = match body.poll_data(&mut cx) {
        Poll::Ready(Some(Ok(d))) if whole(&d) => {
            let _ = body.flow_control().release_capacity(d.len());
            let _ = respond(parts.uri.path(), d, resp);
            return;
        }
        Poll::Ready(Some(Ok(d))) => d,
        Poll::Ready(Some(Err(_))) => return,
        _ => Bytes::new(),
    };
    tokio::spawn(async move {
        let _ = body.flow_control().release_capacity(first.len());
        let mut got = first.to_vec();
        while let Some(d) = body.data().await {
            let Ok(d) = d else { return };
            let _ = body.flow_control().release_capacity(d.len());
            got.extend_from_slice(&d);
            if whole(&got) { break }
        }
        let _ = respond(parts.uri.path(), got.into(), resp);
    });
}

async fn connection<T: AsyncRead + AsyncWrite + Unpin>(io: T) {
    let mut b = h2::server::Builder::new();
    b.max_concurrent_streams(1000).initial_window_size(1 << 20).initial_connection_window_size(8 << 20);
    let Ok(mut conn) = b.handshake::<_, Bytes>(io).await else { return };
    let mut batch: Vec<Call> = Vec::new();
    poll_fn(move |cx| loop {
        match conn.poll_accept(cx) {
            Poll::Ready(Some(Ok(c))) => batch.push(c),
            Poll::Ready(_) => return Poll::Ready(()),
            Poll::Pending if batch.is_empty() => return Poll::Pending,
            Poll::Pending => batch.drain(..).for_each(start), // then poll again: h2 writes the answers
        }
    })
    .await
}

pub async fn serve(l: tokio::net::TcpListener, buf: bool) {
    fn go(f: impl Future<Output = ()> + Send + 'static) { tokio::spawn(f); }
    loop {
        let Ok((s, _)) = l.accept().await else { continue };
        let _ = s.set_nodelay(true);
        if buf {
            let io = BufIo::new(s);
            go(Turn(Box::pin(connection(io.clone())), io));
        } else {
            go(connection(s));
        }
    }
}
