// A Rust server of the contract, to compare with, on the stack below tonic: tokio (current_thread), h2, hyper, prost.
// gRPC's framing by hand. One thread.
//
//   peer-rust --port N [--stack hyper|h2] [--io plain|buf]
//
//   hyper  one task per request, as tonic does          h2   no hyper, no task per request, no task per subscriber
//   plain  the socket as h2 uses it (h2 0.3 makes one writev per DATA frame of 256 bytes or more)
//   buf    reads of up to 64 KiB, writes of one turn gathered in user space: one write per turn and connection (io.rs)
mod contract;
mod io;
mod serve_h2;
mod serve_hyper;

fn main() {
    let (mut port, mut hyper, mut buf) = (7000u16, true, false);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let v = args.next().expect("value");
        match (a.as_str(), v.as_str()) {
            ("--port", p) => port = p.parse().unwrap(),
            ("--stack", "hyper") => hyper = true,
            ("--stack", "h2") => hyper = false,
            ("--io", "plain") => buf = false,
            ("--io", "buf") => buf = true,
            _ => panic!("{a} {v}"),
        }
    }
    let rt = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    rt.block_on(async move {
        tokio::spawn(async {
            use tokio::signal::unix::{signal, SignalKind};
            signal(SignalKind::terminate()).unwrap().recv().await;
            std::process::exit(0) // from a task: exit in a signal handler can meet a held lock
        });
        // not the main task: block_on's own future is polled on every wake of anything
        tokio::spawn(async move {
            let l = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
            println!("listening on 127.0.0.1:{port}");
            if hyper { serve_hyper::serve(l, buf).await } else { serve_h2::serve(l, buf).await }
        })
        .await
        .unwrap()
    });
}
