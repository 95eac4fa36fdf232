//! From files and options to a prepared request.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::Path;

use steinbound::{FitError, Method, Points};
use steinbound_io::map::is_boundary_map;
use steinbound_io::names::{few, shown};
use steinbound_io::{Sheet, TableOptions};
use steinbound_request::{
    Case, Components, MapFacts, ModelRequest, Options, Plane, RegionRequest, Request, Shape, Source, Values,
    options,
};

use crate::failure::Failure;
use crate::model::request;
use crate::options::{DataOptions, GeneralOptions, MethodOptions, WORDING, show_remarks, together};
use crate::output::Output;
use crate::tables::{read_sheet, without_options};
use crate::time_limit;

/// A prepared request, and what is needed to read further files.
pub struct Input {
    case: Case<'static>,
    /// How further files are matched to the data.
    pub matching: Matching,
}

impl Deref for Input {
    type Target = Case<'static>;

    fn deref(&self) -> &Case<'static> {
        &self.case
    }
}

impl Input {
    /// Reads the files, prepares the request, and notes which options have no effect.
    pub fn load(
        general: &GeneralOptions,
        data: &DataOptions,
        model: &Options,
        method: &MethodOptions,
        more: &[&Options],
        at: Option<&Values>,
        output: &Output,
    ) -> Result<Input, Failure> {
        let region = data.given();
        let given = [&region, &*method.given, model].into_iter().chain(more.iter().copied());
        let options = together(general, given);
        let reader = || request(model);
        let input = Input::read(general, data, reader, method.method, options, at, method.verbose, output)?;
        input.situation().all_notes().iter().for_each(|note| output.note(note));
        Ok(input)
    }

    /// The same with the number of components chosen from a range.
    pub fn choosing(self, model: &Options, range: Components, output: &Output) -> Result<Input, Failure> {
        let ModelRequest::Family(family) = request(model)? else { return Ok(self) };
        let Input { case, matching } = self;
        Ok(Input { case: case.choosing(&family, range, output)?, matching })
    }

    /// Reads the files and prepares the request.
    #[allow(clippy::too_many_arguments, reason = "each command has its own set of options")]
    pub fn read(
        general: &GeneralOptions,
        data: &DataOptions,
        model: impl FnOnce() -> Result<ModelRequest<'static>, Failure>,
        method: Method,
        options: Options,
        at: Option<&Values>,
        verbose: bool,
        output: &Output,
    ) -> Result<Input, Failure> {
        general.apply(output)?;
        let table = TableOptions {
            columns: data.columns.clone(),
            weights: data.rows.weights.clone(),
            cluster: data.rows.cluster.clone(),
            drop_missing: data.rows.drop_missing,
            format: data.text.format(),
            ..Default::default()
        };
        let sheet = read_sheet(&data.data, &table, output)?;
        output.note_dropped(sheet.dropped, &sheet.path);
        if let Some(field) = &sheet.doubtful_header {
            output.note(&format!(
                "the first line of {} was taken for a header, although it holds the number {field}",
                sheet.path
            ));
        }
        if verbose {
            let (rows, names) = (sheet.lines.len(), few(sheet.names.iter().map(String::as_str)));
            output.note(&format!("read {rows} rows of {names} from {}", sheet.path));
        }
        if !sheet.left_out.is_empty() {
            let names = few(sheet.left_out.iter().map(String::as_str));
            output.note(&format!("columns that are not numbers are left out: {names}"));
        }
        let matching = Matching {
            names: sheet.names.clone(),
            has_header: sheet.has_header,
            drop_missing: data.rows.drop_missing,
        };
        let path = sheet.path.clone();
        let places = (0..sheet.lines.len()).filter_map(|row| sheet.place(row)).collect();
        let points = sheet.into_points().map_err(|error| Failure::input(format!("{path}: {error}")))?;
        let region = region(data, &points, &matching, output)?;
        let mut request = Request::of(Cow::Owned(points), model()?, method);
        request.region = region;
        request.options = options;
        request.at = at.cloned();
        request.source = Some(Source::new(path, places));
        request.wording = WORDING;
        request.interrupt = time_limit::interrupt();
        Ok(Input { case: request.prepare(output)?, matching })
    }
}

