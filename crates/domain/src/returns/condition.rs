//! The condition in which a unit arrives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The condition of a unit, as graded by the warehouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Condition {
    N,
    R,
    A,
    B,
    C,
    X,
    TT,
}

impl Condition {
    pub const ALL: [Self; 7] = [Self::N, Self::R, Self::A, Self::B, Self::C, Self::X, Self::TT];

    pub const fn name(self) -> &'static str {
        match self {
            Self::N => "N",
            Self::R => "R",
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::X => "X",
            Self::TT => "TT",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|condition| condition.name() == name)
    }

    /// What it means, for the person who grades. The contract has only the letters.
    pub const fn description(self) -> &'static str {
        match self {
            Self::N => "New, unopened",
            Self::R => "Refurbished",
            Self::A => "Like new",
            Self::B => "Used, good",
            Self::C => "Used, worn",
            Self::X => "Broken",
            Self::TT => "Needs a test",
        }
    }
}
