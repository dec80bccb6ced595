//! Poison: hostile pages, each on a site of its own, and garbage for the queues.
//!
//! A hostile page is fetched and mined, or has an outcome that says what is wrong with it; either is the same in the
//! undisturbed run. A garbage message becomes a dead letter. Start at [`Poisoned`] and [`garbage`].

use newslode_common::broker::Queue;
use newslode_newsworld::{Content, Reply, Rng, Trouble, World};

/// A world, and beside it the sites of [`site`].
pub(crate) struct Poisoned(pub(crate) World);

impl Content for Poisoned {
    fn respond(&self, host: &str, path: &str) -> Reply {
        let number = host.strip_prefix("poison").and_then(|host| host.strip_suffix(".test"));
        match number.and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => hostile(number, path).unwrap_or_else(Reply::not_found),
            None => without_block(self.0.respond(host, path)),
        }
    }
}

/// The reply without a 429. A site that blocks is asked once in up to two minutes from then on, for days, so no run would
/// come to its end; the crawler's tests on simulated time look after that.
fn without_block(reply: Reply) -> Reply {
    match reply.trouble {
        Some(Trouble::Status { status: 429, .. }) => Reply { trouble: None, ..reply },
        _ => reply,
    }
}

/// The page to start with of a poison site.
pub(crate) fn site(number: usize) -> String {
    format!("http://poison{number}.test/")
}

/// More bytes than a page may have.
const TOO_MANY: usize = 11 << 20;

fn hostile(number: usize, path: &str) -> Option<Reply> {
    let html = |body: Vec<u8>| Some(Reply::ok("text/html; charset=utf-8", body));
    let title = format!("<title>Poison {number}</title><h1>Number {number}</h1>").into_bytes();
    if let Some(turn) = path.strip_prefix("/turn") {
        // Each page of the circle leads to the next one.
        return Some(Reply::redirect(if turn == "0" { "/turn1" } else { "/turn0" }));
    }
    if path != "/" {
        return None;
    }
    match number % 9 {
        0 => html([title, b"<div>".repeat(60_000), b"<p>At the bottom</p>".to_vec()].concat()),
        1 => html([title, b"<p>Caf\xc3 half a char\xe2\x82 and \xc0\xaf \x00 on.</p>".to_vec()].concat()),
        2 => html([title, b"<".repeat(1 << 20)].concat()),
        3 => html(b"<p>Again and again.</p>".repeat(TOO_MANY / 23)),
        4 => Some(Reply { gzip: true, ..html(b" ".repeat(TOO_MANY))? }),
        5 => Some(Reply::redirect("/turn0")),
        6 => html(vec![]),
        7 => html([title, b"<p ".to_vec(), b"a=1 ".repeat(50_000), b">Much said</p>".to_vec()].concat()),
        _ => html([title, b"<table><tr><td><b><i><a href='http://elsewhere.test/'>".repeat(3_000)].concat()),
    }
}

/// Bytes that are no message of a queue. No two are equal, as long as the dice differ.
pub(crate) fn garbage(dice: u64) -> (Queue, Vec<u8>) {
    let mut dice = Rng::new(dice);
    let mut noise = |least, most| -> Vec<u8> {
        let length = dice.between(least, most);
        (0..length).map(|_| dice.next_u64() as u8).collect()
    };
    let (choice, bytes) = (noise(2, 2), noise(16, 2_000));
    let queue = Queue::ALL[usize::from(choice[0]) % Queue::ALL.len()];
    if matches!(queue, Queue::Seeds | Queue::Removals) {
        let name: String = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        return (
            queue,
            match choice[1] % 4 {
                0 => bytes,
                1 => format!("{{\"version\": 1, \"url\": \"ftp://{name}.test/\"}}").into_bytes(),
                2 => format!("{{\"version\": 99, \"url\": \"http://{name}.test/\"}}").into_bytes(),
                _ => format!("{{\"version\": 1, \"url\": \"http://{name}.test/\"").into_bytes(),
            },
        );
    }
    let kind = match queue {
        Queue::Pages => 1,
        Queue::Gone => 4,
        Queue::Seeds | Queue::Removals | Queue::Partitions => 2,
    };
    let after = |head: &[u8]| [head, &bytes].concat();
    let body = match choice[1] % 4 {
        0 => bytes,
        1 => after(&[b'N', b'L', 1, 99, 1]),
        2 => after(&[b'N', b'L', 1, kind, 99]),
        // A length that is far too long.
        _ => after(&[b'N', b'L', 1, kind, 1, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
    };
    (queue, body)
}

#[cfg(test)]
mod tests {
    use newslode_common::message::envelope::open;
    use newslode_common::message::seed::SeedMessage;
    use newslode_common::message::{FetchedPage, GonePage, PartitionedPage};

    use super::*;

    #[test]
    fn garbage_is_no_message_of_its_queue() {
        for dice in 0..3_000 {
            let (queue, body) = garbage(dice);
            let readable = match queue {
                Queue::Seeds | Queue::Removals => SeedMessage::parse(&body).is_ok(),
                Queue::Pages => open::<FetchedPage>(&body).is_ok(),
                Queue::Partitions => open::<PartitionedPage>(&body).is_ok(),
                Queue::Gone => open::<GonePage>(&body).is_ok(),
            };
            assert!(!readable, "{dice}: {queue} {body:?}");
        }
    }
}
