//! What hostile output, messages, repositories and neighbours try, and do not get. SECURITY.md names each test.

mod children;
mod homes;
mod itself;
mod messages;
mod neighbours;
mod output;
mod printing;
mod projects;
