//! Who hears of progress, notes and warnings while a request is computed.

use steinbound::Warning;

/// What hears of a computation while it runs. Notes and warnings are also part of the answer.
///
/// `()` is a listener that ignores everything.
pub trait Listener: Sync {
    /// Something that the user may want to know.
    fn note(&self, _message: &str) {}

    /// Something that the user should know before trusting the result.
    fn warning(&self, _message: &str) {}

    /// A task of many steps begins, such as `bootstrap` or `test`; it ends when the value is dropped.
    fn task(&self, _name: &'static str) -> Box<dyn Task + '_> {
        Box::new(())
    }
}

/// A task of many steps.
pub trait Task: Sync {
    /// Some of all steps are done; whether to continue.
    fn step(&self, done: usize, total: usize) -> bool;
}

impl Listener for () {}

impl Task for () {
    fn step(&self, _done: usize, _total: usize) -> bool {
        true
    }
}

/// Sends warnings to a listener, one by one.
pub(crate) fn warn_all<'a>(listener: &dyn Listener, warnings: impl IntoIterator<Item = &'a Warning>) {
    warnings.into_iter().for_each(|warning| listener.warning(warning));
}
