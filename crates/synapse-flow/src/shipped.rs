//! The flows that come with Synapse.

/// Their names and texts.
pub const FLOWS: [(&str, &str); 4] = [
    ("review", include_str!("../flows/review.yaml")),
    ("debate", include_str!("../flows/debate.yaml")),
    ("race", include_str!("../flows/race.yaml")),
    ("triage", include_str!("../flows/triage.yaml")),
];

/// The text of one of them.
pub fn text(name: &str) -> Option<&'static str> {
    let mut flows = FLOWS.iter();
    flows
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use crate::Flow;

    #[test]
    fn every_flow_that_ships_is_in_order_and_has_the_name_of_its_file() {
        for (name, text) in super::FLOWS {
            let flow = Flow::parse(text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
            assert_eq!(flow.name, name);
            assert!(flow.about.is_some(), "{name}");
        }
    }
}
