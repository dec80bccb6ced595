//! The line between the services and a server: a proxy that can be cut, refuse, slow down or carry nothing.
//!
//! Each accepted connection gets one of its own to the server. Both directions look at the line's state before they
//! write what they read. Start at [`Line::to`].

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How a line carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// At once.
    Open,
    /// Each piece so late.
    Slow(Duration),
    /// Not at all, until the mode changes.
    Hold,
    /// No connection: those that come are closed.
    Refuse,
}

#[derive(Clone, Copy)]
struct State {
    mode: Mode,
    /// The connections of earlier cuts end.
    cuts: u64,
}

/// A line; it ends when it is dropped.
pub(crate) struct Line {
    addr: SocketAddr,
    state: watch::Sender<State>,
    _task: JoinSet<()>,
}

/// The largest piece that is carried at once, in bytes.
const PIECE: usize = 16 << 10;

impl Line {
    /// Opens a line to a port of this machine.
    pub(crate) async fn to(port: u16) -> std::io::Result<Line> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let addr = listener.local_addr()?;
        let (state, seen) = watch::channel(State { mode: Mode::Open, cuts: 0 });
        let mut task = JoinSet::new();
        task.spawn(accept(listener, port, seen));
        Ok(Line { addr, state, _task: task })
    }

    /// Where services connect to.
    pub(crate) fn port(&self) -> u16 {
        self.addr.port()
    }

    /// Carries otherwise from now on.
    pub(crate) fn set(&self, mode: Mode) {
        self.state.send_modify(|state| state.mode = mode);
    }

    /// Ends all connections.
    pub(crate) fn cut(&self) {
        self.state.send_modify(|state| state.cuts += 1);
    }
}

async fn accept(listener: TcpListener, port: u16, seen: watch::Receiver<State>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        if seen.borrow().mode != Mode::Refuse {
            connections.spawn(connection(client, port, seen.clone()));
        }
    }
}

async fn connection(client: TcpStream, port: u16, mut seen: watch::Receiver<State>) {
    let began = seen.borrow().cuts;
    // The server may be dead: then the client sees its connection closed.
    let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    if client.set_nodelay(true).and(server.set_nodelay(true)).is_err() {
        return;
    }
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let there = carry(from_client, to_server, seen.clone());
    let back = carry(from_server, to_client, seen.clone());
    tokio::select! {
        _ = there => {}
        _ = back => {}
        _ = seen.wait_for(|state| state.cuts != began) => {}
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut seen: watch::Receiver<State>,
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        let state = seen.wait_for(|state| state.mode != Mode::Hold).await.map(|state| *state);
        if let Ok(State { mode: Mode::Slow(by), .. }) = state {
            tokio::time::sleep(by).await;
        }
        to.write_all(&piece[..read]).await?;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LOOK: Duration = Duration::from_millis(100);
    const SOON: Duration = Duration::from_secs(20);

    /// Sends back what it gets.
    async fn echo(listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (mut from, mut to) = stream.into_split();
            tokio::io::copy(&mut from, &mut to).await.ok();
        }
    }

    async fn asked(stream: &mut TcpStream) -> std::io::Result<u8> {
        stream.write_all(b"a").await?;
        stream.read_u8().await
    }

    #[tokio::test]
    async fn a_line_carries_is_slow_holds_is_cut_and_refuses() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Line::to(listener.local_addr().unwrap().port()).await.unwrap();
        let mut server = JoinSet::new();
        server.spawn(echo(listener));
        let connect = || TcpStream::connect(("127.0.0.1", line.port()));
        let mut stream = connect().await.unwrap();
        assert_eq!(asked(&mut stream).await.unwrap(), b'a');
        line.set(Mode::Slow(LOOK));
        let begun = Instant::now();
        assert_eq!(asked(&mut stream).await.unwrap(), b'a');
        assert!(begun.elapsed() >= LOOK * 2, "{:?}", begun.elapsed());
        line.set(Mode::Hold);
        assert!(tokio::time::timeout(LOOK, asked(&mut stream)).await.is_err(), "it carries");
        line.set(Mode::Open);
        assert_eq!(tokio::time::timeout(SOON, stream.read_u8()).await.unwrap().unwrap(), b'a');
        line.cut();
        assert!(tokio::time::timeout(SOON, stream.read_u8()).await.unwrap().is_err(), "it is not cut");
        line.set(Mode::Refuse);
        assert!(asked(&mut connect().await.unwrap()).await.is_err(), "it does not refuse");
        line.set(Mode::Open);
        assert_eq!(asked(&mut connect().await.unwrap()).await.unwrap(), b'a');
    }
}
