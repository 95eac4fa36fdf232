use steinbound_plot::Figure;

/// A figure, the same for narrow screens, and the words below it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// The figure.
    pub figure: Figure,
    /// The figure for narrow screens, where text of the wide one would be too small to read.
    pub narrow: Figure,
    /// Its meaning, and how to read it.
    pub caption: String,
}

/// The width of figures on narrow screens.
pub(crate) const NARROW: f64 = 360.0;

impl Picture {
    /// A figure with its caption, which also describes it to those who cannot see it.
    pub fn new(figure: Figure, caption: impl Into<String>) -> Picture {
        let caption = caption.into();
        let figure = figure.describe(caption.clone());
        Picture { narrow: figure.stacked(NARROW), figure, caption }
    }

    /// The same with another figure on narrow screens.
    pub(crate) fn on_narrow_screens(mut self, figure: Figure) -> Picture {
        self.narrow = figure.describe(self.caption.clone());
        self
    }
}
