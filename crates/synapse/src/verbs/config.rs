//! `synapse config`: every setting and environment variable, its value, and where it comes from.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use synapse_machine::config::{Config, Setting, VARIABLES, Variable};
use synapse_machine::paths::Paths;

use super::{print, texts};

/// What is shown instead of a secret.
const SECRET: &str = "(set)";

/// One row of the list.
struct SettingRow {
    key: String,
    value: Value,
    source: &'static str,
    line: Option<u64>,
}

pub(crate) fn run(is_json: bool) -> Result<u8> {
    let file = Paths::from_env()?.config();
    let loaded = Config::load(&file)?;
    for warning in &loaded.warnings {
        note!("synapse: {warning}");
    }
    let settings: Vec<SettingRow> = loaded.settings().into_iter().map(setting).collect();
    let variables: Vec<SettingRow> = VARIABLES.iter().map(variable).collect();
    let mut out = print::out();
    if is_json {
        let json = json!({
            "file": file,
            "exists": file.exists(),
            "settings": settings.iter().map(SettingRow::to_json).collect::<Vec<_>>(),
            "environment": variables.iter().map(SettingRow::to_json).collect::<Vec<_>>(),
        });
        print::json(&json)?;
        return Ok(0);
    }
    let missing = if file.exists() {
        String::new()
    } else {
        texts::every_default()
    };
    writeln!(out, "{}{missing}\n", file.display())?;
    print_rows(&mut out, &settings, &file)?;
    writeln!(out, "\n{}", texts::from_environment())?;
    print_rows(&mut out, &variables, &file)?;
    Ok(0)
}

fn print_rows(out: &mut impl std::io::Write, rows: &[SettingRow], file: &Path) -> Result<()> {
    let width = |column: &dyn Fn(&SettingRow) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let keys = width(&|row| row.key.chars().count());
    let values = width(&|row| row.shown().chars().count()).min(40);
    for row in rows {
        let source = match row.line {
            Some(line) => format!("{}:{line}", file.display()),
            None => row.source_in_words(),
        };
        writeln!(out, "{:keys$}  {:values$}  {source}", row.key, row.shown())?;
    }
    Ok(())
}

fn setting(setting: Setting) -> SettingRow {
    SettingRow {
        source: if setting.line.is_some() {
            "file"
        } else {
            "default"
        },
        key: setting.key,
        value: setting.value,
        line: setting.line,
    }
}

fn variable(variable: &Variable) -> SettingRow {
    let value = std::env::var_os(variable.name).filter(|value| !value.is_empty());
    let (value, source) = match value {
        None => (Value::Null, "not set"),
        Some(_) if variable.is_secret => (SECRET.into(), "environment"),
        Some(value) => (value.to_string_lossy().into(), "environment"),
    };
    SettingRow {
        key: variable.name.to_owned(),
        value,
        source,
        line: None,
    }
}

impl SettingRow {
    fn shown(&self) -> String {
        match &self.value {
            Value::Null => "–".to_owned(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }

    fn source_in_words(&self) -> String {
        match self.source {
            "default" => texts::by_default(),
            "environment" => texts::from_environment(),
            "not set" => texts::is_not_set(),
            other => other.to_owned(),
        }
    }

    fn to_json(&self) -> Value {
        json!({ "key": self.key, "value": self.value, "source": self.source, "line": self.line })
    }
}
