use proptest::prelude::*;

use super::*;

const MOST: usize = 1 << 20;

fn read(text: &[u8]) -> Vec<Event> {
    Decoder::new(MOST).feed(text).unwrap()
}

fn event(id: Option<&str>, name: Option<&str>, data: &str) -> Event {
    Event {
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        data: data.to_owned(),
    }
}

#[test]
fn the_examples_of_the_standard_are_read_as_it_says() {
    assert_eq!(
        read(b"data: YHOO\ndata: +2\ndata: 10\n\n"),
        [event(None, None, "YHOO\n+2\n10")]
    );
    assert_eq!(
        read(b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"),
        [
            event(Some("1"), None, "first event"),
            event(None, None, "second event"),
            event(None, None, " third event"),
        ]
    );
    assert_eq!(
        read(b"data\n\ndata\ndata\n\ndata:"),
        [event(None, None, ""), event(None, None, "\n")]
    );
    assert_eq!(read(b"data:test\n\ndata: test\n\n").len(), 2);
}

#[test]
fn an_event_keeps_the_last_number_and_not_the_last_name() {
    assert_eq!(
        read(b"id: 7\nevent: status\ndata: a\n\ndata: b\n\nid: x\0\ndata: c\n\n"),
        [
            event(Some("7"), Some("status"), "a"),
            event(Some("7"), None, "b"),
            event(Some("7"), None, "c"),
        ]
    );
    let mut decoder = Decoder::new(MOST);
    decoder
        .feed(b"event: lost\n\nid: 9\nretry: 300\n\nretry: soon\n\n")
        .unwrap();
    assert_eq!((decoder.last_id(), decoder.retry()), (Some("9"), Some(300)));
    assert_eq!(
        decoder.feed(b"data: x\n\n").unwrap(),
        [event(Some("9"), None, "x")]
    );
}

#[test]
fn every_kind_of_break_ends_a_line() {
    for text in [
        "data: a\r\rdata: b\r\r",
        "data: a\r\n\r\ndata: b\r\n\r\n",
        "\u{feff}data: a\n\r\ndata: b\r\n\n",
    ] {
        let said: Vec<String> = read(text.as_bytes())
            .into_iter()
            .map(|event| event.data)
            .collect();
        assert_eq!(said, ["a", "b"], "{text:?}");
    }
}

#[test]
fn what_is_not_utf8_is_replaced_and_the_rest_is_read() {
    assert_eq!(read(b"data: \xff!\n\n"), [event(None, None, "\u{fffd}!")]);
}

#[test]
fn an_event_too_large_is_refused_before_it_is_held() {
    let mut decoder = Decoder::new(64);
    assert!(decoder.feed(&[b'x'; 65]).is_err());
    let mut decoder = Decoder::new(64);
    for _ in 0..2 {
        decoder.feed(b"data: 0123456789012345678901\n").unwrap();
    }
    assert!(decoder.feed(b"data: 0123456789012345678901\n").is_err());
    let mut decoder = Decoder::new(64);
    for _ in 0..100 {
        decoder.feed(b"data: 0123456789012345678901\n\n").unwrap();
    }
}

#[test]
fn a_frame_cannot_be_broken_out_of() {
    let frame = event(
        Some("1\ndata: forged"),
        Some("a\r\nb"),
        "x\r\n\r\nevent: forged",
    )
    .encode();
    assert_eq!(
        read(frame.as_bytes()),
        [event(
            Some("1data: forged"),
            Some("ab"),
            "x\n\nevent: forged"
        )]
    );
    assert_eq!(read(comment("a\ndata: b\n\n").as_bytes()), []);
    assert_eq!(retry(300), "retry: 300\n\n");
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"data: ".to_vec()),
        Just(b"data:".to_vec()),
        Just(b"id: 7".to_vec()),
        Just(b"event: status".to_vec()),
        Just(b"retry: 10".to_vec()),
        Just(b": comment".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n\n".to_vec()),
        Just("会\u{feff}é".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_split_gives_the_same_events(text in text(), sizes in proptest::collection::vec(1_usize..9, 1..20)) {
        let mut decoder = Decoder::new(MOST);
        let mut events = Vec::new();
        let (mut rest, mut sizes) = (text.as_slice(), sizes.iter().cycle());
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            events.extend(decoder.feed(piece).unwrap());
            rest = after;
        }
        let mut whole = Decoder::new(MOST);
        prop_assert_eq!(events, whole.feed(&text).unwrap());
        prop_assert_eq!(decoder.last_id(), whole.last_id());
        prop_assert_eq!(decoder.retry(), whole.retry());
    }

    #[test]
    fn what_is_written_is_read_again(
        id in proptest::option::of("[a-z0-9]{1,8}"),
        name in proptest::option::of("[a-z]{1,8}"),
        data in "[^\\r\\x00]*",
    ) {
        let event = Event { id, name, data };
        let frames = event.encode() + &comment("alive") + &event.encode();
        prop_assert_eq!(read(frames.as_bytes()), [event.clone(), event]);
    }
}
