//! `synapse shell` without a terminal: lines from a pipe, a file or the command line.

use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::world::World;

const SHELLS: [&str; 4] = ["/bin/bash", "/usr/bin/zsh", "/usr/bin/fish", "/bin/dash"];

/// Runs it with this shell behind it and this on its standard input.
fn run(world: &World, shell: &str, args: &[&str], input: &str) -> Output {
    let mut command = world.command(&[&["shell"], args].concat());
    let mut child = command
        .env("SHELL", shell)
        .env("HOME", world.home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Whoever does not read it has closed it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> (String, Option<i32>) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

#[test]
fn lines_of_a_pipe_are_run_one_after_the_other() {
    for shell in SHELLS {
        let world = World::with_dummy();
        let set = if shell.ends_with("fish") {
            "set x 5"
        } else {
            "x=5"
        };
        let script = format!(
            "mkdir -p deep; cd deep; {set}\necho $x 'two\nlines'; basename $PWD\n\
             @dummy --return say:it's $HOME\necho piped | @dummy --return say:got\n\
             cat\nexport SAID=1\nprintenv SAID\nsh -c 'exit 6'"
        );
        let wanted = "5 two\nlines\ndeep\nit's $HOME\ngot  piped\n1\n";
        let output = run(&world, shell, &[], &script);
        assert_eq!(said(&output), (wanted.to_owned(), Some(6)), "{shell}");
    }
}

#[test]
fn blocks_and_here_documents_of_a_script_are_one_command() {
    let world = World::new();
    let posix = "for i in 1 2\ndo\n\n  echo \"n$i\"\ndone\ncat <<E\nit's (\nE\n\
                 if true\nthen echo yes\nfi\n(exit 3)\n";
    let fish = "for i in 1 2\n\n  echo n$i\nend\necho \"it's (\"\nif true\necho yes\nend\n\
                sh -c 'exit 3'\n";
    for shell in SHELLS {
        let script = if shell.ends_with("fish") { fish } else { posix };
        let output = run(&world, shell, &[], script);
        let wanted = "n1\nn2\nit's (\nyes\n".to_owned();
        assert_eq!(said(&output), (wanted, Some(3)), "{shell}");
    }
}

#[test]
fn a_command_and_a_file_are_run_and_read_what_is_piped_in() {
    for shell in SHELLS {
        let world = World::with_dummy();
        let done = |command: &str, input: &str| {
            let (text, code) = said(&run(&world, shell, &["-c", command], input));
            (text, code.unwrap())
        };
        let pair = |text: &str, code| (text.to_owned(), code);
        assert_eq!(done("cat; sh -c 'exit 4'", "in\n"), pair("in\n", 4));
        assert_eq!(done("exit 7\necho no", ""), pair("", 7), "{shell}");
        assert_eq!(
            done("@dummy --return -", "say:from a pipe\n"),
            pair("from a pipe\n", 0)
        );
        assert_eq!(
            done("cat | @dummy --return say:got", "x\ny\n"),
            pair("got  x y\n", 0)
        );
        assert_eq!(done("@nobody hi", ""), pair("", 3));
        let file = world.home.path().join("script");
        let script = "#!/usr/bin/env synapse-shell\ncd /\npwd\n@dummy --return say:done\n";
        std::fs::write(&file, script).unwrap();
        let output = run(&world, shell, &[file.to_str().unwrap()], "");
        assert_eq!(said(&output), ("/\ndone\n".to_owned(), Some(0)), "{shell}");
    }
}

#[test]
fn only_the_last_pipeline_of_a_line_is_sent() {
    for shell in SHELLS {
        let world = World::with_dummy();
        let mut script = "true && echo one; echo two | @dummy --return say:got\n\
                          false && echo three | @dummy --return say:never\n"
            .to_owned();
        let mut wanted = "one\ngot  two\n".to_owned();
        if !shell.ends_with("fish") {
            script.push_str("cat <<E | @dummy --return say:read\nit's\nE\n");
            wanted.push_str("read  it's\n");
        }
        script.push_str("true");
        let output = run(&world, shell, &[], &script);
        assert_eq!(said(&output), (wanted, Some(0)), "{shell}");
    }
}
