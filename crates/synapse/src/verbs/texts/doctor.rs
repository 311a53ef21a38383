//! What `synapse doctor` says. Its JSON is English, whatever the language.

use std::fmt::Display;

use super::{Language, language};

texts! {
    record_cannot_be_read(path, why)
        "{path} cannot be read: {why}"
        "{path} を読めません: {why}";
    remove_record()
        "the agent that was started so is not brought back by synapse up; remove the file"
        "その記録のエージェントは synapse up では起動し直せません。ファイルを削除してください";
    looking()
        "looking around"
        "確認しています";
    start_again(handle)
        "start it again: synapse stop {handle} && synapse start …"
        "起動し直してください: synapse stop {handle} && synapse start …";
    host_is(handle, pid, version, profile)
        "{handle} is PID {pid}, version {version}, profile {profile}"
        "{handle} は PID {pid}、版 {version}、プロファイル {profile} です";
    no_such_process(host)
        "{host}; there is no such process"
        "{host}。そのプロセスはありません";
    next_list_removes()
        "the next `synapse list` removes its entry"
        "次の `synapse list` が登録を消します";
    bring_over(version, handle)
        "this is {version}; to bring it over: synapse restart {handle}"
        "こちらは {version} です。新しい版に移すには: synapse restart {handle}";
    start_elsewhere()
        "stop it and start it where it can work"
        "停止して、作業できる場所で起動してください";
    folder_is_gone(dir)
        "{dir} is gone"
        "{dir} がなくなっています";
    does_not_answer(endpoint, error)
        "{endpoint} does not answer: {error}"
        "{endpoint} が応答しません: {error}";
    is_stuck(handle)
        "is the host stopped or stuck? synapse stop {handle}"
        "ホストが止まっているか、固まっていませんか: synapse stop {handle}";
    answers_within(endpoint, millis)
        "{endpoint} answers within {millis} ms"
        "{endpoint} は {millis} ms で応答します";
    answer_it(handle)
        "answer it: synapse answer {handle} … (synapse status {handle} shows the options)"
        "答えてください: synapse answer {handle} …（選択肢は synapse status {handle}）";
    look_at_it(handle)
        "if it stays so, look at it: synapse screen {handle}"
        "そのままなら、画面を見てください: synapse screen {handle}";
    no_profile(name)
        "the profile {name} cannot be found from here"
        "プロファイル {name} がここからは見つかりません";
    no_record()
        "none: replies are read from the screen"
        "ありません。返事は画面から読みます";
    record_is_empty(dir)
        "nothing below {dir} since it was started"
        "起動してから {dir} に何も書かれていません";
    before_first_turn()
        "before the first turn that is as it should be; later, replies come from the screen"
        "最初のやりとりの前なら問題ありません。後なら、返事は画面から読みます";
    log_is_missing(handle)
        "what {handle} does goes on; only its log is missing"
        "{handle} の動作には影響ありません。ログだけがありません";
    created_when_needed(path)
        "{path}: created when it is needed"
        "{path}: 必要になったら作られます";
    cannot_be_created(path, above)
        "{path} cannot be created: nothing can be written in {above}"
        "{path} を作れません。{above} に書き込めません";
    set_homes()
        "is HOME yours? SYNAPSE_HOME and A2A_HOME put the folders elsewhere"
        "HOME は自分のものですか。SYNAPSE_HOME と A2A_HOME で別の場所にできます";
    nothing_without_store()
        "until then no agent accepts a task, and none is found"
        "それまでどのエージェントもタスクを受け付けず、検索もできません";
    of_another_version(agents)
        "of another version: {agents}"
        "版が違うもの: {agents}";
    may_enter()
        "see that you may enter the folders above it"
        "上のフォルダーに入れるか確かめてください";
    move_away(path)
        "move it away: mv {path} {path}.old"
        "どけてください: mv {path} {path}.old";
    is_no_folder(path)
        "{path} is not a folder"
        "{path} はフォルダーではありません";
    make_it_yours(path)
        "make it yours: chown -R $(id -un) {path} && chmod 700 {path}"
        "自分のものにしてください: chown -R $(id -un) {path} && chmod 700 {path}";
    cannot_be_written(path)
        "{path} cannot be written"
        "{path} に書き込めません";
    is_open_to_others(path, mode)
        "{path} is open to others (mode {mode})"
        "{path} はほかの人も入れます（モード {mode}）";
    others_can_write(folders)
        "others can write to {folders}, and put there what you would run"
        "ほかの人が {folders} に書き込めます。あなたが実行するものを置かれるかもしれません";
    yours_alone(count)
        "files of yours alone: {count}"
        "あなただけのファイル: {count}";
    read_by_others(open, count, one)
        "{open} of {count} files can be read by others, such as {one}"
        "{count} 個のうち {open} 個のファイルがほかの人にも読めます。たとえば {one}";
    file_read_by_others(path)
        "{path} can be read by others"
        "{path} がほかの人にも読めます";
    file_is_yours(path)
        "{path}, yours alone"
        "{path}、あなただけのもの";
    cannot_find_itself(version, error)
        "{version}, but it cannot find itself: {error}"
        "{version}。ただし自分の場所がわかりません: {error}";
    is_proc_mounted()
        "is /proc mounted? Agents in the background need it"
        "バックグラウンドのエージェントには /proc が必要です。マウントされていますか";
    correct(file)
        "correct {file}"
        "{file} を直してください";
    config_is_missing(file)
        "{file}: missing, so every setting has its default"
        "{file}: ないので、すべて既定値です";
    correct_line()
        "correct it, or remove the line"
        "直すか、その行を消してください";
    folder_is_yours()
        "see that the folder is yours and can be written"
        "フォルダーが自分のもので、書き込めるか確かめてください";
    none_runs()
        "none runs"
        "動いていません";
    agents_run(count, names)
        "{count} run: {names}"
        "{count} 個動作中: {names}";
    host_died(handle, pid)
        "the host of {handle} (PID {pid}) died without cleaning up; its entry was removed"
        "{handle} のホスト (PID {pid}) が後始末せずに終わりました。登録は消しました";
    logs_may_say(handle)
        "synapse logs {handle} may say why"
        "理由は synapse logs {handle} でわかるかもしれません";
    not_understood(path, reason)
        "{path} cannot be understood: {reason}"
        "{path} を読み取れません: {reason}";
    remove_it(path)
        "if no agent needs it: rm {path}"
        "どのエージェントにも要らなければ: rm {path}";
    token_replaced(handle)
        "the previous run of {handle} did not end cleanly, so its token was replaced"
        "{handle} は前回正しく終わらなかったので、トークンを新しくしました";
    give_new_token(path)
        "give the new token, in {path}, to those who had the old one"
        "新しいトークン ({path}) を、前のものを使っていた人に渡してください";
    ports_are_free(free, count, first, last)
        "{free} of {count} ports from {first} to {last} are free"
        "ポート {first}〜{last} の {count} 個のうち {free} 個が空いています";
    let_system_choose()
        "start agents with --port 0: the system chooses one"
        "--port 0 を付けて起動すると、システムが選びます";
    terminals_given()
        "the system gives them out"
        "システムから得られます";
    no_terminals(error)
        "the system provides none: {error}"
        "システムから得られません: {error}";
    is_pts_mounted()
        "is /dev/pts mounted? /proc/sys/kernel/pty/max says how many there may be"
        "/dev/pts はマウントされていますか。上限は /proc/sys/kernel/pty/max にあります";
    set_term()
        "set TERM to what your terminal is, such as xterm-256color"
        "TERM を端末に合わせてください。たとえば xterm-256color";
    term_is_dumb()
        "dumb: agents get xterm-256color instead"
        "dumb です。エージェントには xterm-256color を渡します";
    term_is_unset()
        "not set: agents get xterm-256color"
        "設定されていません。エージェントには xterm-256color を渡します";
    not_installed(package)
        "not installed (npm install -g {package} installs it)"
        "入っていません（npm install -g {package} で入ります）";
    no_version(path)
        "{path} does not report its version"
        "{path} が版を答えません";
    try_version(name)
        "does `{name} --version` work in a shell?"
        "シェルで `{name} --version` は動きますか";
    cli_is(number, path, witnesses, lacks)
        "{number}, {path}; witnesses: {witnesses}; {lacks}"
        "{number}、{path}。根拠: {witnesses}; {lacks}";
    is_verified(about, oldest, newest)
        "{about}; verified ({oldest} to {newest} were)"
        "{about}。確認済みです（{oldest} から {newest} まで）";
    were_verified(about, oldest, newest)
        "{about}; {oldest} to {newest} were verified"
        "{about}。確認したのは {oldest} から {newest} までです";
    is_older(package)
        "it is older than what was verified; npm install -g {package} brings a newer one"
        "確認した版より古いものです。npm install -g {package} で新しくなります";
    is_newer(name)
        "it is newer than what was verified; if a state is read wrong: synapse status {name} --why"
        "確認した版より新しいものです。状態の読み違いがあれば: synapse status {name} --why";
    not_installed_why(why)
        "not installed; {why}"
        "入っていません; {why}";
}
