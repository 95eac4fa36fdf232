//! Calls to other crates that may panic on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// The result of a task; `None` if it panics, in which case nothing is printed.
///
/// Data that the task was changing must not be used after a panic.
pub(crate) fn guarded<T>(task: impl FnOnce() -> T) -> Option<T> {
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                usual(panic);
            }
        }));
    });
    let before = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(task));
    IS_GUARDED.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_answer() {
        let list = [1, 2];
        let at = |place: usize| guarded(|| list[place]);
        assert_eq!((at(1), at(2)), (Some(2), None));
        assert!(!IS_GUARDED.get());
    }
}
