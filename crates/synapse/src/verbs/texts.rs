//! The messages a person sees, in every language that Synapse speaks. What programs read (JSON, names of states on the
//! wire, errors over HTTP) is never translated.

use std::ffi::OsString;
use std::fmt::Display;
use std::sync::OnceLock;

use synapse::host::REPLACED;
use synapse_a2a::task::TaskState;
use synapse_client::native::state_word;

/// A language of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Japanese,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// The language of this process, by the variables that every program goes by.
pub(crate) fn language() -> Language {
    *LANGUAGE.get_or_init(|| language_of(["LC_ALL", "LC_MESSAGES", "LANG"].map(std::env::var_os)))
}

/// For what programs read: everything from here on is said in English. Nothing may have been said before.
pub(crate) fn speak_english() {
    let _ = LANGUAGE.set(Language::English);
}

/// The first variable that is set counts.
fn language_of(variables: [Option<OsString>; 3]) -> Language {
    let mut set = variables.into_iter().flatten();
    let first = set.find(|value| !value.is_empty()).unwrap_or_default();
    let name = first.to_string_lossy();
    let code = name.split(['_', '.', '@']).next().unwrap_or_default();
    if code == "ja" {
        Language::Japanese
    } else {
        Language::English
    }
}

/// Each text in English, then in Japanese. The compiler asks for both.
macro_rules! texts {
    ($($name:ident($($arg:ident),*) $english:literal $japanese:literal;)*) => {
        $(
            pub(crate) fn $name($($arg: impl Display),*) -> String {
                match language() {
                    Language::English => format!($english),
                    Language::Japanese => format!($japanese),
                }
            }
        )*

        #[cfg(test)]
        pub(super) const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $japanese)),*];
    };
}

pub(crate) mod doctor;
pub(crate) mod errors;
pub(crate) mod flow;
mod lifetime;

pub(crate) use lifetime::*;

