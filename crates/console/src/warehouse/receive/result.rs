//! The result of the last form, which the next page shows first.

/// The result of the last form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchResult {
    Received,
    /// The same unit, or the same form, was sent again.
    AlreadyReceived,
    /// The same form was sent before with other content.
    AlreadyUsed,
    /// The unit is set aside as an exception.
    SetAside,
    /// The person at the bench identified the unit.
    Recognized,
    /// Another person resolved the exception in the meantime.
    AlreadyResolved,
    Closed,
    /// The input is not a condition.
    NotACondition,
    /// The next unit was scanned before this one got its condition.
    ConditionMissing,
    /// The unit was rejected, and its merchant was told.
    Rejected,
    /// The input is not a reason.
    NotAReason,
    /// The receipt of the unit was corrected.
    Corrected,
    /// The receipt of the unit was removed.
    TakenBack,
    /// The receipt can no longer be corrected.
    NotCorrectable,
    /// The unit was received for the return that the person chose.
    Matched,
}

impl BenchResult {
    pub(super) const ALL: [Self; 15] = [
        Self::Received,
        Self::AlreadyReceived,
        Self::AlreadyUsed,
        Self::SetAside,
        Self::Recognized,
        Self::AlreadyResolved,
        Self::Closed,
        Self::NotACondition,
        Self::ConditionMissing,
        Self::Rejected,
        Self::NotAReason,
        Self::Corrected,
        Self::TakenBack,
        Self::NotCorrectable,
        Self::Matched,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::AlreadyReceived => "again",
            Self::AlreadyUsed => "used",
            Self::SetAside => "asked",
            Self::Recognized => "recognised",
            Self::AlreadyResolved => "decided",
            Self::Closed => "closed",
            Self::NotACondition => "no-condition",
            Self::ConditionMissing => "first",
            Self::Rejected => "rejected",
            Self::NotAReason => "no-reason",
            Self::Corrected => "corrected",
            Self::TakenBack => "taken-back",
            Self::NotCorrectable => "too-late",
            Self::Matched => "matched",
        }
    }

    /// What is wrong with the input for the current unit.
    pub(super) const fn fault(self) -> Option<&'static str> {
        match self {
            Self::ConditionMissing => {
                Some("Enter the condition of this unit before you scan the next one.")
            }
            Self::NotACondition => Some("This is not a condition. Type one of the codes below."),
            Self::NotAReason => Some("Type the number of a reason, or a reason of some words."),
            Self::Rejected
            | Self::Corrected
            | Self::TakenBack
            | Self::NotCorrectable
            | Self::Matched
            | Self::Received
            | Self::AlreadyReceived
            | Self::AlreadyUsed
            | Self::SetAside
            | Self::Recognized
            | Self::AlreadyResolved
            | Self::Closed => None,
        }
    }
}
