//! Regions, as text or geometry.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use steinbound::domain::{self as library, BoundarySampling, default_boundary_count};
use steinbound::simulate::{stream, tasks};
use steinbound_io::{DomainSpec, Map, MapOptions, read_map};
use steinbound_request::{self as request, Options, Value, Wording, choices, options, tables};

use crate::arrays::{of_points, of_rows, points};
use crate::error::Failure;
use crate::render::{Forms, forms};

/// A region, in a number of coordinates that may be left open.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Domain {
    shape: Shape,
}

enum Shape {
    Spec(DomainSpec),
    Map(Map),
    Outside(Py<Domain>),
    Intersection(Vec<Py<Domain>>),
}

impl Domain {
    /// The domain, in `dimension` coordinates if it leaves that open.
    pub fn build(&self, dimension: usize) -> Result<Arc<dyn library::Domain>, Failure> {
        Ok(match &self.shape {
            Shape::Spec(spec) => spec.build(dimension)?,
            Shape::Map(map) => Arc::new(map.polygon()?),
            Shape::Outside(inner) => Arc::new(library::Complement::new(inner.get().build(dimension)?)),
            Shape::Intersection(parts) => {
                let parts = parts.iter().map(|part| part.get().build(dimension)).collect::<Result<_, _>>()?;
                Arc::new(library::Intersection::new(parts)?)
            }
        })
    }

    fn own_dimension(&self) -> Option<usize> {
        match &self.shape {
            Shape::Spec(spec) => spec.dimension(),
            Shape::Map(_) => Some(2),
            Shape::Outside(inner) => inner.get().own_dimension(),
            Shape::Intersection(parts) => parts.iter().find_map(|part| part.get().own_dimension()),
        }
    }

    /// The region of a request: the polygons of a map where it is nothing else, so that they can be
    /// projected.
    pub fn region(&self, dimension: usize) -> Result<request::Shape, Failure> {
        Ok(match &self.shape {
            Shape::Map(map) => request::Shape::Polygon(Box::new(map.polygon()?)),
            Shape::Spec(spec) => match spec.polygon() {
                Some(polygon) => request::Shape::Polygon(Box::new(polygon?)),
                None => request::Shape::Domain(self.build(dimension)?),
            },
            _ => request::Shape::Domain(self.build(dimension)?),
        })
    }

    /// The domain in the requested number of coordinates, or else its own.
    fn built(&self, dimension: Option<usize>) -> Result<Arc<dyn library::Domain>, Failure> {
        self.build(dimension.or(self.own_dimension()).unwrap_or(2))
    }
}

#[pymethods]
impl Domain {
    /// A domain as the command line writes it, such as ``ball(radius=2)``.
    #[new]
    fn new(spec: &str) -> Result<Domain, Failure> {
        Ok(Domain { shape: Shape::Spec(DomainSpec::parse(spec)?) })
    }

    /// The polygons of a map in memory; the ending of its name tells the format.
    #[staticmethod]
    fn from_map(name: &str, text: &str) -> Result<Domain, Failure> {
        let mut map = Map::parse(name, text.as_bytes(), &MapOptions::default())?;
        map.path = "the geometry".to_string();
        map.polygon()?;
        Ok(Domain { shape: Shape::Map(map) })
    }

    /// The polygons of a map file, or of its features with a property of some value.
    #[staticmethod]
    fn from_file(path: std::path::PathBuf, feature: Option<(String, String)>) -> Result<Domain, Failure> {
        let map = read_map(&path, &MapOptions { feature })?;
        map.polygon()?;
        Ok(Domain { shape: Shape::Map(map) })
    }

    /// What lies outside a domain.
    #[staticmethod]
    fn outside(domain: Py<Domain>) -> Domain {
        Domain { shape: Shape::Outside(domain) }
    }

    /// What lies in all of some domains.
    #[staticmethod]
    fn intersection(domains: Vec<Py<Domain>>) -> Result<Domain, Failure> {
        let domain = Domain { shape: Shape::Intersection(domains) };
        domain.built(None)?;
        Ok(domain)
    }

    /// The number of coordinates, where the domain tells.
    #[getter]
    fn dimension(&self) -> Option<usize> {
        self.own_dimension()
    }