texts! {
    no_usage(days)
        "nothing is known of the last {days} days: no turn, or the programs write no tokens down"
        "この {days} 日間の記録がありません。やりとりがなかったか、プログラムがトークンを記録していません";
    column_day() "DAY" "日付";
    column_whose() "AGENT" "名前";
    column_model() "MODEL" "モデル";
    column_turns() "TURNS" "回数";
    column_input() "INPUT" "入力";
    column_cached() "CACHED" "キャッシュ";
    column_output() "OUTPUT" "出力";
    column_cost() "COST" "費用";
    in_total() "total" "合計";
    is_unknown() "unknown" "不明";
    partly_unknown(dollars) "{dollars} + unknown" "{dollars} + 不明";
    context_left(handle, left, window, percent)
        "@{handle}: {left} of {window} tokens of context left ({percent}%)"
        "@{handle}: コンテキストの残りは {window} トークン中 {left}（{percent}%）";
    every_default()
        " (there is no such file: every setting has its default)"
        "（ファイルがないので、すべて既定値です）";
    from_environment() "environment" "環境変数";
    by_default() "default" "既定値";
    is_not_set() "not set" "未設定";
    no_profile(name, known)
        "there is no profile '{name}'; built in are {known}, or give a YAML file"
        "プロファイル '{name}' はありません。組み込みは {known} です。YAML ファイルも使えます";
    no_profile_and_no_program(name, known)
        "there is no profile '{name}' and no program of that name; profiles are {known}, or give a YAML file; any program: synapse start -- PROGRAM"
        "'{name}' というプロファイルもプログラムもありません。プロファイルは {known} です。YAML ファイルも使えます。どのプログラムでも: synapse start -- PROGRAM";
    program_of_that_name(word)
        "there is no command and no profile '{word}', but a program of that name; to wrap it: synapse -- {word}"
        "'{word}' というコマンドもプロファイルもありませんが、その名前のプログラムがあります。包むには: synapse -- {word}";
    meant_command(word, command)
        "there is no command and no profile '{word}'; did you mean: {command}"
        "'{word}' というコマンドもプロファイルもありません。もしかして: {command}";
    nothing_of_that_name(word)
        "there is no command, no profile and no program '{word}'; synapse --help has the commands, synapse profile list the profiles"
        "'{word}' というコマンドもプロファイルもプログラムもありません。コマンドは synapse --help、プロファイルは synapse profile list で見られます";
    profile_is_in_order(file, name)
        "{file}: profile '{name}' is in order"
        "{file}: プロファイル '{name}' に問題はありません";
    no_help(word)
        "there is no command or topic '{word}'; synapse help topics has the topics"
        "'{word}' というコマンドも項目もありません。項目は: synapse help topics";
    meant_help(word, near)
        "there is no command or topic '{word}'; did you mean '{near}'?"
        "'{word}' というコマンドも項目もありません。もしかして '{near}' ですか?";
    folder_cannot_be_used(dir)
        "the working directory {dir} cannot be used"
        "作業フォルダー {dir} は使えません";
    is_not_asking(state)
        "the agent is not asking anything; it is {state}"
        "エージェントは何も質問していません。状態は {state}";
    no_such_option(value, options)
        "'{value}' is none of the options: {options}"
        "'{value}' は選択肢にありません: {options}";
    question_stays(seconds, question)
        "the answer was typed, but after {seconds} s the question is still there:\n{question}"
        "答えを入力しましたが、{seconds} 秒たっても質問が残っています:\n{question}";
    held_by_typing()
        "held: somebody is typing in its terminal"
        "保留中: 端末で誰かが入力しています";
    held_by_box(text)
        "held: the box shows {text}"
        "保留中: 入力欄に {text} があります";
    held_by_suspension()
        "held: the program is suspended"
        "保留中: プログラムが一時停止しています";
    held_by_keyboard()
        "held: another program has the keyboard of its terminal"
        "保留中: 端末のキーボードを別のプログラムが使っています";
    unit_is_written(file)
        "wrote {file}"
        "{file} に書き込みました";
    unit_is_enabled()
        "agents are brought back at login; to do it now: synapse up"
        "ログインのときにエージェントを起動し直します。今すぐなら: synapse up";
    unit_is_removed()
        "agents are not brought back at login"
        "ログインのときにエージェントを起動し直しません";
    unfit_for_systemd(what)
        "systemd takes no {what}: a quote, a backslash, a control character, or not UTF-8"
        "{what} は systemd では使えません。引用符、バックスラッシュ、制御文字、または UTF-8 でない文字があります";
    no_systemd(unit)
        "synapse: systemd does not run here for you; where it does: systemctl --user enable {unit}"
        "synapse: ここでは systemd が使えません。使えるところで: systemctl --user enable {unit}";
    no_tmux()
        "there is no tmux session; start an agent in one: synapse start claude --in tmux"
        "tmux のセッションがありません。その中でエージェントを起動するには: synapse start claude --in tmux";
    which_pane()
        "which pane? this runs in none; `synapse adopt --list` has them all"
        "どのペインですか? ここはペインの中ではありません。一覧は: `synapse adopt --list`";
    is_forgotten(alias)
        "{alias} is forgotten"
        "{alias} の登録を消しました";
    cannot_wait_for_itself(handle)
        "{handle} cannot wait for its own answer; leave out --return"
        "{handle} は自分の答えを待てません。--return を外してください";
    files_are_not_sent_again()
        "synapse: the message came with files; they are not sent again"
        "synapse: メッセージに付いていたファイルは、もう一度は送られません";
    is_on_this_machine_only()
        "synapse: this link works on this machine only; for a phone start the hub with --listen 0.0.0.0 --tls self, or with --public-url"
        "synapse: このリンクはこのマシンだけで使えます。スマートフォンからは、--listen 0.0.0.0 --tls self か --public-url を付けてハブを起動してください";
    page_is_served_already(url, pid)
        "the page is served already, at {url} (pid {pid}); `synapse web login` prints a link to it"
        "ページはもう {url} (pid {pid}) にあります。リンクは `synapse web login` が表示します";
    one_agent() "1 agent" "1 件";
    agents(count) "{count} agents" "{count} 件";
    one_waits() "1 waits for an answer" "1 件が応答待ち";
    several_wait(count) "{count} wait for an answer" "{count} 件が応答待ち";
    keys_of_list()
        "↑↓ choose   Enter attach (Ctrl-] d comes back)   q leave"
        "↑↓ 選ぶ   Enter 開く (Ctrl-] d で戻る)   q 終わる";
    column_port() "PORT" "ポート";
    column_asks() "ASKS" "質問";
    task_submitted() "submitted" "順番待ち";
    task_working() "working" "作業中";
    task_asks() "input_required" "応答待ち";
    task_completed() "completed" "完了";
    task_failed() "failed" "失敗";
    task_canceled() "canceled" "取り消し";
    task_rejected() "rejected" "拒否";
    no_agent_runs()
        "no agent is running; start one with: synapse start <profile>"
        "動いているエージェントはありません。起動するには: synapse start <profile>";
    start_it(name)
        "; start it: synapse start {name}"
        "。起動するには: synapse start {name}";
    no_tasks_yet(whom)
        "no tasks yet: synapse send {whom} \"…\""
        "タスクはまだありません: synapse send {whom} \"…\"";
    asks(question)
        "asks: {question}"
        "質問: {question}";
    other_version(version, handle)
        "runs Synapse {version}; to bring it over: synapse restart {handle}"
        "Synapse {version} で動いています。新しい版に移すには: synapse restart {handle}";
    queue_is_empty()
        "nothing waits in its queue"
        "待っているタスクはありません";
    queue_has(count)
        "{count} in its queue"
        "待ちタスク {count} 件";
    sent(handle, task)
        "sent to {handle}; synapse task {task} --follow shows it"
        "{handle} に送りました。経過を見るには: synapse task {task} --follow";
    waits_for_answer(handle)
        "synapse: {handle} is asking something; the message waits until it is answered: synapse status {handle}"
        "synapse: {handle} が質問しています。答えるまでメッセージは待ちます: synapse status {handle}";
    has_message(handle)
        "{handle} has the message"
        "{handle} がメッセージを受け取りました";
    in_queue(handle)
        "{handle} has it in its queue"
        "{handle} の順番待ちです";
    is_working(handle)
        "{handle} is working"
        "{handle} が作業中です";
    asks_something(handle)
        "{handle} asks something"
        "{handle} が質問しています";
    is_over(handle, state)
        "{handle} {state}"
        "{handle}: {state}";
    agent_asks(question)
        "the agent asks: {question}"
        "エージェントの質問: {question}";
    answer_with(command)
        "answer it with: {command}"
        "答えるには: {command}";
    no_answer_yet(task, short)
        "no answer yet; the task {task} goes on: synapse task {short} --follow"
        "まだ答えがありません。タスク {task} は続いています: synapse task {short} --follow";
    stopped_waiting(task, short)
        "stopped waiting; the task {task} goes on: synapse task {short} --follow, or synapse cancel {short}"
        "待つのをやめました。タスク {task} は続いています: synapse task {short} --follow、やめさせるには: synapse cancel {short}";
    task_is(state, why)
        "the task is {state}: {why}"
        "タスクの状態は {state}: {why}";
    reply_rewritten()
        "synapse: the agent has rewritten its reply; here it is whole"
        "synapse: エージェントが返事を書き直しました。全文はこちらです";
    reply_truncated()
        "synapse: the reply is longer than what could be kept of it: its beginning is missing"
        "synapse: 返事が長すぎて、はじめの部分が失われました";
    message_is_empty()
        "the message is empty; give the words after the name, or - for standard input"
        "メッセージが空です。名前の後に書くか、標準入力なら - を付けてください";
    no_other_agent()
        "no other agent is running; start one with: synapse start <profile>"
        "ほかに動いているエージェントはありません。起動するには: synapse start <profile>";
    have_answered(done, count)
        "{done} of {count} have answered"
        "{count} 人中 {done} 人が答えました";
    waiting_to_react(agent)
        "waiting for {agent} to react"
        "{agent} の反応を待っています";
    interrupted(key, was, now)
        "sent {key}: was {was}, is {now}"
        "{key} を送りました: {was} → {now}";
    did_not_react(key, was, now, agent)
        "sent {key}: was {was}, is {now}; it did not react: --key ctrl-c, or synapse stop {agent}"
        "{key} を送りました: {was} → {now}。反応がありません: --key ctrl-c か synapse stop {agent} を試してください";
    heeds_no_key(key, was, now, agent)
        "sent {key}: was {was}, is {now}; it did not react; to end it: synapse stop {agent}"
        "{key} を送りました: {was} → {now}。反応がありません。終了させるには: synapse stop {agent}";
    nothing_runs(state)
        "nothing is running: the agent is {state}"
        "何も実行していません: 状態は {state}";
    waiting_for_question()
        "waiting for the question to go away"
        "質問が消えるのを待っています";
    answered(state)
        "answered; the agent is {state}"
        "答えました。状態は {state}";
    answered_task(state, task)
        "answered; the agent is {state}; synapse task {task} --follow shows what came of it"
        "答えました。状態は {state}。結果を見るには: synapse task {task} --follow";
    no_task_asks(handle)
        "{handle} is at no task, so there is no reply to wait for; leave out --return"
        "{handle} はタスクの途中ではないので、待つ返事がありません。--return を外してください";
    answered_and_ended()
        "answered; the program has ended"
        "答えました。プログラムは終了しました";
    answered_and_asks(question)
        "answered; it asks something else now:\n{question}"
        "答えました。次の質問です:\n{question}";
    nothing_is_asked()
        "nothing is asked"
        "質問はありません";
    is_detached(handle)
        "{handle} is detached; it runs on"
        "{handle} から離れました。エージェントは動き続けます";
    is_gone(handle)
        "{handle} is gone"
        "{handle} は終了しました";
    task_is_canceled(task)
        "the task {task} is canceled"
        "タスク {task} を取り消しました";
    task_is_over(task, state)
        "the task {task} is {state} already"
        "タスク {task} はもう {state} です";
    task_agent_ended(task)
        "the agent of the task {task} has ended"
        "タスク {task} のエージェントは終了しています";
    no_such_task(part)
        "there is no task {part}; synapse tasks lists them"
        "タスク {part} はありません。一覧は: synapse tasks";
    several_tasks(part, names)
        "{part} means several tasks: {names}"
        "{part} に当たるタスクがいくつもあります: {names}";
    no_new_replies()
        "no new replies; --all shows those you have seen"
        "新しい返事はありません。既読は --all で見られます";
    no_replies()
        "no new replies"
        "返事はありません";
    no_external()
        "no external agent is known; add one with: synapse external discover <url>"
        "外部のエージェントは登録されていません。追加するには: synapse external discover <url>";
    link_once()
        "synapse: the link works once, within five minutes; Ctrl-C stops the hub, and agents keep running"
        "synapse: リンクは一度だけ、5 分以内に使えます。Ctrl-C でハブを止めても、エージェントは動き続けます";
    no_hub()
        "no hub is running; `synapse web` starts one and prints a link"
        "ハブは動いていません。`synapse web` が起動してリンクを表示します";
    extension_installed(editor)
        "{editor}: the extension is installed; reload its windows"
        "{editor}: 拡張機能をインストールしました。ウィンドウを再読み込みしてください";
    extension_refused(editor, why)
        "synapse: {editor} did not take the extension: {why}"
        "synapse: {editor} に拡張機能を入れられません: {why}";
    no_extension(shared, near)
        "the extension is neither at {shared} nor at {near}; in a checkout `make vscode` builds it, then: synapse vscode install --vsix vscode/synapse.vsix"
        "拡張機能が {shared} にも {near} にもありません。ソースでは `make vscode` で作り、synapse vscode install --vsix vscode/synapse.vsix で入れます";
    no_such_editor(name)
        "there is no {name} on your PATH"
        "PATH に {name} がありません";
    no_editor(names)
        "none of these editors is on your PATH: {names}; name the command of yours: synapse vscode install COMMAND"
        "PATH にエディターがありません ({names})。コマンド名を指定してください: synapse vscode install COMMAND";
    no_browser(why)
        "synapse: no browser could be opened: {why}"
        "synapse: ブラウザーを開けません: {why}";
    no_browser_link(link)
        "no browser could be opened; the link works once, within five minutes: {link}"
        "ブラウザーを開けません。このリンクは一度だけ、5 分以内に使えます: {link}";
    page_cannot_be_served(address)
        "the page cannot be served at {address}; elsewhere: synapse web --port PORT"
        "{address} でページを公開できません。別のポートなら: synapse web --port PORT";
    page_is_open(url)
        "the page is at {url}; synapse open --print prints a link for another browser"
        "ページは {url} にあります。別のブラウザーのリンクは: synapse open --print";
    no_answer_within(seconds)
        "the agent did not answer within {seconds} s; is it stopped or stuck? synapse doctor"
        "エージェントが {seconds} 秒以内に答えません。止まっていませんか: synapse doctor";
    column_agent() "HANDLE" "名前";
    column_profile() "PROFILE" "種類";
    column_state() "STATE" "状態";
    column_queue() "QUEUE" "待ち";
    column_pid() "PID" "PID";
    column_endpoint() "ENDPOINT" "アドレス";
    column_folder() "DIRECTORY" "フォルダー";
    column_id() "ID" "ID";
    column_for() "AGENT" "宛先";
    column_from() "FROM" "送信元";
    column_age() "AGE" "経過";
    column_branch() "BRANCH" "ブランチ";
    column_message() "MESSAGE" "メッセージ";
    column_conversation() "CONVERSATION" "会話";
    column_last() "LAST" "最後";
    column_first_words() "BEGINS WITH" "最初の言葉";
    idle() "idle" "待機";
    working() "working" "作業中";
    waiting() "waiting" "応答待ち";
    starting() "starting" "起動中";
    stopping() "stopping" "停止中";
    stopped() "stopped" "終了";
    no_answer() "no answer" "応答なし";
}

