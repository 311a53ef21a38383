use std::time::Duration;
use synapse_term::screen::*;
fn main() {
    let mut a = std::env::args().skip(1);
    let path = a.next().unwrap();
    let times: Vec<f64> = a.map(|t| t.parse().unwrap()).collect();
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let h: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let mut s = Screen::new(
        Size::new(h["width"].as_u64().unwrap(), h["height"].as_u64().unwrap()).unwrap(),
    );
    let mut i = 0;
    for l in lines {
        let e: serde_json::Value = serde_json::from_str(l).unwrap();
        let t = e[0].as_f64().unwrap();
        while i < times.len() && times[i] < t {
            show(&mut s, times[i]);
            i += 1;
        }
        if e[1] == "o" {
            s.feed(
                e[2].as_str().unwrap().as_bytes(),
                Duration::from_secs_f64(t),
                |_| {},
            );
        }
    }
    while i < times.len() {
        show(&mut s, times[i]);
        i += 1;
    }
}
fn show(s: &mut Screen, t: f64) {
    let f = s.frame();
    println!(
        "== {t} title={:?} cursor={:?} {:?}",
        f.title, f.cursor, f.modes
    );
    for (i, r) in f.rows.iter().enumerate() {
        if !r.text.is_empty() || !r.runs.is_empty() {
            let runs: Vec<String> = r
                .runs
                .iter()
                .map(|x| {
                    format!(
                        "{}-{}:{:?}/{:?}/{:x}",
                        x.cols.start, x.cols.end, x.style.fg, x.style.bg, x.style.marks.0
                    )
                })
                .collect();
            println!(
                "{i:2}|{}{}\n      {}",
                r.text,
                if r.is_wrapped { "⏎" } else { "" },
                runs.join(" ")
            );
        }
    }
}
