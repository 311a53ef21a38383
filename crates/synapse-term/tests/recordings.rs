//! All recordings of the real programs, read and compared with the ground truth.

mod score;

use std::sync::Arc;

use score::{Score, play, recordings, score, truth};
use synapse_term::cast::Cast;
use synapse_term::profile::Profile;

#[test]
fn table() {
    let folder = std::env::var("FOLDER").unwrap_or("recordings".into());
    let forced = std::env::var("PROFILE").ok();
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut rows: Vec<(String, Score)> = Vec::new();
    for path in recordings(&folder) {
        let name = format!(
            "{}/{}",
            path.parent()
                .unwrap()
                .file_name()
                .unwrap()
                .to_string_lossy(),
            path.file_stem().unwrap().to_string_lossy()
        );
        if !name.contains(&only) {
            continue;
        }
        let own = name.split('/').next().unwrap().to_owned();
        let profile = forced.clone().unwrap_or(own);
        let profile = Arc::new(
            Profile::builtin(&profile)
                .or_else(|_| Profile::builtin("generic"))
                .unwrap(),
        );
        let cast = Cast::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let run = play(&cast, &profile);
        let s = score(&run, &truth(&path));
        if !only.is_empty() {
            for (t, r, e) in &run.readings {
                println!("   {t:.3} {} {e}", r.state());
            }
            for t in &run.turns {
                println!("   turn {:?} {:?} {:?}", t.typed, t.outcome, t.reply.text);
            }
        }
        rows.push((name, s));
    }
    let (mut right, mut judged) = (0.0, 0.0);
    for (name, s) in &rows {
        right += s.right;
        judged += s.judged;
        let bad = s.right < s.judged - 1e-6
            || s.worst_delay > if forced.is_some() { 2.5 } else { 0.5 }
            || s.missed > 0
            || s.spurious > 0
            || s.prompts_right < s.prompts
            || (forced.is_none() || std::env::var("REPLY").is_ok())
                && (s.recall < 0.99 || s.precision < 0.99);
        println!(
            "{} {name:34} {:6.2}% delay {:5.2} missed {} spurious {} prompts {}/{} reply {:.2}/{:.2}",
            if bad { "✗" } else { " " },
            100.0 * s.right / s.judged.max(1e-9),
            s.worst_delay,
            s.missed,
            s.spurious,
            s.prompts_right,
            s.prompts,
            s.recall,
            s.precision
        );
        if bad {
            for n in &s.notes {
                println!("        {}", n.chars().take(300).collect::<String>());
            }
        }
    }
    println!("total {:.2}% of {judged:.0} s", 100.0 * right / judged);
}
