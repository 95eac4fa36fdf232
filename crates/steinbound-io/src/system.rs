//! What can be done about errors of the system.

/// The remedy for an error of the machine rather than of a name or its permissions, from the error as the system
/// spells it, such as `Too many open files (os error 24)`; `None` for any other.
///
/// ```
/// let error = std::io::Error::from_raw_os_error(24);
/// # if cfg!(unix) {
/// assert!(steinbound_io::remedy(&error.to_string()).is_some_and(|remedy| remedy.contains("ulimit -n")));
/// # }
/// assert_eq!(steinbound_io::remedy("No such file or directory (os error 2)"), None);
/// ```
pub fn remedy(reason: &str) -> Option<&'static str> {
    let (_, code) = reason.rsplit_once("(os error ")?;
    let code: i32 = code.split_once(')')?.0.parse().ok()?;
    // These are the same on all systems of the kind.
    const EIO: i32 = 5;
    const ENOMEM: i32 = 12;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    const EFBIG: i32 = 27;
    const ENOSPC: i32 = 28;
    let remedy = match code {
        _ if !cfg!(unix) => return None,
        EIO => "check the disk",
        ENOMEM => "allow more memory",
        ENFILE => "close other programs, or let the system open more files",
        EMFILE => "allow more open files (ulimit -n)",
        EFBIG => "allow larger files (ulimit -f)",
        ENOSPC => "free some space",
        code if code == QUOTA => "free some space, or ask for a larger quota",
        _ => return None,
    };
    Some(remedy)
}

/// The quota of the disk is used up.
const QUOTA: i32 = if cfg!(target_os = "linux") { 122 } else { 69 };

/// The remedy of the machine's error, or else the usual one.
pub(crate) fn remedy_or(reason: &str, usual: &'static str) -> &'static str {
    remedy(reason).unwrap_or(usual)
}

/// The remedy of the machine's error as a further part of a message.
pub(crate) fn further(reason: &str) -> String {
    remedy(reason).map(|remedy| format!("; {remedy}")).unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_machine_have_a_remedy_of_their_own() {
        let of =
            |code: i32| remedy(&format!("reading it failed: {}", std::io::Error::from_raw_os_error(code)));
        assert_eq!(of(27), Some("allow larger files (ulimit -f)"));
        assert_eq!(of(28), Some("free some space"));
        assert_eq!(of(13), None);
        for reason in ["", "it is a folder", "(os error", "(os error x)", "(os error 24"] {
            assert_eq!(remedy(reason), None, "{reason}");
        }
        assert_eq!(remedy_or("permission denied (os error 13)", "check it"), "check it");
        assert_eq!(further("x (os error 5)"), "; check the disk");
    }
}
