//! What is said while agents are started, stopped and brought back.

use std::fmt::Display;

use super::{Language, language};

texts! {
    agent_is_no_task(handle)
        "{handle} is an agent, no task; to stop what it does: synapse interrupt {handle}"
        "{handle} はタスクではなくエージェントです。作業を止めるには: synapse interrupt {handle}";
    watch_needs_a_terminal()
        "list --watch needs a terminal; use list --json in programs"
        "list --watch は端末で使います。プログラムからは list --json を使ってください";
    attach_needs_a_terminal(handle)
        "standard input is not a terminal, so nobody could type; its screen: synapse screen {handle}"
        "標準入力が端末ではないので、入力できません。画面を見るには: synapse screen {handle}";
    wrapping_needs_a_terminal(profile)
        "standard input is not a terminal, so nothing can be wrapped in it; in the background: synapse start {profile}"
        "標準入力が端末ではないので、ここでは包めません。バックグラウンドなら: synapse start {profile}";
    one_has_ended(handle)
        "; one of that name has ended: synapse logs {handle}"
        "。その名前のエージェントは終了しました: synapse logs {handle}";
    no_record_to_restart(handle)
        "{handle} cannot be started again from here: it is not written down how it was started; end it and start it by hand"
        "{handle} はここからは起動し直せません。どう起動したかの記録がありません。終了させて、手で起動してください";
    adopted_is_not_restarted(handle)
        "{handle} was adopted: its program was not started by Synapse, and goes on when the agent is stopped; restart the program itself, then: synapse adopt"
        "{handle} は取り込んだエージェントです。プログラムは Synapse が起動したものではなく、エージェントを停止しても動き続けます。プログラムを起動し直してから: synapse adopt";
    is_around_this_command(handle)
        "{handle} is the agent that this command runs in, and would end it; from another terminal: synapse restart {handle}"
        "このコマンドは {handle} の中で動いており、再起動すると自分も終わります。別の端末から: synapse restart {handle}";
    is_left_out(why)
        "left out: {why}"
        "対象外: {why}";
    another_starts_agents()
        "another synapse up or restart is starting agents"
        "別の synapse up か restart がエージェントを起動しています";
    runs_in_own_terminal(handle, command)
        "{handle} runs in a terminal of its own: end it there, then: {command}"
        "{handle} は自分の端末で動いています。そこで終了させてから: {command}";
    asks_before_restart(handle)
        "{handle} asks something; answer it first, or: synapse restart {handle} --now"
        "{handle} が質問しています。先に答えるか: synapse restart {handle} --now";
    nothing_to_stop()
        "no agent is running"
        "動いているエージェントはありません";
    is_starting(name)
        "{name} is starting"
        "{name} を起動しています";
    is_started(name)
        "synapse: {name} is started"
        "synapse: {name} を起動しました";
    token_is_new()
        "the previous run did not end cleanly, so the token is new: give it to those who had the old one"
        "前回は正常に終了しなかったので、トークンが新しくなりました。古いトークンを使っていた相手に渡してください";
    is_stopping(handle)
        "{handle} is stopping"
        "{handle} を停止しています";
    is_no_agent(handle)
        "{handle} is no agent any more; its program goes on in its pane"
        "{handle} はエージェントではなくなりました。プログラムはペインで動き続けています";
    up_again()
        "synapse up starts them again"
        "synapse up で再び起動できます";
    is_stopped(handle)
        "{handle} is stopped"
        "{handle} を停止しました";
    name_agents_to_stop()
        "name the agents to stop, or stop all of them: synapse stop --all"
        "停止するエージェントの名前を書いてください。すべて停止するには: synapse stop --all";
    name_agents_to_restart()
        "name the agents to restart, or restart all of them: synapse restart --all"
        "再起動するエージェントの名前を書いてください。すべて再起動するには: synapse restart --all";
    tried_again(handle)
        "  the next `synapse up` tries it again; not to bring it back: synapse stop {handle}"
        "  次の `synapse up` でもう一度試します。起動し直さないなら: synapse stop {handle}";
    is_not_noted(error)
        "its record cannot be written ({error}), so that the next `synapse up` may do otherwise than it should"
        "記録を書き込めません ({error})。次の `synapse up` は期待どおりに動かないかもしれません";
    record_cannot_be_read(path, why)
        "{path} cannot be read: {why}; the agent that was started so is not brought back; remove the file"
        "{path} を読めません: {why}。その記録のエージェントは起動し直せません。ファイルを削除してください";
    store_cannot_be_used(error)
        "{error}; until it can be used, agents refuse tasks, and messages that were not begun are not known"
        "{error}。使えるようになるまで、エージェントはタスクを受け付けず、未着手のメッセージもわかりません";
    is_not_brought_back(handle)
        "{handle} does not run; it is not brought back"
        "{handle} は動いていません。起動し直さないことにしました";
    nothing_to_bring_back()
        "nothing to bring back: no agent went down with the machine or with stop --all"
        "起動し直すものはありません: 電源断や stop --all で終わったエージェントはありません";
    not_begun(words, handle, task)
        "  not begun: {words}; to send it: synapse send {handle} --again {task}"
        "  未着手: {words}。送るには: synapse send {handle} --again {task}";
    waiting_for_rest(handle)
        "waiting until {handle} rests"
        "{handle} の手が空くのを待っています";
    waiting_for_rest_while(handle, state, queue)
        "{handle} is {state}, {queue} in its queue"
        "{handle} は {state}、待ちタスク {queue} 件";
    would_start(handle, dir)
        "{handle} would be started in {dir}, with a new conversation"
        "{dir} で {handle} を新しい会話で起動します";
    would_start_with(handle, name, dir)
        "{handle} would be started in {dir}, with its conversation ({name})"
        "{dir} で {handle} を会話 ({name}) の続きから起動します";
    has_another_name(name, handle)
        "  it was {handle}, a name that another agent has: it is {name}"
        "  元の名前 {handle} は別のエージェントが使っているので、{name} にします";
    is_not_continued(name, why)
        "the conversation {name} could not be continued: {why}"
        "会話 {name} は続けられませんでした: {why}";
    conversation_is_open(name, handle)
        "the conversation {name} is open in another agent, {handle}"
        "会話 {name} は別のエージェント {handle} が開いています";
    is_back_with(handle, name, dir)
        "{handle} is back with its conversation ({name}) in {dir}"
        "{dir} の {handle} が会話 ({name}) の続きから戻りました";
    is_back(handle, dir)
        "{handle} is back, with a new conversation in {dir}"
        "{dir} の {handle} が新しい会話で戻りました";
    cannot_be_started(handle, why)
        "{handle} cannot be started: {why}"
        "{handle} を起動できません: {why}";
    continues_no_conversation(name, able)
        "the profile {name} does not say how a conversation is continued (`resume`); of those that come with Synapse these do: {able}"
        "プロファイル {name} には会話の続け方 (`resume`) がありません。付属のプロファイルで続けられるのは: {able}";
    no_conversation_name(name)
        "'{name}' is no name of a conversation: letters, digits, -, _ and . are"
        "'{name}' は会話の名前ではありません。使えるのは英数字、-、_、. です";
    no_conversations(name, dir)
        "no conversation of {name} in {dir} is known; name one: --resume ID"
        "{dir} に {name} の会話は見つかりません。名前を指定してください: --resume ID";
    continue_with(name)
        "to continue one: synapse start {name} --resume CONVERSATION"
        "続けるには: synapse start {name} --resume 会話";
    which_conversation(count)
        "which one? 1 to {count}, Enter for the first:"
        "どれを続けますか? 1〜{count}、Enter は先頭:";
    nothing_chosen()
        "nothing was chosen"
        "選ばれませんでした";
}