/// Reads boundary and domain.
fn region(
    options: &DataOptions,
    data: &Points,
    matching: &Matching,
    output: &Output,
) -> Result<RegionRequest, Failure> {
    let mut region = RegionRequest::default();
    region.projection = match (options.project, options.no_project) {
        (true, _) => Plane::Projected,
        (false, true) => Plane::AsGiven,
        (false, false) => Plane::WhereInDegrees,
    };
    let normals = options.given_boundary.columns(&options::BOUNDARY_NORMALS);
    match &options.boundary {
        Some(path) if is_boundary_map(path) => {
            if options.domain.is_some() {
                return Err(Failure::input(
                    "the rings of --boundary define the domain; leave --domain out, or give the boundary as points in a .csv file",
                ));
            }
            let map = options.features.read(path, output)?;
            region.is_geographic = map.looks_geographic;
            region.is_in_degrees = map.is_in_degrees;
            region.map = Some(MapFacts::from(&map));
            region.shape = Some(Shape::Polygon(Box::new(map.polygon()?)));
        }
        Some(path) => {
            let (points, normals) = matching.read_boundary(path, &normals, output)?;
            (region.boundary, region.normals) = (Some(points), normals);
        }
        None => {}
    }
    if options.features.is_given() && region.shape.is_none() {
        output.note("--feature and --layer have no effect without a map in --boundary");
    }
    if let Some(spec) = &options.domain {
        spec.maps().into_iter().for_each(|map| show_remarks(map, output));
        region.is_geographic = spec.is_geographic();
        region.is_in_degrees = spec.is_in_degrees();
        region.map = spec.maps().first().map(|map| MapFacts::from(*map));
        region.shape = Some(match spec.polygon() {
            Some(polygon) => Shape::Polygon(Box::new(polygon?)),
            None => Shape::Domain(spec.with_columns(data.names())?.build(data.dimension())?),
        });
    }
    if !normals.is_empty() {
        region.check_normals(WORDING)?;
    }
    Ok(region)
}

/// How further files of points are matched to the data's columns.
pub struct Matching {
    names: Vec<String>,
    has_header: bool,
    drop_missing: bool,
}

impl Matching {
    /// The names of the data's columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Points with the data's columns: by name where both files have headers, else in order.
    pub fn read(&self, what: &str, path: &Path, output: &Output) -> Result<Points<'static>, Failure> {
        points_of(self.sheet(what, path, &[], output)?)
    }

    /// Boundary points, and their normals where their columns are given.
    pub fn read_boundary(
        &self,
        path: &Path,
        columns: &[String],
        output: &Output,
    ) -> Result<(Points<'static>, Option<Points<'static>>), Failure> {
        if !columns.is_empty() && columns.len() != self.names.len() {
            return Err(Failure::input(format!(
                "the columns of --boundary-normals are {} ({}) and those of the data {} ({}); name one for each, in this order",
                columns.len(),
                list(columns),
                self.names.len(),
                list(&self.names)
            )));
        }
        let sheet = self.sheet("boundary", path, columns, output)?;
        let normals = sheet.normals()?;
        if let Some(normals) = &normals {
            let is_ours = |name: &&String| self.has_header && sheet.has_header && self.names.contains(name);
            if let Some(name) = normals.names().iter().find(is_ours) {
                return Err(Failure::input(format!(
                    "--boundary-normals names the column {} of {}, which has a coordinate of the data; name columns with \
                     normals",
                    shown(name),
                    sheet.path
                )));
            }
            if let Some(row) = normals.rows().position(|normal| normal.iter().all(|value| *value == 0.0)) {
                let place = sheet.place(row).map_or_else(String::new, |place| format!(", {place}"));
                let reason = FitError::ZeroNormal { row: row + 1 };
                return Err(Failure::input(format!("{}{place}: {reason}", sheet.path)));
            }
        }
        Ok((points_of(sheet)?, normals))
    }

    /// A table with the data's columns, and those of normals.
    fn sheet(&self, what: &str, path: &Path, normals: &[String], output: &Output) -> Result<Sheet, Failure> {
        let options =
            TableOptions { drop_missing: self.drop_missing, normals: normals.to_vec(), ..Default::default() };
        let mut sheet = read_sheet(path, &options, output).map_err(without_options)?;
        if self.has_header && sheet.has_header && sheet.names != self.names {
            if let Some(matched) = sheet.clone().with_columns(&self.names) {
                sheet = matched;
            } else if sheet.dimension() == self.names.len() {
                let (theirs, ours) = (list(&sheet.names), list(&self.names));
                output.note(&format!(
                    "the columns {theirs} of {} are taken for {ours}, in this order",
                    sheet.path
                ));
            }
        }
        output.note_dropped(sheet.dropped, &sheet.path);
        if sheet.dimension() != self.names.len() {
            return Err(Failure::input(format!(
                "the {what} {} has {} columns ({}) and the data have {} ({}); give the {what} the same columns, or \
                 choose the data's with --columns",
                sheet.path,
                sheet.dimension(),
                list(&sheet.names),
                self.names.len(),
                list(&self.names)
            )));
        }
        Ok(sheet)
    }
}

/// The points of a table, whose path is in the message if there are none.
fn points_of(sheet: Sheet) -> Result<Points<'static>, Failure> {
    let path = sheet.path.clone();
    sheet.into_points().map_err(|error| Failure::input(format!("{path}: {error}")))
}

/// Names for a message, not too many of them.
fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(8).map(|name| shown(name)).collect();
    shown.join(", ") + if names.len() > 8 { ", .." } else { "" }
}
