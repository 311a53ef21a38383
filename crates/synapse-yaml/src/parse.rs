//! From the events of the parser to the tree. Aliases and merge keys are gone afterwards.

use std::collections::HashSet;

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput, StructureStyle, Tag};
use serde_json::{Number, Value};

use crate::error::{Error, What};
use crate::node::{Kind, Name, Node, Place, Scalar};
use crate::resolve::{self, Booleans};

/// How many values may lie in each other. What reads a tree may call itself for each.
const DEEPEST: usize = 128;

/// How much a tree may take, in bytes: its texts, and this much for each value.
const LARGEST: usize = 64 << 20;
const EACH: usize = 64;

/// Reads a file of one document; an empty one is null.
///
/// # Errors
/// When it is no YAML, has a key twice, or holds more than it may.
pub fn parse(text: &str, booleans: Booleans) -> Result<Node, Error> {
    let mut reader = Reader {
        source: text,
        parser: Parser::new_from_str(text),
        anchors: Vec::new(),
        room: Room(LARGEST),
        booleans,
    };
    let mut document = None;
    loop {
        let (event, _) = reader.next()?;
        match event {
            Event::StreamStart | Event::DocumentEnd => {}
            Event::DocumentStart(..) => {
                let (event, span) = reader.next()?;
                let place = place_of(&span);
                if document.is_some() {
                    return Err(syntax(place, "there may be only one document in a file"));
                }
                document = Some(reader.node(event, place, 0)?);
            }
            _ => break,
        }
    }
    Ok(document.unwrap_or(Node {
        place: Place { line: 1, column: 1 },
        kind: Kind::Scalar(Scalar {
            text: String::new(),
            value: Value::Null,
        }),
    }))
}

struct Reader<'a> {
    source: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    /// The values that have an anchor, by the number that the parser gives it.
    anchors: Vec<Option<Node>>,
    room: Room,
    booleans: Booleans,
}

