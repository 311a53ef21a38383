//! Tokens, as each program writes them down. They do not count alike: some count what was cached a second time, some
//! leave thoughts out. Here every token is counted once.

use serde_json::Value;
use synapse_a2a::usage::{Tokens, Usage};

use super::text;

/// What one answer of a model took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Took {
    /// What the program calls the answer: it may be written more than once, and the last time counts.
    id: Option<String>,
    model: Option<String>,
    tokens: Tokens,
    cost_micros: Option<u64>,
    /// What the conversation takes after it.
    context: Option<u64>,
}

/// What one turn took, put together from its answers.
#[derive(Debug, Default)]
pub(super) struct TurnUsage {
    took: Vec<Took>,
}

impl TurnUsage {
    pub(super) fn add(&mut self, took: &Took) {
        let is_again = |known: &&mut Took| known.id.is_some() && known.id == took.id;
        match self.took.iter_mut().find(is_again) {
            Some(known) => *known = took.clone(),
            None => self.took.push(took.clone()),
        }
    }

    /// The sum, if the transcript told anything.
    pub(super) fn known(self) -> Option<Usage> {
        let mut usage = Usage::default();
        for took in &self.took {
            usage.add(took.model.as_deref(), took.tokens, took.cost_micros);
            usage.context = took.context.or(usage.context);
        }
        Some(usage).filter(Usage::is_known)
    }
}

impl Took {
    fn new(of: &Value, model: &str, tokens: Tokens) -> Self {
        Self {
            id: text(of, "/id").map(str::to_owned),
            model: text(of, model).map(str::to_owned),
            tokens,
            cost_micros: None,
            context: Some(tokens.total()),
        }
    }

    /// A message of Claude Code. Its own notices have no model.
    pub(super) fn of_claude(message: &Value) -> Option<Self> {
        let usage = message.get("usage")?;
        let tokens = Tokens {
            input: count(usage, "/input_tokens"),
            cached: count(usage, "/cache_read_input_tokens"),
            cache_written: count(usage, "/cache_creation_input_tokens"),
            output: count(usage, "/output_tokens"),
        };
        let is_real = text(message, "/model") != Some("<synthetic>") && tokens.total() > 0;
        is_real.then(|| Self::new(message, "/model", tokens))
    }

    /// A message of Gemini CLI. What was cached is among the input; thoughts and tools are beside the output.
    pub(super) fn of_gemini(message: &Value) -> Option<Self> {
        let usage = message.get("tokens").filter(|tokens| tokens.is_object())?;
        let cached = count(usage, "/cached");
        let tokens = Tokens {
            input: count(usage, "/input").saturating_sub(cached) + count(usage, "/tool"),
            cached,
            cache_written: 0,
            output: count(usage, "/output") + count(usage, "/thoughts"),
        };
        Some(Self::new(message, "/model", tokens))
    }

    /// A line of Qwen Code, in the words of the model's interface.
    pub(super) fn of_qwen(line: &Value) -> Option<Self> {
        let usage = line
            .get("usageMetadata")
            .filter(|usage| usage.is_object())?;
        let cached = count(usage, "/cachedContentTokenCount");
        let tokens = Tokens {
            input: count(usage, "/promptTokenCount").saturating_sub(cached),
            cached,
            cache_written: 0,
            output: count(usage, "/candidatesTokenCount") + count(usage, "/thoughtsTokenCount"),
        };
        Some(Self::new(line, "/model", tokens))
    }

    /// A message of opencode, which knows the price.
    pub(super) fn of_opencode(message: &Value) -> Option<Self> {
        let usage = message.get("tokens").filter(|usage| usage.is_object())?;
        let tokens = Tokens {
            input: count(usage, "/input"),
            cached: count(usage, "/cache/read"),
            cache_written: count(usage, "/cache/write"),
            output: count(usage, "/output") + count(usage, "/reasoning"),
        };
        Some(Self {
            cost_micros: cost(message, "/cost"),
            ..Self::new(message, "/modelID", tokens)
        })
    }

    /// A message of pi, which knows the price.
    pub(super) fn of_pi(message: &Value) -> Option<Self> {
        let usage = message.get("usage").filter(|usage| usage.is_object())?;
        let tokens = Tokens {
            input: count(usage, "/input"),
            cached: count(usage, "/cacheRead"),
            cache_written: count(usage, "/cacheWrite"),
            output: count(usage, "/output"),
        };
        Some(Self {
            cost_micros: cost(usage, "/cost/total"),
            ..Self::new(message, "/model", tokens)
        })
    }

