//! Regions as users have them, with data from a known truth.

use std::sync::Arc;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use steinbound::domain::{
    Ball, Complement, Cuboid, Domain, HalfSpace, Intersection, LevelSet, Norm, Polygon,
    contiguous_united_states,
};
use steinbound::model::{Gaussian, GaussianMixture, Model};
use steinbound::regression::{ResponseLimit, TruncatedRegression};
use steinbound::{Estimator, Matrix, Points, simulate};

/// A density behind a region, the model that is fitted, and the parameters that it should report.
pub struct Setting {
    pub name: &'static str,
    pub region: Arc<dyn Domain>,
    pub model: Arc<dyn Model>,
    /// In the order of the reported parameters.
    pub truth: Vec<f64>,
    /// The same, as the model is fitted.
    pub theta: Vec<f64>,
}

impl Setting {
    fn new(
        name: &'static str,
        region: impl Domain + 'static,
        model: impl Model + 'static,
        truth: &[f64],
    ) -> Setting {
        let theta = model.fitted_from(truth).unwrap();
        Setting { name, region: Arc::new(region), model: Arc::new(model), truth: truth.to_vec(), theta }
    }

    /// A sample of exactly this many observations inside the region.
    pub fn sample(&self, count: usize, seed: u64) -> Points<'static> {
        let rng = &mut simulate::stream(seed, 0);
        simulate::truncated(self.model.as_ref(), &self.theta, self.region.as_ref(), count, rng)
            .unwrap()
            .points
    }
}

/// A mean followed by the identity.
fn standard(mean: &[f64]) -> Vec<f64> {
    let d = mean.len();
    let triangle = (0..d).flat_map(|i| (i..d).map(move |j| f64::from(i == j)));
    mean.iter().copied().chain(triangle).collect()
}

fn unit(d: usize) -> Gaussian {
    Gaussian::with_variance(d, 1.0).unwrap()
}

fn cube(d: usize, half: f64) -> Cuboid {
    Cuboid::uniform(-half, half, d).unwrap()
}

/// The ball of the paper's benchmark in this many dimensions.
pub fn ball(d: usize, name: &'static str) -> Setting {
    let region = Ball::new((d as f64).powf(0.53)).unwrap().in_dimension(d);
    Setting::new(name, region, unit(d), &vec![0.5; d])
}

pub fn box_mean() -> Setting {
    Setting::new("box of half-width 1.2, d = 2, mean", cube(2, 1.2), unit(2), &[0.5, 0.5])
}

pub fn box_full() -> Setting {
    let truth = standard(&[0.5, 0.5]);
    Setting::new("box of half-width 2, d = 2, mean and covariance", cube(2, 2.0), Gaussian::full(2), &truth)
}

pub fn box_of_four() -> Setting {
    let truth = standard(&[0.5; 4]);
    Setting::new("box of half-width 2, d = 4, mean and covariance", cube(4, 2.0), Gaussian::full(4), &truth)
}

pub fn united_states() -> Setting {
    let border = contiguous_united_states().unwrap();
    let model = Gaussian::with_variance(2, 10.0).unwrap();
    Setting::new("United States, mean", border, model, &[-115.0, 35.0])
}

pub fn two_modes() -> Setting {
    let model = GaussianMixture::new(2, 2).unwrap().with_variance(1.0).unwrap();
    Setting::new("two modes in a box, means", cube(2, 3.0), model, &[-1.5, -1.5, 1.5, 1.5])
}

pub fn disc() -> Setting {
    let region = Ball::new(1.44).unwrap().in_dimension(2);
    Setting::new(
        "disc of radius 1.44, mean and covariance",
        region,
        Gaussian::full(2),
        &standard(&[0.5, 0.5]),
    )
}

pub fn ring() -> Setting {
    let hole = Complement::new(Arc::new(Ball::new(1.0).unwrap().in_dimension(2)));
    let parts: Vec<Arc<dyn Domain>> = vec![Arc::new(Ball::new(3.0).unwrap().in_dimension(2)), Arc::new(hole)];
    let region = Intersection::new(parts).unwrap();
    Setting::new("ring 1 < |x| < 3, mean and covariance", region, Gaussian::full(2), &standard(&[0.5, 0.0]))
}

pub fn interval() -> Setting {
    let region = Cuboid::interval(-1.0, 2.0).unwrap();
    Setting::new("interval, d = 1, mean and variance", region, Gaussian::full(1), &[0.3, 1.0])
}

pub fn cross_polytope() -> Setting {
    let region = Ball::new(2.5).unwrap().in_dimension(3).with_norm(Norm::One);
    let truth = standard(&[0.3, 0.0, 0.0]);
    Setting::new("l1 ball, d = 3, mean and covariance", region, Gaussian::full(3), &truth)
}

pub fn ball_of_five() -> Setting {
    let region = Ball::new(2.5).unwrap().in_dimension(5);
    Setting::new(
        "ball of radius 2.5, d = 5, mean and covariance",
        region,
        Gaussian::full(5),
        &standard(&[0.3; 5]),
    )
}

