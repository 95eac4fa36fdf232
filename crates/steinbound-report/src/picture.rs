use steinbound_plot::Figure;

/// A figure and the words below it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// The figure.
    pub figure: Figure,
    /// Its meaning, and how to read it.
    pub caption: String,
}

impl Picture {
    /// A figure with its caption, which also describes it to those who cannot see it.
    pub fn new(figure: Figure, caption: impl Into<String>) -> Picture {
        let caption = caption.into();
        Picture { figure: figure.describe(caption.clone()), caption }
    }
}
