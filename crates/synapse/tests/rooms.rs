//! Keeps the arrows of ARCHITECTURE.md: reads what the sources of each room name, and fails where a room
//! names something it must not know. Test code may name what it likes.
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What Cargo cannot keep: a pure crate may depend on nothing that acts, and the rooms of the last crate know each
/// other in one direction only. A name is a run of path segments, wherever it stands in a path; `name!` is a macro and
/// `*` a glob import. A room is a file, a folder of that name, or both.
const ROOMS: &[Room] = &[
    Room {
        path: "synapse-term/src",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-a2a/src",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-yaml/src",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-flow/src",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-client/src/native",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-acp/src/rpc",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-acp/src/wire",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-acp/src/narrator",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-acp/src/question",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-tmux/src/control",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-tmux/src/typist",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse-tmux/src/screenful",
        must_not_name: &[WORLD],
        except: &[],
    },
    Room {
        path: "synapse/src/http",
        must_not_name: &[&["synapse_term::screen", "synapse_hub", "crate::host"]],
        except: &[],
    },
];

/// The world, its clock, its threads, its logs: what a pure crate must not name.
const WORLD: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::*",
    "Instant",
    "SystemTime",
    "tokio",
    "tracing",
    "dbg!",
    "eprint!",
    "eprintln!",
    "print!",
    "println!",
];

struct Room {
    /// Below `crates/`, without `.rs`.
    path: &'static str,
    must_not_name: &'static [&'static [&'static str]],
    except: &'static [&'static str],
}

impl Room {
    /// The lines of a source that break the rule, with what they name.
    fn breaches(&self, source: &str) -> Vec<(usize, &'static str)> {
        let forbidden = || self.must_not_name.iter().copied().flatten().copied();
        paths(source)
            .iter()
            .filter(|path| !self.except.iter().any(|name| path.names(name)))
            .flat_map(|path| {
                forbidden()
                    .filter(|name| path.names(name))
                    .map(|name| (path.line, name))
            })
            .collect()
    }
}

/// A path as the compiler would see it, groups expanded.
struct NamedPath {
    line: usize,
    segments: Vec<String>,
}

impl NamedPath {
    fn names(&self, name: &str) -> bool {
        let wanted: Vec<&str> = name.split("::").collect();
        self.segments.windows(wanted.len()).any(|run| run == wanted)
    }
}

fn paths(source: &str) -> Vec<NamedPath> {
    let mut found = Vec::new();
    let tokens: TokenStream = source.parse().unwrap();
    read_paths(tokens, &[], &mut found);
    found
}

/// Reads the paths that stand behind a prefix: `a::{b, c::d}` names `a::b` and `a::c::d`.
fn read_paths(tokens: TokenStream, prefix: &[String], found: &mut Vec<NamedPath>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let mut at = 0;
    'paths: while let Some(token) = tokens.get(at) {
        if is_mark(at, '#') && tokens.get(at + 1).is_some_and(is_cfg_test) {
            at = end_of_item(&tokens, at + 2);
            continue;
        }
        at += 1;
        let first = match token {
            TokenTree::Ident(first) => first,
            TokenTree::Group(group) => {
                read_paths(group.stream(), &[], found);
                continue;
            }
            _ => continue,
        };
        if first == "pub" && matches!(tokens.get(at), Some(TokenTree::Group(_))) {
            at += 1;
            continue;
        }
        let line = first.span().start().line;
        let mut segments = prefix.to_vec();
        segments.push(first.to_string());
        while is_mark(at, ':') && is_mark(at + 1, ':') {
            at += 3;
            match tokens.get(at - 1) {
                Some(TokenTree::Ident(next)) => segments.push(next.to_string()),
                Some(TokenTree::Punct(star)) if star.as_char() == '*' => segments.push("*".into()),
                Some(TokenTree::Group(group)) => {
                    read_paths(group.stream(), &segments, found);
                    continue 'paths;
                }
                _ => break,
            }
        }
        if is_mark(at, '!')
            && !is_mark(at + 1, '=')
            && let Some(last) = segments.last_mut()
        {
            last.push('!');
        }
        found.push(NamedPath { line, segments });
    }
}