pub fn whole_united_states() -> Setting {
    let border = contiguous_united_states().unwrap();
    let truth = [-112.0, 37.0, 20.0, 3.0, 9.0];
    Setting::new("United States, mean and covariance", border, Gaussian::full(2), &truth)
}

pub fn strip() -> Setting {
    let side = |sign: f64| -> Arc<dyn Domain> { Arc::new(HalfSpace::new(vec![0.0, sign], -1.0).unwrap()) };
    let region = Intersection::new(vec![side(1.0), side(-1.0)]).unwrap();
    Setting::new("strip |x2| < 1, mean and covariance", region, Gaussian::full(2), &standard(&[0.0, 0.3]))
}

pub fn half_space() -> Setting {
    let region = HalfSpace::new(vec![1.0, 0.5], 0.2).unwrap();
    Setting::new("half-plane, mean and covariance", region, Gaussian::full(2), &standard(&[0.0, 0.0]))
}

fn square_ring(half: f64) -> Vec<[f64; 2]> {
    vec![[-half, -half], [half, -half], [half, half], [-half, half]]
}

pub fn square_with_hole() -> Setting {
    let region = Polygon::new(vec![square_ring(2.0), square_ring(0.5)]).unwrap();
    Setting::new(
        "square with a square hole, mean and covariance",
        region,
        Gaussian::full(2),
        &standard(&[0.3, 0.2]),
    )
}

pub fn u_shape() -> Setting {
    let corners = [
        [-2.0, -2.0],
        [2.0, -2.0],
        [2.0, 2.0],
        [1.0, 2.0],
        [1.0, -1.0],
        [-1.0, -1.0],
        [-1.0, 2.0],
        [-2.0, 2.0],
    ];
    let region = Polygon::new(vec![corners.to_vec()]).unwrap();
    Setting::new("U-shaped polygon, mean and covariance", region, Gaussian::full(2), &standard(&[0.0, 0.0]))
}

/// A long state with a ragged coast, and islands before it.
pub fn ragged_coast() -> Setting {
    let coast = (0..=60).map(|i| {
        let t = f64::from(i) / 60.0;
        let ragged = 0.18 * (37.0 * t).sin() + 0.1 * (91.0 * t + 1.0).sin();
        [-2.4 + 3.6 * t + ragged, 3.6 - 7.2 * t + 0.5 * ragged]
    });
    let inland = [[2.85, -3.6], [2.85, -1.5], [0.3, 1.35], [0.3, 3.6]];
    let outline: Vec<[f64; 2]> = coast.chain(inland).collect();
    let island = |x: f64, y: f64, size: f64| -> Vec<[f64; 2]> {
        (0..9)
            .map(|i| {
                let angle = f64::from(i) / 9.0 * std::f64::consts::TAU;
                let radius = size * (1.0 + 0.3 * (3.0 * angle).sin());
                [x + radius * angle.cos(), y + 0.6 * radius * angle.sin()]
            })
            .collect()
    };
    let rings = vec![outline, island(-1.8, -0.6, 0.4), island(-1.05, -1.65, 0.3), island(-0.6, -2.85, 0.45)];
    let region = Polygon::new(rings).unwrap();
    Setting::new(
        "ragged coast with islands, mean and covariance",
        region,
        Gaussian::full(2),
        &standard(&[0.2, -0.8]),
    )
}

pub fn cylinder() -> Setting {
    let wall: Arc<dyn Domain> = Arc::new(LevelSet::parse("x1^2 + x2^2 - 2.25", 3).unwrap());
    let ends: Arc<dyn Domain> = Arc::new(LevelSet::parse("x3^2 - 4", 3).unwrap());
    let region = Intersection::new(vec![wall, ends]).unwrap();
    Setting::new(
        "cylinder, d = 3, mean and covariance",
        region,
        Gaussian::full(3),
        &standard(&[0.3, 0.0, 0.5]),
    )
}

/// The paper's regression with this many observations above the limit: data, estimator and truth.
pub struct Line {
    pub prepared: steinbound::regression::PreparedRegression,
}

pub const LINE: [f64; 3] = [3.0, 4.0, 1.0];

impl Line {
    pub fn new(count: usize, seed: u64) -> Line {
        let rng = &mut simulate::stream(seed, 0);
        let (mut y, mut x) = (Vec::new(), Vec::new());
        while y.len() < count {
            let place: f64 = rng.random();
            let noise: f64 = StandardNormal.sample(rng);
            let response = LINE[0] + LINE[1] * place + LINE[2] * noise;
            if response >= 5.0 {
                y.push(response);
                x.push(place);
            }
        }
        let x = Matrix::from_fn(count, 1, |i, _| x[i]);
        let regression = TruncatedRegression::new("y", y).covariates(["x"], x);
        Line { prepared: regression.lower(ResponseLimit::Constant(5.0)).build(0).unwrap() }
    }

    pub fn fit(&self, estimator: Estimator) -> Result<steinbound::Fit, steinbound::Error> {
        self.prepared.estimator(&estimator).fit(&self.prepared.points, &self.prepared.model)
    }
}
