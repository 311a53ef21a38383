//! How one part of Synapse reaches another: the HTTP client, the agents of this machine and elsewhere, who a name
//! means, and how a sleeping agent is started.
#![forbid(unsafe_code)]

pub mod address;
pub mod client;
pub mod external;
pub mod native;
pub mod own;
pub mod parcel;
pub mod wake;
