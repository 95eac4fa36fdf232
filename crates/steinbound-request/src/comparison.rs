//! Several methods and models on the same data, side by side.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use steinbound::fit::{Interrupted, Problem};
use steinbound::inference::{Compared, Comparison, Contender};
use steinbound::model::{Choice, Family};
use steinbound::{Error, Fit, Method, Warning, WarningKind};

use crate::error::RequestError;
use crate::listener::Listener;
use crate::model::{ChosenModel, FamilyRequest, ModelRequest};
use crate::region::{ProjectionUsed, Region, RegionUsed};
use crate::request::Case;
use crate::wording::Wording;

/// A model and what tables call it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedModel<'a> {
    /// The model.
    pub model: ModelRequest<'a>,
    /// Its name in tables.
    pub label: String,
}

impl<'a> NamedModel<'a> {
    /// A model and its name.
    pub fn new(model: ModelRequest<'a>, label: impl Into<String>) -> NamedModel<'a> {
        NamedModel { model, label: label.into() }
    }
}

/// A comparison, of the schema `steinbound.compare/1`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ComparisonAnswer {
    /// The fits, with locations in degrees where there is a projection.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The projection, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projection: Option<ProjectionUsed>,
    /// The region, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionUsed>,
    /// The fits in the coordinates in which they were made, for pictures.
    #[serde(skip)]
    pub flat: Vec<Option<Fit>>,
    /// What the user should know before trusting a fit, beside the warnings of the problem.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
    /// Whether at least one fit can be trusted.
    #[serde(skip)]
    pub is_sound: bool,
}

/// A note or a warning about one of the fits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// Whether it is a warning.
    pub is_warning: bool,
    /// What it is about.
    pub kind: WarningKind,
    /// The text, with the method and the model that it is about.
    pub text: String,
}

/// The methods that use what is known of a region.
///
/// ```
/// use steinbound::Method;
/// use steinbound_request::{Region, default_methods};
/// assert_eq!(default_methods(&Region::default()), [Method::KSD, Method::MLE]);
/// ```
pub fn default_methods(region: &Region) -> Vec<Method> {
    match (&region.domain, &region.boundary) {
        (Some(_), _) => {
            vec![Method::EFFICIENT, Method::TKSD, Method::BDKSD, Method::TRUNCSM, Method::TRUNCATED_MLE]
        }
        (None, Some(_)) => vec![Method::EFFICIENT, Method::TKSD, Method::BDKSD, Method::TRUNCSM],
        (None, None) => vec![Method::KSD, Method::MLE],
    }
}

/// The method whose discrepancy all densities are measured with.
pub fn reference_method(knows_boundary: bool) -> Method {
    if knows_boundary { Method::TKSD } else { Method::KSD }
}

/// One model for each family, and for those with components one for each number of these. What only some of
/// the families can choose is left to them.
///
/// ```
/// use steinbound_request::{FamilyRequest, ModelRequest, choices, family_models};
/// let families = ["gaussian", "mixture"].map(|name| choices::model().find(name).unwrap());
/// let models = family_models(&families, &[2, 3], &FamilyRequest::new(families[0]));
/// let labels: Vec<&str> = models.iter().map(|model| model.label.as_str()).collect();
/// assert_eq!(labels, ["gaussian", "gaussian-mixture 2", "gaussian-mixture 3"]);
/// // A known parameter is that of the models which have it.
/// let families = ["gaussian", "student-t"].map(|name| choices::model().find(name).unwrap());
/// let mut common = FamilyRequest::new(families[0]);
/// common.choices.known = vec![("degrees".into(), 4.0)];
/// let models = family_models(&families, &[], &common);
/// assert!(models.iter().all(|model| matches!(&model.model, ModelRequest::Family(family) if family.build(1, Default::default()).is_ok())));
/// ```
pub fn family_models(
    families: &[&'static dyn Family],
    components: &[usize],
    common: &FamilyRequest,
) -> Vec<NamedModel<'static>> {
    let has = |family: &dyn Family, choice: Choice| family.choices().contains(&choice);
    let some_have = |choice: Choice| families.iter().any(|family| has(*family, choice));
    let mut models = Vec::new();
    for family in families {
        let mut request = FamilyRequest { family: *family, ..common.clone() };
        // What no model of the list has is refused.
        let is_for_others = |choice: Choice| !has(*family, choice) && some_have(choice);
        let choices = &mut request.choices;
        choices.estimate_weights &= !is_for_others(Choice::EstimateWeights);
        choices.known_covariance.take_if(|_| is_for_others(Choice::KnownCovariance));
        choices.covariance.take_if(|_| is_for_others(Choice::Covariance));
        let names = |family: &dyn Family, name: &str| family.parameters().iter().any(|own| own.name == name);
        let is_known_of_others =
            |name: &str| !names(*family, name) && families.iter().any(|other| names(*other, name));
        choices.known.retain(|(name, _)| !is_known_of_others(name));
        let named = |request, label| NamedModel::new(ModelRequest::Family(request), label);
        if has(*family, Choice::Components) && !components.is_empty() {
            models.extend(components.iter().map(|count| {
                let mut request = request.clone();
                request.choices.components = Some(*count);
                named(request, format!("{} {count}", family.name()))
            }));
            continue;
        }
        if !some_have(Choice::Components) {
            request.choices.components = components.first().copied();
        }
        models.push(named(request, family.name().to_string()));
    }
    models
}

