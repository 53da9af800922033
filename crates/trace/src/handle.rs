//! Typed handles: an index that can only be used with the table that made it.

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(u32);

            impl $name {
                /// The row as an index; always inside the table that made the handle.
                pub const fn index(self) -> usize {
                    self.0 as usize
                }

                pub(crate) const fn new(index: u32) -> Self {
                    Self(index)
                }
            }
        )+
    };
}

handles! {
    /// A device activity.
    ActivityId,
    /// A host call into the runtime or the driver.
    CallId,
    /// A Python frame.
    FrameId,
    /// A stream of a device.
    LaneId,
    /// An interned text.
    NameId,
    /// A framework operator.
    OpId,
    /// A range that the program annotated.
    RangeId,
    /// A launch shape.
    ShapeId,
    /// An interned call stack.
    StackId,
    /// A host thread.
    ThreadId,
}
