//! Which state of a return its page shows: the newest one, or the one after an earlier event.

use app::{
    AppError,
    returns::{history::PastState, return_story::ReturnStory},
};
use domain::returns::rma::Rma;
use serde::Deserialize;

use crate::core::{
    format::TimeElement,
    urls::{return_state_url, return_url},
};

/// The query of the page.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct StateQuery {
    /// The number of the event after which the return is shown.
    #[serde(default)]
    pub(super) event: Option<i64>,
}

/// A state of a return, and its place among the others.
pub(super) struct ShownState<'a> {
    pub(super) rma: &'a Rma,
    pub(super) links: StateLinks,
}

/// Where the shown state stands, and the way to the others.
pub(super) struct StateLinks {
    /// The event that led to it, and the newest one. 0 if the return is older than its journal.
    pub(super) number: i64,
    pub(super) newest: i64,
    /// When the event happened. None for the newest state, which is shown without a banner.
    pub(super) past: Option<TimeElement>,
    pub(super) previous_url: Option<String>,
    pub(super) next_url: Option<String>,
    pub(super) newest_url: String,
}

impl<'a> ShownState<'a> {
    /// The state after this event, or the newest one if none is named.
    pub(super) fn select(story: &'a ReturnStory, event: Option<i64>) -> Result<Self, AppError> {
        let Some(number) = event else { return Ok(Self::newest(story)) };
        let states = &story.states;
        let position = states.iter().position(|state| state.event.number == number);
        let position = position.ok_or(AppError::NotFound("event of the return"))?;
        let is_newest = position + 1 == states.len();
        match states.get(position).filter(|_| !is_newest) {
            Some(state) => Ok(Self::past(story, position, state)),
            None => Ok(Self::newest(story)),
        }
    }

    pub(super) fn newest(story: &'a ReturnStory) -> Self {
        let number = newest_number(story);
        let before = story.states.iter().rev().nth(1);
        let links = StateLinks {
            number,
            newest: number,
            past: None,
            previous_url: before.map(|state| state_url(story, state)),
            next_url: None,
            newest_url: return_url(story.rma.rma_identifier.as_str()),
        };
        Self { rma: &story.rma, links }
    }

    fn past(story: &'a ReturnStory, position: usize, state: &'a PastState) -> Self {
        let before = position.checked_sub(1).and_then(|before| story.states.get(before));
        let links = StateLinks {
            number: state.event.number,
            newest: newest_number(story),
            past: Some(TimeElement(state.event.at)),
            previous_url: before.map(|state| state_url(story, state)),
            next_url: story.states.get(position + 1).map(|state| state_url(story, state)),
            newest_url: return_url(story.rma.rma_identifier.as_str()),
        };
        Self { rma: &state.rma, links }
    }
}

fn newest_number(story: &ReturnStory) -> i64 {
    story.states.last().map_or(0, |state| state.event.number)
}

fn state_url(story: &ReturnStory, state: &PastState) -> String {
    return_state_url(story.rma.rma_identifier.as_str(), state.event.number)
}
