//! The scheduler against a random world: merchants that answer, dawdle, refuse and
//! die, a disk that commits late, operators, and crashes.
//!
//! A history follows from its seed alone. `world` acts it out and `model` knows what
//! is true and rejects every step that breaks a guarantee. Run more of it with
//! `HOMEWARD_SIMULATION_SEEDS=2000 cargo test --release simulation`; a failure prints
//! its seed, and `HOMEWARD_SIMULATION_SEED=17 cargo test simulation` replays it.

mod model;
mod operators;
mod world;

use self::world::SimulatedWorld;

/// Histories that `cargo test` acts out.
const SEEDS_DEFAULT: u64 = 12;

/// Names the seed when its history fails.
struct SeedReport(u64);

impl Drop for SeedReport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("replay with HOMEWARD_SIMULATION_SEED={}", self.0);
        }
    }
}

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

#[test]
fn no_history_breaks_a_guarantee() {
    let seeds = match number_from("HOMEWARD_SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number_from("HOMEWARD_SIMULATION_SEEDS").unwrap_or(SEEDS_DEFAULT),
    };
    let (mut steps, mut slowest_us) = (0_u64, 0);
    for seed in seeds {
        let _report = SeedReport(seed);
        let mut world = SimulatedWorld::new(seed);
        world.act();
        steps += world.steps;
        slowest_us = slowest_us.max(world.model.slowest_us);
    }
    println!("{steps} steps; the longest wait at a healthy endpoint was {slowest_us} us");
}

#[test]
fn a_seed_gives_the_same_history_twice() {
    let [first, second] = [7, 7].map(|seed| {
        let mut world = SimulatedWorld::new(seed);
        world.act();
        (world.steps, world.now_us, world.model.trace)
    });
    assert_eq!(first, second);
}
