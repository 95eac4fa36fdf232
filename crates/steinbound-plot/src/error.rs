//! Errors in the conversion of a drawing to a picture file.

/// The reason why no PNG could be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The text is not an SVG drawing.
    #[error("not an SVG drawing: {0}; pass the result of Figure::to_svg")]
    Svg(String),
    /// The picture would have no pixels, or too many.
    #[error(
        "a picture of {width} x {height} pixels cannot be made; choose a scale that gives 1 to {limit} pixels each way"
    )]
    Size {
        /// Width in pixels.
        width: f64,
        /// Height in pixels.
        height: f64,
        /// The largest number of pixels in each direction.
        limit: u32,
    },
    /// More memory is needed than there is.
    #[error(transparent)]
    Memory(#[from] steinbound::MemoryError),
    /// The pixels could not be encoded.
    #[error("the picture could not be written as PNG: {0}; try a smaller scale")]
    Encode(String),
}
