//! Data for examples.

/// Scores of 178 pupils in reading (`achiv`, observed only above 40) and writing (`langscore`), and their
/// programme (`prog`): the table `hsb2` of the High School and Beyond survey, under the names of the textbook
/// example of truncated regression.
///
/// ```
/// use steinbound_io::{Frame, FrameOptions, examples};
/// let frame = Frame::parse("scores", examples::STUDENT_SCORES.as_bytes(), &FrameOptions::default())?;
/// assert_eq!((frame.names(), frame.len()), (&["achiv", "langscore", "prog"].map(String::from)[..], 178));
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
pub const STUDENT_SCORES: &str = include_str!("../data/student_scores.csv");
