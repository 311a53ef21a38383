//! Ordinary input is never altered: ten thousand random bits of editing, compared byte for byte with what
//! the program received.

use super::desk::{Desk, profile};
use crate::world::World;

/// A program that reads raw keys, writes them to a file, and says when it has seen the end.
const RECORDER: &str = "
import os, tty
tty.setraw(0)
out = open('received', 'wb')
print('recorder> ', end='', flush=True)
seen = b''
while not seen.endswith(b'THE END'):
    data = os.read(0, 65536)
    out.write(data)
    out.flush()
    seen = (seen + data)[-64:]
print('all of it', flush=True)
os.read(0, 1)
";

const SEQUENCES: usize = 10_000;

/// A small generator of numbers: the same ones each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// What people and terminals send.
const PIECES: [&str; 48] = [
    "a",
    "b",
    " ",
    "@",
    "@target ",
    "@target",
    "@nobody x",
    "word",
    "email@example.com",
    "日",
    "本語",
    "é",
    "e\u{301}",
    "👩\u{200d}💻",
    "\r",
    "\n",
    "\t",
    "\x7f",
    "\x08",
    "\x15",
    "\x17",
    "\x01",
    "\x05",
    "\x0b",
    "\x04",
    "\x03",
    "\x1a",
    "\x1b",
    "\x1b\x1b",
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1bOC",
    "\x1b[H",
    "\x1b[F",
    "\x1b[3~",
    "\x1b\x7f",
    "\x1bb",
    "\x1b[13;2u",
    "\x1b[13u",
    "\x1b[27u",
    "\x1b[I",
    "\x1b[<0;10;5M",
    "\x1b[200~pasted @target x\x1b[201~",
    "\x1b[200~two\nlines\x1b[201~",
    "\x1b]11;rgb:0000/0000/0000\x1b\\",
    "\x1b[?62;22c",
];

#[test]
fn ten_thousand_random_edits_arrive_byte_for_byte() {
    let world = World::new();
    let profile = profile(&world, "recorder", RECORDER, "");
    let mut desk = Desk::with(world, &[&profile], "recorder>");
    let mut dice = Dice(0x5eed_cafe);
    let mut typed: Vec<u8> = Vec::new();
    for number in 0..SEQUENCES {
        let mut keys = String::new();
        for _ in 0..=dice.roll(8) {
            keys.push_str(dice.pick(&PIECES));
        }
        // A whole line for an agent that exists: the program shows no box, so it must pass as well.
        if number % 200 == 0 {
            keys.push_str("\x03@target hello\r");
        }
        typed.extend_from_slice(keys.as_bytes());
        // Cut anywhere, in the middle of characters and sequences too.
        let mut rest = keys.as_bytes();
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(1 + dice.roll(rest.len()));
            desk.terminal.press_bytes(piece);
            rest = more;
        }
    }
    typed.extend_from_slice(b"THE END");
    desk.terminal.press("THE END");
    desk.terminal.wait_for("all of it");
    let received = std::fs::read(desk.world.home.path().join("received")).unwrap();
    let differs = received.iter().zip(&typed).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the first byte that differs");
    assert_eq!(received.len(), typed.len());
    assert!(desk.messages("target").is_empty());
}
