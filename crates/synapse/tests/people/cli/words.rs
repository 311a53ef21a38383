//! The words that people and programs get: one for each state, one shape for lists, both languages, with and without
//! colours.

use serde_json::Value;

use crate::world::World;
use crate::world::terminal::Terminal;

const GLYPHS: [char; 6] = ['◆', '?', '●', '◌', '○', '×'];

#[test]
fn a_state_has_one_word_wherever_it_is_read() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    assert!(world.ok(&["list"]).contains("◆ waiting"));
    assert!(world.ok(&["status", "dummy"]).starts_with("waiting ("));
    let entry = &world.json(&["list", "--json"])["agents"][0];
    assert_eq!(entry["state"], "waiting");
    let status = world.json(&["status", "dummy", "--json"]);
    assert_eq!(status["state"], "waiting");
    assert_eq!(status["status"], "INPUT_REQUIRED", "as over HTTP");
    let answered = world.ok(&["answer", "dummy", "yes"]);
    assert!(
        answered.starts_with("answered; the agent is idle; "),
        "{answered}"
    );
    let interrupted = world.ok(&["interrupt", "dummy"]);
    assert_eq!(interrupted, "nothing is running: the agent is idle\n");
    let status = world.ok(&["status", "dummy"]);
    assert!(status.starts_with("idle ("), "{status}");
    assert!(status.contains("nothing waits in its queue"), "{status}");
}

#[test]
fn every_list_is_an_object_that_names_it() {
    let world = World::with_dummy();
    for (words, name) in [
        (&["list", "--json"][..], "agents"),
        (&["status", "--json"], "agents"),
        (&["tasks", "--json"], "tasks"),
        (&["replies", "--json"], "replies"),
        (&["profile", "list", "--json"], "profiles"),
        (&["external", "list", "--json"], "agents"),
        (&["doctor", "--json"], "checks"),
    ] {
        let list = world.json(words);
        assert!(list[name].is_array(), "{words:?}: {list}");
    }
}

#[test]
fn a_reader_of_japanese_is_told_in_japanese_and_programs_as_ever() {
    let world = World::new();
    let in_japanese = |words: &[&str]| {
        let mut command = world.command(words);
        let output = command.env("LANG", "ja_JP.UTF-8").output().unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
        (out, err)
    };
    let nobody = "動いているエージェントはありません。起動するには: synapse start <profile>\n";
    assert_eq!(in_japanese(&["list"]), (String::new(), nobody.to_owned()));
    world.ok(&["start", "dummy", "--port", "0"]);
    assert!(in_japanese(&["list"]).0.contains("○ 待機"));
    assert!(in_japanese(&["status", "dummy"]).0.starts_with("待機 ("));
    assert_eq!(
        in_japanese(&["interrupt", "dummy"]).0,
        "何も実行していません: 状態は 待機\n"
    );
    let (_, asked) = in_japanese(&["send", "dummy", "ask:yn Really?", "--return"]);
    assert!(
        asked.contains("答えるには: synapse answer dummy"),
        "{asked}"
    );
    let json = in_japanese(&["list", "--json"]).0;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["agents"][0]["state"], "waiting");
    let (_, none) = in_japanese(&["answer", "dummy", "maybe"]);
    assert_eq!(
        none,
        "synapse: 'maybe' は選択肢にありません: y (y), n (n)\n"
    );
    in_japanese(&["answer", "dummy", "yes"]);
    let (_, nothing) = in_japanese(&["answer", "dummy", "yes"]);
    assert!(
        nothing.contains("エージェントは何も質問していません"),
        "{nothing}"
    );
    let (_, nobody) = in_japanese(&["send", "dumy", "hi"]);
    assert!(
        nobody.contains("動いているのは @dummy だけです"),
        "{nobody}"
    );
    let refused = in_japanese(&["send", "dumy", "hi", "--return", "--json"]).0;
    assert!(refused.contains("no agent is called 'dumy'"), "{refused}");
    let (_, taken) = in_japanese(&["start", "dummy", "--name", "dummy"]);
    assert!(taken.contains("別の --name を選んでください"), "{taken}");
    assert!(in_japanese(&["tasks"]).0.contains("完了"));
    let to_all = in_japanese(&["send", "all", "say:hi", "--return"]).0;
    assert_eq!(to_all, "dummy  完了            hi\n");
    let pid = world.entry()["pid"].to_string();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    world.wait_until("its host is gone", |_| crate::world::is_gone(&pid));
    let (_, started) = in_japanese(&["start", "dummy", "--port", "0"]);
    assert!(started.contains("トークンが新しくなりました"), "{started}");
    let profile = world.home.path().join("toy.yaml");
    std::fs::write(&profile, "name: toy\ncommand: cat\n").unwrap();
    let checked = in_japanese(&["profile", "check", profile.to_str().unwrap()]).0;
    assert!(
        checked.ends_with("プロファイル 'toy' に問題はありません\n"),
        "{checked}"
    );
    let (_, stopped) = in_japanese(&["stop", "dummy"]);
    assert_eq!(stopped, "dummy を停止しました\n");

    let flow = world.home.path().join("build.yaml");
    std::fs::write(&flow, "name: build\nsteps: {make: {run: ['true']}}\n").unwrap();
    let flow = flow.to_str().unwrap();
    let checked = in_japanese(&["flow", "check", flow]).0;
    assert_eq!(
        checked,
        format!("{flow}: フロー 'build' に問題はありません\n")
    );
    let (_, told) = in_japanese(&["flow", "run", flow]);
    assert!(told.contains("make: 実行します: true\n"), "{told}");
    assert!(told.contains("build 完了\n"), "{told}");
    let listed = in_japanese(&["flow", "list"]).0;
    assert!(listed.contains("完了"), "{listed}");
    let json = in_japanese(&["flow", "list", "--json"]).0;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["runs"][0]["state"], "done");
}

