//! How one part of Synapse reaches another: the HTTP client, the agents of this machine and elsewhere, who a name
//! means, and how a sleeping agent is started.
#![forbid(unsafe_code)]

pub mod address;
pub mod auto_start;
pub mod client;
pub mod current_agent;
pub mod delivery;
pub mod external;
pub mod flows;
pub mod growth;
pub mod lineage;
pub mod mesh;
pub mod message;
pub mod native;
pub mod pace;