    /// What looks wrong with a map.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        match &self.shape {
            Shape::Map(map) => map.warnings.clone(),
            _ => Vec::new(),
        }
    }

    /// What it is, in words.
    #[pyo3(signature = (dimension=None))]
    fn describe(&self, dimension: Option<usize>) -> Result<String, Failure> {
        Ok(self.built(dimension)?.describe())
    }

    /// Which points lie inside.
    fn contains<'py>(
        &self,
        py: Python<'py>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray1<bool>>, Failure> {
        let places = points(&places)?;
        let domain = self.build(places.dimension())?;
        check_dimension(domain.as_ref(), places.dimension())?;
        let inside: Vec<bool> = py.detach(|| places.rows().map(|x| domain.contains(x)).collect());
        Ok(PyArray1::from_vec(py, inside))
    }

    /// Points on the boundary.
    #[pyo3(signature = (count, seed, sampling, dimension=None, near=None))]
    fn sample_boundary<'py>(
        &self,
        py: Python<'py>,
        count: Option<usize>,
        seed: u64,
        sampling: &str,
        dimension: Option<usize>,
        near: Option<PyReadonlyArray2<'py, f64>>,
    ) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        let near = near.as_ref().map(points).transpose()?;
        let domain = self.built(near.as_ref().map(|near| near.dimension()).or(dimension))?;
        if let Some(near) = &near {
            check_dimension(domain.as_ref(), near.dimension())?;
        }
        let count = count.unwrap_or(default_boundary_count(domain.dimension()));
        let mut wanted = BoundarySampling::new(count).scheme(choices::boundary_sampling().find(sampling)?);
        if let Some(near) = &near {
            wanted = wanted.near(near);
        }
        let found = py.detach(|| domain.sample_boundary(&wanted, &mut stream(seed, tasks::BOUNDARY)))?;
        Ok(of_points(py, &found)?)
    }

    /// Points on the boundary and how well they cover it: the JSON of ``steinbound boundary``, and its table.
    #[pyo3(signature = (count, seed, sampling, dimension=None, near=None))]
    fn coverage<'py>(
        &self,
        py: Python<'py>,
        count: Option<usize>,
        seed: u64,
        sampling: &str,
        dimension: Option<usize>,
        near: Option<PyReadonlyArray2<'py, f64>>,
    ) -> Result<(String, Forms), Failure> {
        let near = near.as_ref().map(points).transpose()?;
        let domain = self.built(near.as_ref().map(|near| near.dimension()).or(dimension))?;
        let mut given = Options::new();
        given.set(&options::SEED, Value::Seed(seed));
        given.set_text(&options::BOUNDARY_SAMPLING, sampling)?;
        if let Some(count) = count {
            given.set(&options::BOUNDARY_POINTS, Value::Count(count));
        }
        let found = py.detach(|| request::sample_boundary(domain, near.as_ref(), &given, Wording::Python))?;
        let document = tables::coverage::document(&found.domain, &found.coverage, found.leak);
        Ok((found.json().to_string(), forms(&document)))
    }

    /// The smallest and largest value of each coordinate.
    #[pyo3(signature = (dimension=None))]
    fn bounds(&self, dimension: Option<usize>) -> Result<Vec<(f64, f64)>, Failure> {
        Ok(self.built(dimension)?.bounds())
    }

    /// The boundary in the plane as curves within a window.
    fn outline<'py>(
        &self,
        py: Python<'py>,
        window: [(f64, f64); 2],
    ) -> Result<Vec<Bound<'py, PyArray2<f64>>>, Failure> {
        let domain = self.build(2)?;
        let curves = py.detach(|| domain.outline(window));
        let flat = |curve: Vec<[f64; 2]>| of_rows(py, curve.into_iter().flatten().collect(), 2);
        Ok(curves.into_iter().map(flat).collect::<PyResult<_>>()?)
    }
}

/// Refuses points that are not of the domain's space.
pub fn check_dimension(domain: &dyn library::Domain, dimension: usize) -> Result<(), Failure> {
    if domain.dimension() == dimension {
        return Ok(());
    }
    Err(Failure::Value(format!(
        "the {} has {} coordinates and the points have {dimension}; give both the same number",
        domain.describe(),
        domain.dimension()
    )))
}

/// The rings of the contiguous United States, in degrees of longitude and latitude.
#[pyfunction]
pub fn united_states(py: Python<'_>) -> Result<Vec<Bound<'_, PyArray2<f64>>>, Failure> {
    let states = library::contiguous_united_states()?;
    let flat = |ring: &Vec<[f64; 2]>| of_rows(py, ring.iter().flatten().copied().collect(), 2);
    Ok(states.rings().iter().map(flat).collect::<PyResult<_>>()?)
}
