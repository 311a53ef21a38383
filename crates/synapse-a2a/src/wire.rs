//! The domain as it goes over the wire, in the dialects others speak.

pub mod sse;
