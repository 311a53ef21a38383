//! The files that Synapse reads and writes.

use std::path::{Path, PathBuf};

use crate::paths::Paths;

/// Every file and folder of Synapse, and what it is; the texts are Markdown.
pub fn files(paths: &Paths) -> Vec<(PathBuf, &'static str)> {
    vec![
        (paths.config(), "The settings above. Only you write it."),
        (paths.profiles(), "Your own profiles, one YAML file each."),
        (
            paths.prompts(),
            "Prompts of your own, one Markdown file each: [prompts.md](prompts.md).",
        ),
        (
            paths.prices(),
            "What models cost, where you know better: [usage.md](usage.md). Only you write it.",
        ),
        (
            paths.notify(),
            "Who is told when an agent needs somebody, and the keys for Web Push: [web.md](web.md).",
        ),
        (
            paths.own_certificate().0,
            "The certificate of `synapse web --tls self`; its key is beside it.",
        ),
        (
            Paths::project_profiles(Path::new(".")),
            "Profiles that come with a project; used once you agree to them with `synapse profile trust`.",
        ),
        (
            paths.trusted_profiles(),
            "The project profiles that you agreed to, by content.",
        ),
        (
            paths.flows(),
            "Your own flows, one YAML file each: [flows.md](flows.md).",
        ),
        (
            paths.flow_runs(),
            "What the runs of flows leave beside their events, a folder each.",
        ),
        (
            paths.store(),
            "Tasks, their events and the replies: [store.md](store.md).",
        ),
        (
            paths.tasks(),
            "Files that came with messages, a folder for each task.",
        ),
        (
            paths.tokens(),
            "The tokens of agents, mode 0600: [security.md](security.md).",
        ),
        (
            paths.launches(),
            "How each agent was started, for `synapse up` and `synapse restart`.",
        ),
        (
            paths.up_lock(),
            "Held by `synapse up` or `synapse restart` while it starts agents.",
        ),
        (paths.logs(), "The logs of agents, and `input_router.log`."),
        (
            paths.web(),
            "Devices that may see the page, and login codes.",
        ),
        (paths.auto_answer(), "The rules of auto-answer."),
        (paths.hub(), "Held by the hub that runs."),
        (
            paths.detour(),
            "Leads the browser to the page on `synapse web --open`.",
        ),
        (
            paths.mcp(),
            "How programs that read it from a file reach `synapse mcp`.",
        ),
        (
            paths.mesh(),
            "The mesh this machine is in: its key (0600), the server's files, who is there: [mesh.md](mesh.md).",
        ),
        (
            paths.hooks(),
            "The sockets on which hosts hear the hooks of their programs.",
        ),
        (
            paths.programs(),
            "What Synapse found out about the programs it started, such as their versions.",
        ),
        (paths.shell_history(), "The lines typed in `synapse-shell`."),
        (paths.registry(), "The agents that run, one file each."),
        (
            paths.external(),
            "Agents on other machines, one file each: [external.md](external.md).",
        ),
    ]
}
