//! What the libraries say of errors, in Japanese. Their English is their own.

use synapse::host::NotInstalled;
use synapse_client::external::ExternalError;
use synapse_client::flows::RecordError;
use synapse_client::message::UnsendableFile;
use synapse_machine::handle::{AddressError, Handle, HandleError};
use synapse_machine::prompts::PromptError;
use synapse_machine::registry::{PortError, RegistryError};
use synapse_pty::SpawnError;
use synapse_term::keys::KeyError;

use super::{Language, language};

/// An error as a person is told, with its causes.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let said = match language() {
        Language::English => None,
        Language::Japanese => error.chain().find_map(in_japanese),
    };
    said.unwrap_or_else(|| format!("{error:#}"))
}

/// Why a name leads to no agent.
pub(crate) fn address(error: &AddressError) -> String {
    match language() {
        Language::English => error.to_string(),
        Language::Japanese => of_address(error),
    }
}

/// Why a word cannot be a handle.
pub(crate) fn handle(error: &HandleError) -> String {
    match language() {
        Language::English => error.to_string(),
        Language::Japanese => of_handle(error),
    }
}

fn in_japanese(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let one = error.downcast_ref().and_then(of_registry);
    one.or_else(|| error.downcast_ref().map(of_handle))
        .or_else(|| error.downcast_ref().map(of_address))
        .or_else(|| error.downcast_ref().map(of_absent))
        .or_else(|| error.downcast_ref().and_then(of_spawn))
        .or_else(|| error.downcast_ref().map(of_key))
        .or_else(|| error.downcast_ref().map(of_outgoing))
        .or_else(|| error.downcast_ref().and_then(of_prompt))
        .or_else(|| error.downcast_ref().and_then(of_port))
        .or_else(|| error.downcast_ref().and_then(of_external))
        .or_else(|| error.downcast_ref().and_then(of_run))
}

fn of_address(error: &AddressError) -> String {
    match error {
        AddressError::Nobody { wanted, nearest } => {
            let others = match nearest.as_slice() {
                [] => "動いているエージェントはありません".to_owned(),
                [one] => format!("動いているのは @{one} だけです"),
                several => format!("動いているのは: {}", names(several)),
            };
            format!("'{wanted}' というエージェントはありません。{others}")
        }
        AddressError::Several { wanted, candidates } => {
            let candidates: Vec<String> = candidates.iter().map(ToString::to_string).collect();
            let candidates = candidates.join(", ");
            format!("'{wanted}' に当たるエージェントがいくつもあります: {candidates}")
        }
        AddressError::NoMachine { wanted, known } => {
            let known = known.join(", ");
            format!("メッシュに '{wanted}' というマシンはありません。あるのは: {known}")
        }
        AddressError::Ended { wanted, other } => {
            format!("@{wanted} は終了しました。@{other} は別のエージェントです")
        }
    }
}

fn of_registry(error: &RegistryError) -> Option<String> {
    match error {
        RegistryError::Handle(error) => Some(of_handle(error)),
        RegistryError::NameTaken { handle, pid, .. } => Some(format!(
            "@{handle} は PID {pid} のエージェントが使っています。別の --name を選んでください"
        )),
        RegistryError::File { .. } => None,
    }
}

fn of_handle(error: &HandleError) -> String {
    match error {
        HandleError::Letters(word) => format!(
            "'{word}' は名前にできません。文字、数字、'.'、'_'、'-' だけを使い、文字か数字で始めてください"
        ),
        HandleError::Length(word) => format!("'{word}' は名前として長すぎます"),
        HandleError::Reserved(word) => {
            format!("'{word}' は全員や人を表す語なので、名前にできません")
        }
    }
}

fn of_absent(NotInstalled { program, install }: &NotInstalled) -> String {
    format!("{program}: コマンドが見つかりません。インストールするには: {install}")
}

fn of_spawn(error: &SpawnError) -> Option<String> {
    match error {
        SpawnError::NotFound(program) => {
            let program = program.display();
            Some(format!("{program}: コマンドが見つかりません"))
        }
        SpawnError::Denied(program) => {
            let program = program.display();
            Some(format!("{program}: 実行する権限がありません"))
        }
        _ => None,
    }
}

fn of_key(error: &KeyError) -> String {
    match error {
        KeyError::Missing { word } => format!("\"{word}\" はキーの名前ではありません"),
        KeyError::Unknown { word, nearest } => {
            let near = nearest.as_ref().map(|near| format!("。近い名前: {near}"));
            format!(
                "\"{word}\" というキーはありません{}",
                near.unwrap_or_default()
            )
        }
        KeyError::UnknownModifier { word, modifier } => format!(
            "\"{word}\" の \"{modifier}\" は修飾キーではありません。C-（ctrl）、M-（alt）、S-（shift）を使ってください"
        ),
    }
}

fn of_outgoing(error: &UnsendableFile) -> String {
    match error {
        UnsendableFile::Unreadable { file, why } => {
            format!("{} を送れません: {why}", file.display())
        }
        UnsendableFile::NotAFile(file) => {
            format!("{} を送れません。ファイルではありません", file.display())
        }
        UnsendableFile::TooLong => {
            "メッセージが長すぎます。16 MiB までです。ファイルなら --file で送れます".to_owned()
        }
        UnsendableFile::TooLarge(file) => format!(
            "{} は大きすぎます。一つのメッセージのファイルは合わせて 16 MiB までです",
            file.display()
        ),
    }
}

fn of_prompt(error: &PromptError) -> Option<String> {
    match error {
        PromptError::Missing { name, file, .. } => Some(format!(
            "プロンプト '{name}' はありません。作るには {} に書いてください",
            file.display()
        )),
        _ => None,
    }
}

fn of_port(error: &PortError) -> Option<String> {
    match error {
        PortError::Taken { port, holder } => {
            let whose = match holder {
                Some(entry) => format!("@{}", entry.handle),
                None => "別のプログラム".to_owned(),
            };
            Some(format!("ポート {port} は {whose} が使っています"))
        }
        PortError::AllTaken => {
            Some("空いているポートがありません。--port 0 ならシステムが選びます".to_owned())
        }
        PortError::Refused { .. } => None,
    }
}

fn of_external(error: &ExternalError) -> Option<String> {
    match error {
        ExternalError::Nobody { wanted, .. } => Some(format!(
            "'{wanted}' という外部エージェントはありません。一覧は: synapse external list"
        )),
        _ => None,
    }
}

fn of_run(error: &RecordError) -> Option<String> {
    match error {
        RecordError::Nobody(part) => Some(format!(
            "フローの実行 '{part}' はありません。一覧は: synapse flow list"
        )),
        _ => None,
    }
}

fn names(handles: &[Handle]) -> String {
    let names: Vec<String> = handles.iter().map(|handle| format!("@{handle}")).collect();
    names.join(", ")
}