    /// A status of kimi-cli. It does not name the model.
    pub(super) fn of_kimi(payload: &Value) -> Option<Self> {
        let usage = payload.get("token_usage")?;
        let tokens = Tokens {
            input: count(usage, "/input_other"),
            cached: count(usage, "/input_cache_read"),
            cache_written: count(usage, "/input_cache_creation"),
            output: count(usage, "/output"),
        };
        Some(Self {
            id: text(payload, "/message_id").map(str::to_owned),
            ..Self::new(payload, "/model", tokens)
        })
    }

    /// What aider says behind a reply: `Tokens: 2.1k sent, 50 received. Cost: $0.01 message, $0.02 session.` It rounds.
    pub(super) fn of_aider(note: &str) -> Option<Self> {
        let rest = note.strip_prefix("Tokens: ")?;
        let (counts, cost) = rest.split_once(" received.")?;
        let mut tokens = Tokens::default();
        let words = |part: &str, end: &str| Some(part.trim().strip_suffix(end)?.trim().to_owned());
        for part in counts.split(", ") {
            if let Some(sent) = words(part, "sent") {
                tokens.input = rounded(&sent)?;
            } else if let Some(written) = words(part, "cache write") {
                tokens.cache_written = rounded(&written)?;
            } else if let Some(hit) = words(part, "cache hit") {
                tokens.cached = rounded(&hit)?;
            } else {
                tokens.output = rounded(part.trim())?;
            }
        }
        let dollars = cost.split_once('$').and_then(|(_, rest)| {
            let (dollars, _) = rest.split_once(" message")?;
            dollars.replace(',', "").parse::<f64>().ok()
        });
        Some(Self {
            id: None,
            model: None,
            tokens,
            cost_micros: dollars.and_then(micros),
            context: Some(tokens.total()),
        })
    }
}

/// A count of Codex. What was cached is among the input, thoughts are among the output.
pub(super) fn of_codex(payload: &Value, pointer: &str) -> Option<Tokens> {
    let usage = payload.pointer(pointer).filter(|usage| usage.is_object())?;
    let cached = count(usage, "/cached_input_tokens");
    Some(Tokens {
        input: count(usage, "/input_tokens").saturating_sub(cached),
        cached,
        cache_written: 0,
        output: count(usage, "/output_tokens"),
    })
}

fn count(usage: &Value, pointer: &str) -> u64 {
    usage.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

fn cost(of: &Value, pointer: &str) -> Option<u64> {
    of.pointer(pointer).and_then(Value::as_f64).and_then(micros)
}

#[expect(
    clippy::cast_sign_loss,
    reason = "a price below nought is no price and is left out"
)]
fn micros(dollars: f64) -> Option<u64> {
    let micros = (dollars * 1e6).round();
    (micros.is_finite() && micros >= 0.0).then_some(micros as u64)
}

