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
use crate::job::Job;
use crate::predicate::{Asked, Function};
use crate::render::{Forms, forms};

/// A region, in a number of coordinates that may be left open.
#[pyclass(frozen, module = "steinbound._core")]
pub struct Domain {
    shape: Shape,
}

enum Shape {
    Spec(DomainSpec),
    Map(Box<Map>),
    Outside(Py<Domain>),
    Intersection(Vec<Py<Domain>>),
    Union(Vec<Py<Domain>>),
    Where { function: Arc<Function>, bounds: Vec<(f64, f64)> },
}

impl Domain {
    /// The domain for one computation, in `dimension` coordinates if it leaves that open.
    pub fn build(&self, dimension: usize, job: &Arc<Job>) -> Result<Arc<dyn library::Domain>, Failure> {
        let built = |part: &Py<Domain>| part.get().build(dimension, job);
        let all = |parts: &[Py<Domain>]| parts.iter().map(built).collect::<Result<Vec<_>, _>>();
        Ok(match &self.shape {
            Shape::Spec(spec) => spec.build(dimension)?,
            Shape::Map(map) => Arc::new(map.polygon()?),
            Shape::Outside(inner) => Arc::new(library::Complement::new(built(inner)?)),
            Shape::Intersection(parts) => Arc::new(library::Intersection::new(all(parts)?)?),
            Shape::Union(parts) => Arc::new(library::Union::new(all(parts)?)?),
            Shape::Where { function, bounds } => {
                Arc::new(library::Predicate::new(Arc::new(Asked::new(function, job)), bounds.clone())?)
            }
        })
    }

    /// Whether a function in Python is part of it, so that it has to be built for each computation.
    pub fn asks_python(&self) -> bool {
        match &self.shape {
            Shape::Spec(_) | Shape::Map(_) => false,
            Shape::Outside(inner) => inner.get().asks_python(),
            Shape::Intersection(parts) | Shape::Union(parts) => {
                parts.iter().any(|part| part.get().asks_python())
            }
            Shape::Where { .. } => true,
        }
    }

    fn own_dimension(&self) -> Option<usize> {
        match &self.shape {
            Shape::Spec(spec) => spec.dimension(),
            Shape::Map(_) => Some(2),
            Shape::Outside(inner) => inner.get().own_dimension(),
            Shape::Intersection(parts) | Shape::Union(parts) => {
                parts.iter().find_map(|part| part.get().own_dimension())
            }
            Shape::Where { bounds, .. } => Some(bounds.len()),
        }
    }

    /// Whether formulas in it wait for the columns of data.
    fn waits_for_columns(&self) -> bool {
        match &self.shape {
            Shape::Spec(spec) => !spec.is_complete(),
            Shape::Map(_) | Shape::Where { .. } => false,
            Shape::Outside(inner) => inner.get().waits_for_columns(),
            Shape::Intersection(parts) | Shape::Union(parts) => {
                parts.iter().any(|part| part.get().waits_for_columns())
            }
        }
    }

    /// The region of a request: the polygons of a map where it is nothing else, so that they can be
    /// projected.
    pub fn region(&self, dimension: usize, job: &Arc<Job>) -> Result<request::Shape, Failure> {
        Ok(match &self.shape {
            Shape::Map(map) => request::Shape::Polygon(Box::new(map.polygon()?)),
            Shape::Spec(spec) => match spec.polygon() {
                Some(polygon) => request::Shape::Polygon(Box::new(polygon?)),
                None => request::Shape::Domain(self.build(dimension, job)?),
            },
            _ => request::Shape::Domain(self.build(dimension, job)?),
        })
    }

    /// The map, where it is one, and whether its coordinates look like degrees.
    pub fn map(&self) -> (Option<request::MapFacts>, bool) {
        match &self.shape {
            Shape::Map(map) => (Some(request::MapFacts::from(map.as_ref())), map.looks_geographic),
            Shape::Spec(spec) => (None, spec.is_geographic()),
            _ => (None, false),
        }
    }

    /// The domain in the requested number of coordinates, or else its own.
    fn built(&self, dimension: Option<usize>, job: &Arc<Job>) -> Result<Arc<dyn library::Domain>, Failure> {
        self.build(dimension.or(self.own_dimension()).unwrap_or(2), job)
    }

    /// Refuses parts that do not fit together, if that can be seen already.
    fn checked(self, py: Python<'_>) -> Result<Domain, Failure> {
        if !self.waits_for_columns() {
            self.built(None, &Job::new(py, None)?)?;
        }
        Ok(self)
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
        Ok(Domain { shape: Shape::Map(Box::new(map)) })
    }

    /// The polygons of a map file, or of its features with a property of some value.
    #[staticmethod]
    fn from_file(path: std::path::PathBuf, feature: Option<(String, String)>) -> Result<Domain, Failure> {
        let options = MapOptions { features: feature.into_iter().collect(), ..MapOptions::default() };
        let map = read_map(&path, &options)?;
        map.polygon()?;
        Ok(Domain { shape: Shape::Map(Box::new(map)) })
    }