impl Case<'_> {
    /// Fits every model by every method. The discrepancies of all are those of `problem`.
    pub fn compare(
        &self,
        problem: &Problem,
        methods: &[Method],
        models: &[NamedModel],
        is_tested: bool,
        listener: &dyn Listener,
    ) -> Result<ComparisonAnswer, RequestError> {
        let settings = self.options.goodness_of_fit()?;
        let chosen = models
            .iter()
            .map(|named| named.model.build(&self.data, None, self.wording))
            .collect::<Result<Vec<ChosenModel>, _>>()?;
        let other =
            |chosen: &ChosenModel| self.region.other_plane_note(chosen.model.as_model(), self.model());
        let mut notes: Vec<String> = chosen.iter().filter_map(other).collect();
        notes.dedup();
        notes.iter().for_each(|note| listener.note(note));
        let mut contenders = Vec::new();
        for (chosen, named) in chosen.iter().zip(models) {
            for method in methods {
                let estimator = self.estimator.clone().method(*method);
                let mut contender = Contender::new(estimator, chosen.model.as_model());
                contender.is_tuned = self.options.is_tuned();
                contender.label = named.label.clone();
                contenders.push(contender);
            }
        }
        let is_stopped = AtomicBool::new(false);
        let task = listener.task("test");
        let step = |done: usize, total: usize| {
            let goes_on = task.step(done, total);
            is_stopped.fetch_or(!goes_on, Ordering::Relaxed);
            goes_on
        };
        let settings = settings.progress(&step);
        let mut comparison =
            Comparison::run(problem, &contenders, &self.data, is_tested.then_some(&settings));
        drop(task);
        if is_stopped.load(Ordering::Relaxed) {
            return Err(Error::from(Interrupted::default()).into());
        }
        let flat = comparison.fits.iter().map(|row| row.fit.clone()).collect();
        for (row, contender) in comparison.fits.iter_mut().zip(&contenders) {
            row.fit = row.fit.take().map(|fit| self.region.unproject_fit(contender.model, fit));
        }
        if comparison.fits.iter().all(|row| row.fit.is_none()) {
            let reasons: Vec<String> = comparison
                .fits
                .iter()
                .enumerate()
                .map(|(k, row)| named(k, row, row.reason.as_deref().unwrap_or_default()))
                .collect();
            let reasons = reasons.join("\n  ");
            return Err(RequestError::refused(format!("no candidate could be fitted\n  {reasons}")));
        }
        let remarks = remarks(&comparison, problem.warnings());
        for remark in &remarks {
            match remark.is_warning {
                true => listener.warning(&remark.text),
                false => listener.note(&remark.text),
            }
        }
        let is_sound = |row: &Compared| row.fit.as_ref().is_some_and(Fit::is_trustworthy);
        Ok(ComparisonAnswer {
            is_sound: comparison.fits.iter().any(is_sound),
            comparison,
            projection: self.region.projection_used(),
            region: self.region.region_used(),
            flat,
            remarks,
        })
    }
}

/// A list without repetitions, of which there is a note.
pub fn distinct<T: Clone>(
    option: &str,
    list: &[T],
    name: impl Fn(&T) -> String,
    wording: Wording,
    listener: &dyn Listener,
) -> Vec<T> {
    let mut kept: Vec<(String, T)> = Vec::new();
    for item in list {
        let name = name(item);
        if kept.iter().any(|(other, _)| *other == name) {
            let option = wording.option(option);
            listener.note(&format!("{option} names {name} more than once; it is used once"));
        } else {
            kept.push((name, item.clone()));
        }
    }
    kept.into_iter().map(|(_, item)| item).collect()
}

/// A text about one of the fits, with its number in the table.
fn named(place: usize, row: &Compared, text: &str) -> String {
    format!("[{}] {}, {}: {text}", place + 1, row.method.name(), row.label)
}

/// What there is to know of fits and tests beside the known warnings, each warning once.
fn remarks(comparison: &Comparison, known: &[Warning]) -> Vec<Remark> {
    let mut seen = known.to_vec();
    let mut remarks = Vec::new();
    for (k, row) in comparison.fits.iter().enumerate() {
        for warning in row.fit.iter().flat_map(|fit| &fit.warnings) {
            if !seen.contains(warning) {
                remarks.push(Remark { is_warning: true, kind: warning.kind(), text: named(k, row, warning) });
                seen.push(warning.clone());
            }
        }
        if let Some(test) = &row.test {
            let remark = |note: &String| Remark {
                is_warning: !test.trustworthy,
                kind: WarningKind::Other,
                text: named(k, row, note),
            };
            remarks.extend(test.notes.iter().map(remark));
        }
    }
    remarks
}