fn is_cfg_test(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.to_string() == "[cfg (test)]")
}

fn end_of_item(tokens: &[TokenTree], begin: usize) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    begin
        + tokens
            .iter()
            .skip(begin)
            .take_while(|token| !is_end(token))
            .count()
        + 1
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files of a room, those of its tests left out.
fn sources(room: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut paths = vec![room.to_owned(), room.with_extension("rs")];
    while let Some(path) = paths.pop() {
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            paths.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_room_names_what_it_must_not_know() {
    let mut complaints = Vec::new();
    for room in ROOMS {
        for file in sources(&crates().join(room.path)) {
            let source = fs::read_to_string(&file).unwrap();
            for (line, name) in room.breaches(&source) {
                complaints.push(format!("{}:{line} names {name}", file.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// What only Linux has stands in one crate, so that `make check-mac` can hold.
#[test]
fn what_only_linux_has_is_in_one_crate() {
    let mut complaints = Vec::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let room = entry.unwrap().path();
        if room.ends_with("synapse-platform") {
            continue;
        }
        for file in sources(&room.join("src")) {
            let source = fs::read_to_string(&file).unwrap();
            let code = source.split("#[cfg(test)]").next().unwrap();
            for name in ["\"/proc", "inotify::", "pidfd_", "netlink::", "libc::SYS_"] {
                if code.contains(name) {
                    complaints.push(format!("{} has {name}", file.display()));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn the_pure_crates_are_where_the_rules_look_for_them() {
    for pure in ["synapse-term/src", "synapse-a2a/src"] {
        assert!(
            ROOMS.iter().any(|room| room.path == pure),
            "{pure} has no rule"
        );
        assert!(!sources(&crates().join(pure)).is_empty(), "{pure} is empty");
    }
}

fn breaches(source: &str) -> Vec<&'static str> {
    const ROOM: Room = Room {
        path: "",
        must_not_name: &[WORLD, &["crate"]],
        except: &["crate::pty"],
    };
    ROOM.breaches(source)
        .into_iter()
        .map(|(_, name)| name)
        .collect()
}

#[test]
fn a_name_is_found_however_it_is_imported() {
    for (source, name) in [
        ("use std::fs;", "std::fs"),
        ("use std::{collections::HashMap, fs::{File}};", "std::fs"),
        ("use ::std::fs::read as slurp;", "std::fs"),
        ("fn f() { let _ = std :: fs :: read(\"x\"); }", "std::fs"),
        ("fn f() { vec![std::fs::read(p)] }", "std::fs"),
        ("#[cfg(test)] mod t { } use std::fs;", "std::fs"),
        ("use std::time::{Duration, Instant};", "Instant"),
        ("use std::time::*;", "std::time::*"),
        ("fn f() { println!(); }", "println!"),
        ("use crate::{pty::spawn, host};", "crate"),
    ] {
        assert_eq!(breaches(source), [name], "{source}");
    }
}

#[test]
fn what_is_only_mentioned_is_not_named() {
    for source in [
        "// std::fs",
        "/// std::fs\nfn f() {}",
        "const S: &str = \"std::fs\";",
        "use std::{collections::HashMap, fmt}; mod fs;",
        "use std::fsx; use std::time::Duration;",
        "#[cfg(test)] mod tests { use std::fs; fn f() {} }",
        "#[cfg(test)] use std::fs;",
        "use crate::pty::spawn;",
        "use crate::{pty::{spawn, Size}}; pub(crate) fn f() {}",
        "fn f(print: u8) -> bool { print != 1 }",
    ] {
        assert_eq!(breaches(source), [""; 0], "{source}");
    }
}

#[test]
fn a_breach_says_its_line() {
    let room = Room {
        path: "",
        must_not_name: &[&["tokio"]],
        except: &[],
    };
    assert_eq!(
        room.breaches("\n/* a\n b */\n  use tokio::sync;"),
        [(4, "tokio")]
    );
}
