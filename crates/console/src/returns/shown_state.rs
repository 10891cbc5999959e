//! Which state of a return its page shows: the newest one, or the one after an earlier event.

use app::{
    AppError,
    returns::return_story::{ReturnStory, journal_steps::EventMark},
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
        let unknown = || AppError::NotFound("event of the return");
        let position = story.marks.iter().position(|mark| mark.number == number);
        let position = position.ok_or_else(unknown)?;
        if position + 1 == story.marks.len() {
            return Ok(Self::newest(story));
        }
        let rma = story.past.as_ref().ok_or_else(unknown)?;
        Ok(Self { rma, links: links_at(story, position).ok_or_else(unknown)? })
    }

    pub(super) fn newest(story: &'a ReturnStory) -> Self {
        let number = newest_number(story);
        let before = story.marks.iter().rev().nth(1);
        let links = StateLinks {
            number,
            newest: number,
            past: None,
            previous_url: before.map(|mark| state_url(story, mark)),
            next_url: None,
            newest_url: return_url(story.rma.rma_identifier.as_str()),
        };
        Self { rma: &story.rma, links }
    }
}

/// The way from the state after the event at this position.
fn links_at(story: &ReturnStory, position: usize) -> Option<StateLinks> {
    let mark = story.marks.get(position)?;
    let before = position.checked_sub(1).and_then(|before| story.marks.get(before));
    Some(StateLinks {
        number: mark.number,
        newest: newest_number(story),
        past: Some(TimeElement(mark.at)),
        previous_url: before.map(|mark| state_url(story, mark)),
        next_url: story.marks.get(position + 1).map(|mark| state_url(story, mark)),
        newest_url: return_url(story.rma.rma_identifier.as_str()),
    })
}

fn newest_number(story: &ReturnStory) -> i64 {
    story.marks.last().map_or(0, |mark| mark.number)
}

fn state_url(story: &ReturnStory, mark: &EventMark) -> String {
    return_state_url(story.rma.rma_identifier.as_str(), mark.number)
}
