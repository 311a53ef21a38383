//! The messages that a program is calibrated with: harmless, and with an answer that is known beforehand.

use synapse_term::learn::Lesson;

/// Lines of the long answer: enough that a model takes seconds for it.
const LINES: usize = 30;

/// The lessons. With leave to do so, the last one makes the program ask for a permission.
pub(super) fn lessons(asks_permission: bool) -> Vec<Lesson> {
    let exactly = |words: &str, reply: &str| Lesson {
        typed: format!("{words}{reply}"),
        reply: Some(reply.to_owned()),
    };
    let count: Vec<String> = (1..=LINES).map(|line| format!("item {line}")).collect();
    let mut lessons = vec![
        exactly("Reply with exactly: ", "The calibration has begun."),
        exactly(
            "Reply with exactly these lines:\n",
            "The first calibration line.\nThe second calibration line.\nThe third calibration line.",
        ),
        exactly(
            "Reply with exactly this code block:\n",
            "```python\ndef calibrate(value):\n    return value + 1\n```",
        ),
        Lesson {
            typed: format!(
                "Count from 1 to {LINES}: write each number on a line of its own, as in \"item 7\", and nothing else."
            ),
            reply: Some(count.join("\n")),
        },
        exactly("Reply with exactly: ", "The calibration is over."),
    ];
    if asks_permission {
        lessons.push(Lesson {
            typed:
                "Use your shell tool to run `touch /tmp/synapse-calibration`, and say how it went."
                    .to_owned(),
            reply: None,
        });
    }
    lessons
}
