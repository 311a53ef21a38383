//! Server-sent events: the frames of a stream, written and read as the HTML standard has them. The reader takes
//! bytes in any split, and gives up on an event that is larger than it was told to hold.

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The number to go on from after a break: that of this event, or of the last one that had any.
    pub id: Option<String>,
    /// What kind of event it is; nothing is `message`.
    pub name: Option<String>,
    pub data: String,
}

impl Event {
    /// An event that says this.
    pub fn new(data: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            ..Self::default()
        }
    }

    /// The frame: what is written to the stream.
    pub fn encode(&self) -> String {
        let mut frame = String::with_capacity(self.data.len() + 48);
        if let Some(id) = &self.id {
            push_field(&mut frame, "id", id);
        }
        if let Some(name) = &self.name {
            push_field(&mut frame, "event", name);
        }
        for line in lines(&self.data) {
            push_field(&mut frame, "data", line);
        }
        frame.push('\n');
        frame
    }
}

/// A frame that says nothing, so that nobody takes silence for the end.
pub fn comment(text: &str) -> String {
    let mut frame = String::new();
    push_field(&mut frame, "", text);
    frame.push('\n');
    frame
}

/// A frame that says how many milliseconds to wait before coming back after a break.
pub fn retry(millis: u64) -> String {
    format!("retry: {millis}\n\n")
}

/// An event is larger than the reader may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {0} bytes")]
pub struct TooLarge(usize);

/// Reads a stream.
#[derive(Clone, Debug)]
pub struct Decoder {
    most: usize,
    /// The line that is not over yet.
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed right behind it is part of the same break.
    is_after_return: bool,
    is_begun: bool,
    data: String,
    has_data: bool,
    name: Option<String>,
    id: Option<String>,
    retry: Option<u64>,
}

impl Decoder {
    /// A reader that holds events of at most `most` bytes.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            line: Vec::new(),
            is_after_return: false,
            is_begun: false,
            data: String::new(),
            has_data: false,
            name: None,
            id: None,
            retry: None,
        }
    }

    /// Takes the next bytes; the events that are whole now. One that the stream ends in is none.
    ///
    /// # Errors
    /// When an event is too large. The reader is of no use afterwards.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        while let Some(at) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, rest) = bytes.split_at(at);
            let is_feed = rest.first() == Some(&b'\n');
            let is_same_break = is_feed && self.is_after_return && line.is_empty();
            self.is_after_return = !is_feed;
            bytes = rest.get(1..).unwrap_or_default();
            if !is_same_break {
                self.hold(line)?;
                events.extend(self.end_line());
            }
        }
        if !bytes.is_empty() {
            self.is_after_return = false;
            self.hold(bytes)?;
        }
        Ok(events)
    }

    /// The number to go on from after a break.
    pub fn last_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// How many milliseconds the other side wants us to wait before coming back.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + self.data.len() + bytes.len() > self.most {
            return Err(TooLarge(self.most));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let line = match line.strip_prefix('\u{feff}') {
            Some(line) if is_first => line,
            _ => &line,
        };
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => self.name = (!value.is_empty()).then(|| value.to_owned()),
            "id" if !value.contains('\0') => {
                self.id = (!value.is_empty()).then(|| value.to_owned());
            }
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let (data, name) = (std::mem::take(&mut self.data), self.name.take());
        std::mem::take(&mut self.has_data).then(|| Event {
            id: self.id.clone(),
            name,
            data,
        })
    }
}

/// The lines of a text, by any kind of break; a text that ends with one has an empty last line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Writes a field. A break in its value would begin another one.
fn push_field(frame: &mut String, field: &str, value: &str) {
    frame.push_str(field);
    frame.push_str(": ");
    frame.extend(value.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')));
    frame.push('\n');
}

#[cfg(test)]
mod tests;