/// A number as aider rounds it: `950`, `2.1k`, `1.2M`.
fn rounded(word: &str) -> Option<u64> {
    let (digits, unit) = match word.strip_suffix(['k', 'M']) {
        Some(digits) if word.ends_with('k') => (digits, 1e3),
        Some(digits) => (digits, 1e6),
        None => (word, 1.0),
    };
    let number: f64 = digits.replace(',', "").parse().ok()?;
    micros(number * unit / 1e6)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, turn_of};
    use super::*;

    fn usage(kind: Kind, text: &str) -> Usage {
        turn_of(kind, text, "a").unwrap().usage.unwrap()
    }

    fn tokens(input: u64, cached: u64, cache_written: u64, output: u64) -> Tokens {
        Tokens {
            input,
            cached,
            cache_written,
            output,
        }
    }

    #[test]
    fn an_answer_of_claude_that_is_written_in_parts_counts_once() {
        let text = r#"{"type":"user","message":{"content":"a"}}
{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-5","content":[{"type":"text","text":"look"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}
{"type":"assistant","message":{"id":"m1","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"t","name":"Bash"}],"stop_reason":"tool_use","usage":{"input_tokens":3,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":40}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}
{"type":"assistant","message":{"id":"m2","model":"claude-opus-4-5","content":[{"type":"text","text":"b"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_read_input_tokens":1100,"output_tokens":7}}}
{"type":"assistant","isApiErrorMessage":true,"message":{"id":"m3","model":"<synthetic>","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0,"output_tokens":0}}}"#;
        let usage = usage(Kind::Claude, text);
        assert_eq!(usage.tokens(), tokens(8, 2_100, 100, 47));
        assert_eq!(usage.context, Some(1_112));
        assert_eq!(usage.models.len(), 1);
        assert_eq!(usage.models[0].model.as_deref(), Some("claude-opus-4-5"));
    }

    #[test]
    fn codex_counts_the_conversation_and_a_turn_is_what_it_added() {
        let count = |input: u64, cached: u64, output: u64, last: u64| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"output_tokens":{output},"reasoning_output_tokens":5,"total_tokens":1}},"last_token_usage":{{"total_tokens":{last}}},"model_context_window":272000}}}}}}"#
            )
        };
        let text = [
            r#"{"type":"turn_context","payload":{"model":"gpt-5.1-codex"}}"#.to_owned(),
            r#"{"type":"event_msg","payload":{"type":"user_message","message":"before"}}"#
                .to_owned(),
            count(1_000, 400, 50, 1_050),
            r#"{"type":"event_msg","payload":{"type":"user_message","message":"a"}}"#.to_owned(),
            r#"{"type":"event_msg","payload":{"type":"token_count","info":null}}"#.to_owned(),
            count(2_500, 1_400, 80, 1_530),
            count(2_500, 1_400, 80, 1_530),
        ];
        let usage = usage(Kind::Codex, &text.join("\n"));
        assert_eq!(usage.tokens(), tokens(500, 1_000, 0, 30));
        assert_eq!((usage.context, usage.window), (Some(1_530), Some(272_000)));
        assert_eq!(usage.models[0].model.as_deref(), Some("gpt-5.1-codex"));
    }

    #[test]
    fn gemini_has_what_was_cached_among_the_input() {
        let text = r#"{"id":"1","type":"user","content":"a"}
{"id":"2","type":"gemini","content":"half","model":"gemini-3-pro","tokens":{"input":10,"output":1,"cached":4,"thoughts":2,"tool":0,"total":13}}
{"id":"2","type":"gemini","content":"b","model":"gemini-3-pro","tokens":{"input":10,"output":6,"cached":4,"thoughts":2,"tool":1,"total":19}}"#;
        let usage = usage(Kind::Gemini, text);
        assert_eq!(usage.tokens(), tokens(7, 4, 0, 8));
        assert_eq!(usage.context, Some(19));
    }

    #[test]
    fn a_program_that_knows_the_price_is_believed() {
        let text = r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"a"}]}}
{"type":"message","message":{"role":"assistant","model":"m","content":[{"type":"text","text":"b"}],"stopReason":"stop","usage":{"input":10,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":19,"cost":{"total":0.0125}}}}"#;
        let usage = usage(Kind::Pi, text);
        assert_eq!(usage.tokens(), tokens(10, 3, 4, 2));
        assert_eq!(usage.models[0].cost_micros, Some(12_500));
    }

    #[test]
    fn qwen_and_aider_count_in_their_own_words() {
        let qwen = r#"{"type":"user","cwd":"/w","message":{"parts":[{"text":"a"}]}}
{"type":"assistant","model":"qwen3-coder","message":{"parts":[{"text":"b"}]},"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":5,"totalTokenCount":125,"cachedContentTokenCount":60}}"#;
        assert_eq!(usage(Kind::Qwen, qwen).tokens(), tokens(40, 60, 0, 25));
        let took = |note: &str| Took::of_aider(note);
        let known = took(
            "Tokens: 2.1k sent, 1.5k cache hit, 950 received. Cost: $0.01 message, $0.02 session.",
        );
        let known = known.unwrap();
        assert_eq!(known.tokens, tokens(2_100, 1_500, 0, 950));
        assert_eq!(known.cost_micros, Some(10_000));
        assert_eq!(
            took("Tokens: 12 sent, 3 received.").unwrap().cost_micros,
            None
        );
        for odd in ["Tokens: many", "Tokens: x sent, 3 received.", "Model: gpt"] {
            assert_eq!(took(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_transcript_without_counts_says_nothing() {
        let text = r#"{"type":"user","message":{"content":"a"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"b"}],"stop_reason":"end_turn"}}"#;
        assert_eq!(turn_of(Kind::Claude, text, "a").unwrap().usage, None);
    }
}
