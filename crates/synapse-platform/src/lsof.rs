//! What `lsof` says of TCP connections: who owns one where the kernel has no question for it.

use std::net::SocketAddr;

/// Who has the socket that talks from `from` to `to`: the user, and the processes.
pub(crate) fn holders(said: &str, from: SocketAddr, to: SocketAddr) -> Option<(u32, Vec<i32>)> {
    let wanted = format!("{from}->{to}");
    let (mut pid, mut user) = (None, None);
    let mut found: Option<(u32, Vec<i32>)> = None;
    // A field a line, named by its first character; those of a process come before those of its files.
    for line in said.lines() {
        match line.split_at_checked(1) {
            Some(("p", number)) => (pid, user) = (number.parse().ok(), None),
            Some(("u", number)) => user = number.parse().ok(),
            Some(("n", name)) if name == wanted => {
                if let (Some(pid), Some(user)) = (pid, user) {
                    let (_, pids) = found.get_or_insert((user, Vec::new()));
                    pids.push(pid);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holders_of_one_connection_are_found() {
        let said = "p10\nu501\nf3\nn127.0.0.1:40000->127.0.0.1:8100\np11\nu501\nf7\nn127.0.0.1:8100->127.0.0.1:40000\n\
                    p12\nu501\nf3\nn127.0.0.1:40000->127.0.0.1:8100\nf4\nn[::1]:5->[::1]:6\np13\nf1\nn127.0.0.1:1->127.0.0.1:2";
        let find = |from: &str, to: &str| holders(said, from.parse().unwrap(), to.parse().unwrap());
        assert_eq!(
            find("127.0.0.1:40000", "127.0.0.1:8100"),
            Some((501, vec![10, 12]))
        );
        assert_eq!(
            find("127.0.0.1:8100", "127.0.0.1:40000"),
            Some((501, vec![11]))
        );
        assert_eq!(find("[::1]:5", "[::1]:6"), Some((501, vec![12])));
        assert_eq!(find("127.0.0.1:4000", "127.0.0.1:8100"), None);
        assert_eq!(
            find("127.0.0.1:1", "127.0.0.1:2"),
            None,
            "whose is not said"
        );
    }
}