    /// The same domain for data with these columns, which formulas may name.
    fn with_columns(&self, py: Python<'_>, columns: Vec<String>) -> Result<Domain, Failure> {
        let named = |part: &Py<Domain>| -> Result<Py<Domain>, Failure> {
            Ok(Py::new(py, part.get().with_columns(py, columns.clone())?)?)
        };
        let all = |parts: &[Py<Domain>]| parts.iter().map(named).collect::<Result<Vec<_>, _>>();
        let shape = match &self.shape {
            Shape::Spec(spec) => Shape::Spec(spec.with_columns(&columns)?),
            Shape::Map(map) => Shape::Map(map.clone()),
            Shape::Outside(inner) => Shape::Outside(named(inner)?),
            Shape::Intersection(parts) => Shape::Intersection(all(parts)?),
            Shape::Union(parts) => Shape::Union(all(parts)?),
            Shape::Where { function, bounds } => {
                Shape::Where { function: Arc::clone(function), bounds: bounds.clone() }
            }
        };
        Ok(Domain { shape })
    }

    /// What lies outside a domain.
    #[staticmethod]
    fn outside(domain: Py<Domain>) -> Domain {
        Domain { shape: Shape::Outside(domain) }
    }

    /// What lies in all of some domains.
    #[staticmethod]
    fn intersection(py: Python<'_>, domains: Vec<Py<Domain>>) -> Result<Domain, Failure> {
        Domain { shape: Shape::Intersection(domains) }.checked(py)
    }

    /// What lies in at least one of some domains.
    #[staticmethod]
    fn union(py: Python<'_>, domains: Vec<Py<Domain>>) -> Result<Domain, Failure> {
        Domain { shape: Shape::Union(domains) }.checked(py)
    }

    /// The points of a box for which a function of an array of points gives true.
    #[staticmethod]
    fn predicate(
        py: Python<'_>,
        name: String,
        inside: Py<PyAny>,
        bounds: Vec<(f64, f64)>,
    ) -> Result<Domain, Failure> {
        let function = Arc::new(Function { name, inside });
        Domain { shape: Shape::Where { function, bounds } }.checked(py)
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
    fn describe(&self, py: Python<'_>, dimension: Option<usize>) -> Result<String, Failure> {
        Ok(self.built(dimension, &Job::new(py, None)?)?.describe())
    }

    /// Which points lie inside.
    fn contains<'py>(
        &self,
        py: Python<'py>,
        places: PyReadonlyArray2<'py, f64>,
    ) -> Result<Bound<'py, PyArray1<bool>>, Failure> {
        let places = points(&places)?;
        let job = Job::new(py, None)?;
        let domain = self.build(places.dimension(), &job)?;
        check_dimension(domain.as_ref(), places.dimension())?;
        let inside = job.run(py, || Ok::<_, Failure>(domain.contains_all(&places)))?;
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
        let job = Job::new(py, None)?;
        let dimension = near.as_ref().map(|near| near.dimension()).or(dimension);
        let domain = self.built(dimension, &job)?;
        if let Some(near) = &near {
            check_dimension(domain.as_ref(), near.dimension())?;
        }
        let count = count.unwrap_or(default_boundary_count(domain.dimension()));
        let mut wanted = BoundarySampling::new(count).scheme(choices::boundary_sampling().find(sampling)?);
        if let Some(near) = &near {
            wanted = wanted.near(near);
        }
        let found = job.run(py, || domain.sample_boundary(&wanted, &mut stream(seed, tasks::BOUNDARY)))?;
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
        let job = Job::new(py, None)?;
        let dimension = near.as_ref().map(|near| near.dimension()).or(dimension);
        let domain = self.built(dimension, &job)?;
        let mut given = Options::new();
        given.set(&options::SEED, Value::Seed(seed));
        given.set_text(&options::BOUNDARY_SAMPLING, sampling)?;
        if let Some(count) = count {
            given.set(&options::BOUNDARY_POINTS, Value::Count(count));
        }
        let found =
            job.run(py, || request::sample_boundary(domain, near.as_ref(), &given, Wording::Python))?;
        let document = tables::coverage::document(&found.domain, &found.coverage, found.leak);
        Ok((found.json().to_string(), forms(&document)))
    }

    /// The smallest and largest value of each coordinate.
    #[pyo3(signature = (dimension=None))]
    fn bounds(&self, py: Python<'_>, dimension: Option<usize>) -> Result<Vec<(f64, f64)>, Failure> {
        Ok(self.built(dimension, &Job::new(py, None)?)?.bounds())
    }

    /// The boundary in the plane as curves within a window.
    fn outline<'py>(
        &self,
        py: Python<'py>,
        window: [(f64, f64); 2],
    ) -> Result<Vec<Bound<'py, PyArray2<f64>>>, Failure> {
        let job = Job::new(py, None)?;
        let domain = self.build(2, &job)?;
        let curves = job.run(py, || Ok::<_, Failure>(domain.outline(window)))?;
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