/// What an agent does, by the word of its `/status`, in the reader's language.
pub(crate) fn state(status: &str) -> String {
    match state_word(status) {
        "idle" => idle(),
        "working" => working(),
        "waiting" => waiting(),
        "starting" => starting(),
        "stopping" => stopping(),
        "stopped" => stopped(),
        _ => no_answer(),
    }
}

/// Where a task stands, in the reader's language.
pub(crate) fn task_state(state: TaskState) -> String {
    match state {
        TaskState::Submitted => task_submitted(),
        TaskState::Working => task_working(),
        TaskState::InputRequired => task_asks(),
        TaskState::Completed => task_completed(),
        TaskState::Failed => task_failed(),
        TaskState::Canceled => task_canceled(),
        TaskState::Rejected => task_rejected(),
    }
}

/// What a host warns of as it starts, in the reader's language.
pub(crate) fn warning(told: &str) -> String {
    told.replace(REPLACED, &token_is_new())
}

/// Why tasks wait although the agent is idle, as its host told it, in the reader's language.
pub(crate) fn held(why: &str) -> String {
    match why.strip_prefix("held: ").unwrap_or(why) {
        "somebody is typing in its terminal" => held_by_typing(),
        "the program is suspended" => held_by_suspension(),
        "another program has the keyboard of its terminal" => held_by_keyboard(),
        other => match other.strip_prefix("the box shows ") {
            Some(text) => held_by_box(text),
            None => why.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in braces, sorted.
    fn places(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn every_text_says_the_same_in_both_languages() {
        // Names that are the same everywhere.
        let same = ["column_pid", "column_id", "is_over"];
        let others = [doctor::ALL, flow::ALL, lifetime::ALL].concat();
        for (name, english, japanese) in ALL.iter().chain(&others) {
            assert_eq!(places(english), places(japanese), "{name}");
            let is_japanese = japanese.chars().any(|c| c as u32 > 0x3000);
            assert!(is_japanese || same.contains(name), "{name}: {japanese}");
            assert!(english.chars().all(|c| (c as u32) < 0x3000), "{name}");
            for command in english.split("synapse ").skip(1) {
                let verb = command.split([' ', '`', ';', ':']).next().unwrap_or("");
                let is_said = japanese.contains(&format!("synapse {verb}"));
                assert!(is_said, "{name} names synapse {verb} in English alone");
            }
        }
    }

    #[test]
    fn the_first_variable_that_is_set_chooses_the_language() {
        let of = |all: &str, messages: &str, lang: &str| {
            let set = |value: &str| Some(OsString::from(value));
            language_of([set(all), set(messages), set(lang)])
        };
        assert_eq!(of("", "", "ja_JP.UTF-8"), Language::Japanese);
        assert_eq!(of("", "", "ja"), Language::Japanese);
        assert_eq!(of("C", "", "ja_JP.UTF-8"), Language::English);
        assert_eq!(of("", "ja_JP", "en_US.UTF-8"), Language::Japanese);
        assert_eq!(of("", "", "jav"), Language::English);
        assert_eq!(language_of([None, None, None]), Language::English);
    }

    #[test]
    fn every_state_has_a_word() {
        let all = [
            "STARTING",
            "BUSY",
            "IDLE",
            "INPUT_REQUIRED",
            "STOPPING",
            "EXITED",
        ];
        let words: std::collections::HashSet<String> = all.map(state).into();
        assert_eq!(words.len(), all.len());
        assert_eq!(state("?"), no_answer());
    }
}