/// What is left of the most that a tree may take: aliases of aliases grow beyond all bounds.
struct Room(usize);

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Error> {
        let Some(next) = self.parser.next_event() else {
            return Ok((Event::StreamEnd, Span::default()));
        };
        let (mut event, span) = next.map_err(|error| {
            let mark = error.marker();
            let place = place_of(&Span::empty(*mark));
            let known = error.info();
            let is_unknown = matches!(error.kind(), granit_parser::ErrorKind::UnknownAnchor);
            let message = if is_unknown {
                "alias references unknown anchor"
            } else {
                &known
            };
            syntax(place, message)
        })?;
        if let Event::Scalar(text, ScalarStyle::Literal | ScalarStyle::Folded, ..) = &mut event
            && self.is_cut_off(&span)
            && text.ends_with('\n')
        {
            // The parser ends the line where the file does not.
            text.to_mut().pop();
        }
        Ok((event, span))
    }

    /// Whether the file ends in the last line of a block scalar.
    fn is_cut_off(&self, span: &Span) -> bool {
        let end = span.end.byte_offset();
        end == Some(self.source.len())
            && span
                .indent
                .is_some_and(|indent| self.line(end).len() > indent)
    }

    /// Where the value of a key stands; the parser means what is behind the first hyphen of a list that is not indented.
    fn place_of_value(&self, event: &Event, span: &Span) -> Place {
        let place = place_of(span);
        if !matches!(event, Event::SequenceStart(StructureStyle::Block, ..)) {
            return place;
        }
        let line = self.line(span.start.byte_offset());
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.get(indent..).is_some_and(|rest| rest.starts_with('-')) {
            let column = indent as u64 + 1;
            return Place { column, ..place };
        }
        place
    }

    /// What stands before a place in its line.
    fn line(&self, end: Option<usize>) -> &'a str {
        let before = end.and_then(|end| self.source.get(..end));
        let mut lines = before.unwrap_or_default().rsplit(['\n', '\r']);
        lines.next().unwrap_or_default()
    }

    /// The value that begins with an event.
    fn node(&mut self, event: Event<'a>, place: Place, depth: usize) -> Result<Node, Error> {
        let (kind, anchor) = match event {
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(anchor).and_then(Option::as_ref) else {
                    return Err(syntax(place, "an alias stands within what it stands for"));
                };
                return self.room.copy(node, place, depth);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.room.take(text.len(), place, depth)?;
                let value = self.scalar(&text, style, tag.as_deref(), place)?;
                let text = text.into_owned();
                (Kind::Scalar(Scalar { text, value }), anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.room.take(0, place, depth)?;
                fits(tag.as_deref(), "seq", place)?;
                (Kind::List(self.list(depth + 1)?), anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.room.take(0, place, depth)?;
                fits(tag.as_deref(), "map", place)?;
                (Kind::Map(self.map(depth + 1)?), anchor)
            }
            _ => return Err(syntax(place, "a value is missing")),
        };
        let node = Node { place, kind };
        if anchor != 0 {
            let copy = self.room.copy(&node, place, depth)?;
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            if let Some(free) = self.anchors.get_mut(anchor) {
                *free = Some(copy);
            }
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Error> {
        let mut list = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(list);
            }
            list.push(self.node(event, place_of(&span), depth)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(Name, Node)>, Error> {
        let mut map = Vec::new();
        let mut merged = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                break;
            }
            let is_merge = is_merge(&event);
            let key = self.node(event, place_of(&span), depth)?;
            let (event, span) = self.next()?;
            let place = self.place_of_value(&event, &span);
            let value = self.node(event, place, depth)?;
            if is_merge {
                merge(value, &mut merged)?;
                continue;
            }
            let name = name(key)?;
            if !seen.insert(name.text.clone()) {
                return Err(Error::new(name.place, What::SecondKey(name.text)));
            }
            map.push((name, value));
        }
        // What the map says itself counts, then what is merged into it first.
        merged.retain(|(name, _): &(Name, Node)| seen.insert(name.text.clone()));
        map.append(&mut merged);
        Ok(map)
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        place: Place,
    ) -> Result<Value, Error> {
        let is_plain = style == ScalarStyle::Plain;
        let value = match tag.and_then(Tag::core_suffix) {
            Some("str") => Some(Value::String(text.to_owned())),
            Some("null") => Some(Value::Null),
            Some("bool") => resolve::flag(text).map(Value::Bool),
            Some("int") => resolve::whole(text)
                .and_then(Number::from_i128)
                .map(Value::Number),
            Some("float") => resolve::float(text)
                .and_then(Number::from_f64)
                .map(Value::Number),
            Some(_) => None,
            None if tag.is_some_and(|tag| is_yaml(tag, "binary")) => None,
            // A tag of somebody's own means nothing here; `!` makes text of anything.
            None if is_plain && tag.is_none_or(|tag| tag.original() != "!") => {
                Some(resolve::plain(text, self.booleans))
            }
            None => Some(Value::String(text.to_owned())),
        };
        value.ok_or_else(|| misfit(tag, place))
    }
}

impl Room {
    fn take(&mut self, size: usize, place: Place, depth: usize) -> Result<(), Error> {
        if depth >= DEEPEST {
            let message = format!("more than {DEEPEST} values lie in each other");
            return Err(syntax(place, &message));
        }
        let left = self.0.checked_sub(EACH + size);
        self.0 =
            left.ok_or_else(|| syntax(place, "it says too much, with its aliases filled in"))?;
        Ok(())
    }

    /// The same value at another place, where nothing is left of its own.
    fn copy(&mut self, node: &Node, place: Place, depth: usize) -> Result<Node, Error> {
        let kind = match &node.kind {
            Kind::Scalar(scalar) => {
                self.take(scalar.text.len(), place, depth)?;
                Kind::Scalar(scalar.clone())
            }
            Kind::List(list) => {
                self.take(0, place, depth)?;
                let copies = list.iter().map(|node| self.copy(node, place, depth + 1));
                Kind::List(copies.collect::<Result<_, _>>()?)
            }
            Kind::Map(map) => {
                self.take(0, place, depth)?;
                let copies = map.iter().map(|(name, node)| {
                    self.take(name.text.len(), place, depth)?;
                    let text = name.text.clone();
                    Ok((Name { text, place }, self.copy(node, place, depth + 1)?))
                });
                Kind::Map(copies.collect::<Result<_, Error>>()?)
            }
        };
        Ok(Node { place, kind })
    }
}

/// Whether a list or map has no tag that is for something else.
fn fits(tag: Option<&Tag>, sort: &str, place: Place) -> Result<(), Error> {
    match tag.and_then(Tag::core_suffix) {
        Some(named) if named != sort => Err(misfit(tag, place)),
        _ => Ok(()),
    }
}

fn misfit(tag: Option<&Tag>, place: Place) -> Error {
    let tag = tag.map(Tag::original).unwrap_or_default();
    let message = format!("this is nothing that the tag {tag} can stand before");
    Error::new(place, What::Type(message))
}

/// Whether it is a tag of YAML itself, such as `!!binary`.
fn is_yaml(tag: &Tag, name: &str) -> bool {
    tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() == Some(name)
}

fn is_merge(event: &Event) -> bool {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, _, None) => text == "<<",
        Event::Scalar(text, _, _, Some(tag)) => text == "<<" && is_yaml(tag, "merge"),
        _ => false,
    }
}

/// What stands behind `<<`: a map, or a list of maps of which the first counts.
fn merge(node: Node, merged: &mut Vec<(Name, Node)>) -> Result<(), Error> {
    if node.is_null() {
        return Ok(());
    }
    match node.kind {
        Kind::Map(mut map) => merged.append(&mut map),
        Kind::List(list) => {
            for node in list {
                merge(node, merged)?;
            }
        }
        Kind::Scalar(_) => {
            let message = "YAML merge value must be mapping or sequence of mappings";
            return Err(syntax(node.place, message));
        }
    }
    Ok(())
}

fn name(key: Node) -> Result<Name, Error> {
    let place = key.place;
    match key.kind {
        Kind::Scalar(scalar) if !scalar.value.is_null() => Ok(Name {
            text: scalar.text,
            place,
        }),
        _ => {
            let message = format!("a key must be text, not {}", key.sort());
            Err(syntax(place, &message))
        }
    }
}

fn place_of(span: &Span) -> Place {
    Place {
        line: span.start.line() as u64,
        column: span.start.col() as u64 + 1,
    }
}

fn syntax(place: Place, message: &str) -> Error {
    Error::new(place, What::Syntax(message.to_owned()))
}