#[test]
fn a_screen_reader_gets_words_alone() {
    let world = World::with_dummy();
    for (name, value) in [("TERM", "dumb"), ("ACCESSIBLE", "1")] {
        let script = format!(
            "{name}={value} $synapse list; {name}={value} $synapse send dummy slow:1 --return"
        );
        let mut terminal = Terminal::bash(&world, &script);
        terminal.wait_for("yankee");
        let (_, painted) = terminal.end();
        assert!(painted.contains("idle"), "{painted}");
        assert!(painted.contains("dummy is working\r\n"), "{painted}");
        assert!(!painted.contains(GLYPHS), "{painted}");
    }
}

#[test]
fn colours_are_there_when_they_are_wanted_and_not_otherwise() {
    let world = World::with_dummy();
    world.run(&["send", "dummy", "ask:yn Really?", "--return"]);
    let listed = |name: &str, value: &str| {
        let output = world.command(&["list"]).env(name, value).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(listed("CLICOLOR_FORCE", "1").contains("\x1b[33m"));
    assert!(!listed("CLICOLOR", "1").contains('\x1b'), "it is a pipe");
    let mut terminal = Terminal::bash(&world, "CLICOLOR=0 $synapse list; echo over");
    terminal.wait_for("over");
    let (_, painted) = terminal.end();
    assert!(painted.contains("waiting") && !painted.contains("\x1b[33m"));
}

#[test]
fn the_list_shows_where_the_program_works() {
    let world = World::new();
    let elsewhere = world.home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    let profile = world.home.path().join("there.yaml");
    let text = format!("name: there\ncommand: sh\nargs: [-c, 'pwd; cat']\ncwd: {elsewhere}\n");
    std::fs::write(&profile, text).unwrap();
    world.ok(&["start", profile.to_str().unwrap(), "--port", "0"]);
    assert!(world.ok(&["list"]).trim_end().ends_with(elsewhere));
    let entry = world.entry();
    assert_eq!(entry["program_dir"], elsewhere);
    assert_ne!(entry["working_dir"], elsewhere);
    world.wait_until("it says where it is", |world| {
        world.ok(&["screen", "there"]).contains(elsewhere)
    });
}

#[test]
fn an_agent_of_another_version_runs_on_and_is_named() {
    let world = World::with_dummy();
    let folder = world.home.path().join("a2a/registry");
    let id = world.entry()["agent_id"].as_str().unwrap().to_owned();
    let file = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "json"))
        .unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(&id));
    let own = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let spaced = own.replace(':', ": ");
    let older = text
        .replace(&own, "\"version\":\"0.0.9\"")
        .replace(&spaced, "\"version\": \"0.0.9\"");
    assert_ne!(older, text);
    std::fs::write(&file, older).unwrap();
    let listed = world.ok(&["list"]);
    assert!(
        listed.contains("runs Synapse 0.0.9; to bring it over: synapse restart dummy"),
        "{listed}"
    );
    let report = world.json(&["doctor", "dummy", "--json"]);
    assert!(report.to_string().contains("0.0.9"), "{report}");
    assert_eq!(world.ok(&["send", "dummy", "say:hi", "--return"]), "hi\n");
}

#[test]
fn what_is_next_is_said() {
    let world = World::with_dummy();
    let said = |words: &[&str]| {
        let output = world.run(words);
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, unknown) = said(&["task", "ffffffff"]);
    assert_eq!(code, Some(1));
    assert!(unknown.contains("synapse tasks lists them"), "{unknown}");
    let (code, late) = said(&["send", "dummy", "slow:20", "--return", "--timeout", "0.2"]);
    assert_eq!(code, Some(5));
    assert!(late.contains("--follow"), "{late}");
    world.ok(&["interrupt", "dummy"]);
    let (code, deaf) = said(&["send", "dummy", "hang"]);
    assert_eq!(code, Some(0), "{deaf}");
    world.wait_until("it hangs", |world| world.state("dummy") == "BUSY");
    let (code, deaf) = said(&["interrupt", "dummy"]);
    assert_eq!(code, Some(1));
    assert!(
        deaf.contains("it did not react; to end it: synapse stop dummy"),
        "{deaf}"
    );
    let (_, deaf) = said(&["interrupt", "dummy", "--key", "Escape"]);
    assert!(
        deaf.contains("it did not react: --key ctrl-c, or synapse stop dummy"),
        "{deaf}"
    );
    let (code, busy) = said(&["answer", "dummy", "yes"]);
    assert_eq!(code, Some(1));
    assert!(
        busy.contains("not asking anything; it is working"),
        "{busy}"
    );
    world.ok(&["stop", "dummy"]);
    world.ok(&["start", "dummy", "--port", "0"]);
    let (code, ended) = said(&["send", "dummy", "exit:3", "--return"]);
    assert_eq!(code, Some(1));
    assert!(ended.contains("exit code 3"), "{ended}");
    world.ok(&["start", "dummy", "--port", "0"]);
    world.ok(&["keys", "dummy", "a", "b"]);
    let (code, held) = said(&["send", "dummy", "say:hi", "--return", "--timeout", "5"]);
    assert_eq!(code, Some(5));
    assert!(held.starts_with("held: "), "{held}");
    let (code, several) = said(&["task", "0"]);
    assert_eq!(code, Some(1));
    assert!(several.len() < 80, "{several}");
}
