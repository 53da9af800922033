//! Whether a comma is due between events, and whether one is where it should be.

/// What stands before the next event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Commas {
    /// The bracket that opens the events.
    #[default]
    Opening,
    Event,
    Comma,
    /// Something broken, noted as such; what is missing there is part of the damage.
    Damage,
}

impl Commas {
    /// Takes an event; true where a comma is missing before it.
    #[inline]
    pub(super) fn event(&mut self) -> bool {
        std::mem::replace(self, Self::Event) == Self::Event
    }

    /// Takes a comma; true where none may stand.
    #[inline]
    pub(super) fn comma(&mut self) -> bool {
        matches!(std::mem::replace(self, Self::Comma), Self::Comma | Self::Opening)
    }

    /// True where the end of the events comes behind a comma.
    pub(super) fn closing(self) -> bool {
        self == Self::Comma
    }

    /// Takes something broken.
    pub(super) fn damage(&mut self) {
        *self = Self::Damage;
    }
}
