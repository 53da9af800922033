//! The tables of the answer, by name.

use kforge_workbench::trace::Response;

/// A table of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Kernels by name.
    Kernels,
    /// Kernels by family.
    Families,
    /// Copies and fills by name.
    Transfers,
    /// Ops by name.
    Ops,
    /// The module tree.
    Modules,
    /// Modules by class.
    ModuleTypes,
    /// Source lines.
    Sources,
    /// Steps.
    Steps,
}

impl Section {
    /// Every table, in the order of the page.
    pub const ALL: [Self; 8] = [
        Self::Families,
        Self::Kernels,
        Self::Transfers,
        Self::ModuleTypes,
        Self::Modules,
        Self::Ops,
        Self::Sources,
        Self::Steps,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Kernels => "Kernels",
            Self::Families => "Kernel families",
            Self::Transfers => "Copies and fills",
            Self::Ops => "Ops",
            Self::Modules => "Module tree",
            Self::ModuleTypes => "Modules by type",
            Self::Sources => "Source lines",
            Self::Steps => "Steps",
        }
    }

    /// True where the answer has no row of it.
    pub(super) fn is_empty(self, response: &Response) -> bool {
        let tables = &response.tables;
        match self {
            Self::Kernels => tables.kernels.rows.is_empty(),
            Self::Families => tables.families.rows.is_empty(),
            Self::Transfers => tables.transfers.rows.is_empty(),
            Self::Ops => tables.ops.rows.is_empty(),
            Self::Modules => tables.modules.rows.is_empty(),
            Self::ModuleTypes => tables.module_types.rows.is_empty(),
            Self::Sources => tables.sources.rows.is_empty(),
            Self::Steps => tables.steps.rows.is_empty(),
        }
    }
}
