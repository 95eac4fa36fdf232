//! The READMEs and the pages of the book that have examples in Rust: they are compiled and run as tests. They
//! are not part of the library's crate, because a package cannot hold files from beside it.

macro_rules! pages {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($path)]
            mod $name {}
        )*
    };
}

pages! {
    readme: "../README.md",
    library: "../crates/steinbound/README.md",
    own_density: "src/guide/own_density.md",
    trust: "src/guide/trust.md",
}
