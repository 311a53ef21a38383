//! What `synapse flow` says of flows and their runs. Its JSON is English, whatever the language.

use std::fmt::Display;

use super::{Language, language};

texts! {
    running() "running" "実行中";
    done() "done" "完了";
    failed() "failed" "失敗";
    stopped() "stopped" "停止";
    lost() "lost" "中断";
    column_flow() "FLOW" "フロー";
    column_from() "FROM" "出所";
    column_about() "ABOUT" "説明";
    column_run() "RUN" "実行";
    column_state() "STATE" "状態";
    column_started() "STARTED" "開始";
    column_folder() "FOLDER" "フォルダー";
    not_trusted()
        "not trusted: synapse flow trust FILE"
        "信頼されていません: synapse flow trust FILE";
    is_in_order(file, name)
        "{file}: the flow '{name}' is in order"
        "{file}: フロー '{name}' に問題はありません";
    no_such_agent(name)
        "there is no agent '{name}': none runs, none elsewhere is known by it, and there is no profile of that name"
        "エージェント '{name}' がありません。動いておらず、外部にも登録がなく、その名前のプロファイルもありません";
    is_trusted(file)
        "{file}: trusted as it is now"
        "{file}: 今の内容を信頼しました";
    runs_commands()
        "; it runs commands"
        "。コマンドを実行します";
    agents_do_not_answer()
        "no agent answers for a person: answer it on the page or in a terminal of your own"
        "エージェントは人の代わりに答えられません。ページか、自分の端末で答えてください";
    asks_nothing(id, step)
        "the run {id} asks nothing{step}"
        "実行 {id} は何も質問していません{step}";
    at_step(step)
        " at the step '{step}'"
        "（ステップ '{step}'）";
    several_ask(steps)
        "several steps ask: {steps}; say which with --step"
        "複数のステップが質問しています: {steps}。--step で選んでください";
    no_answer_to(value, question, options)
        "'{value}' is no answer to '{question}'; answers are {options}"
        "'{value}' は '{question}' の答えになりません。答えは {options} です";
    no_answer(typed, options)
        "'{typed}' is no answer: {options}"
        "'{typed}' は答えになりません: {options}";
    nobody_runs_it(step, value, id)
        "{step}: {value}; nobody runs it now: synapse flow resume {id}"
        "{step}: {value}。今は動いていません: synapse flow resume {id}";
    run_is(name, state)
        "{name} is {state}"
        "{name} は {state}";
    goes_on(id)
        "; synapse flow resume {id} goes on"
        "。続けるには: synapse flow resume {id}";
    goes_on_with_done(id)
        "synapse flow resume {id} goes on with what is done"
        "終わったところから続けるには: synapse flow resume {id}";
    process_is_gone(id)
        "synapse: its process is gone; synapse flow resume {id} goes on"
        "synapse: プロセスがなくなっています。続けるには: synapse flow resume {id}";
    not_by_file()
        "an agent may start a flow by its name, not by a file"
        "エージェントはフローを名前で起動できますが、ファイルでは起動できません";
    not_for_agents(name)
        "the flow '{name}' runs commands, and its owner has not marked it with agents: true; no agent may start it"
        "フロー '{name}' はコマンドを実行しますが、agents: true の指定がないので、エージェントは起動できません";
    nothing_to_resume(id)
        "the run {id} is done; there is nothing to go on with"
        "実行 {id} は完了しています。続けるものはありません";
    is_run(name, id)
        "{name} is run {id}"
        "{name} の実行は {id} です";
    round(number) " (round {number})" "（{number} 回目）";
    nothing_to_do() "nothing to do" "することはありません";
    and_more(count) "… and {count} more" "… ほか {count} 件";
    done_of(done, all) "{done} of {all}" "{all} 件中 {done} 件完了";
    attempt(number) "attempt {number}" "試行 {number} 回目";
    asks_agent(agent) "asks {agent}" "{agent} に頼みます";
    runs(command) "runs {command}" "実行します: {command}";
    is_done(step) "{step}: done" "{step}: 完了";
    has_failed(step, why) "{step}: failed: {why}" "{step}: 失敗: {why}";
    is_canceled(step, why) "{step}: canceled: {why}" "{step}: 取り消し: {why}";
    says(step, who, answer) "{step}: {who} says {answer}" "{step}: {who} の答え: {answer}";
    stopped_by(who) "stopped by {who}" "{who} が停止しました";
    resumed(id) "resumed {id}" "{id} を再開しました";
    step_asks(step, question, id, options)
        "{step} asks: {question} (synapse flow answer {id} {options})"
        "{step} の質問: {question}（synapse flow answer {id} {options}）";
    or(first, second) "{first} or {second}" "{first} か {second}";
    millis(count) "{count} ms" "{count} ミリ秒";
    seconds(count) "{count} s" "{count} 秒";
    minutes(minutes, seconds) "{minutes} min {seconds} s" "{minutes} 分 {seconds} 秒";
    seconds_ago(count) "{count} s ago" "{count} 秒前";
    minutes_ago(count) "{count} min ago" "{count} 分前";
    hours_ago(count) "{count} h ago" "{count} 時間前";
    days_ago(count) "{count} d ago" "{count} 日前";
}

/// How a run stands, by its name on the wire.
pub(crate) fn state(word: &str) -> String {
    match word {
        "running" => running(),
        "stopping" => super::stopping(),
        "done" => done(),
        "failed" => failed(),
        "stopped" => stopped(),
        _ => lost(),
    }
}

/// What can be answered.
pub(crate) fn options(options: &[String]) -> String {
    let mut options = options.iter();
    let first = options.next().cloned().unwrap_or_default();
    options.fold(first, or)
}
