//! What the cells of a device are about. The unit is part of the key's name in the data files.

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Cycles a second.
    Hertz,
}

/// A fact that every device file states, or says why it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Compute units (AMD) or streaming multiprocessors (NVIDIA).
    Units,
    /// Compute dies that make up one device.
    Chiplets,
    /// Vector pipes in a unit, each with its own wave slots.
    SimdsPerUnit,
    /// Lanes of a wave or warp.
    WaveSize,
    /// Waves or warps that a unit holds at most.
    WavesPerUnit,
    /// Vector register file of a unit.
    VectorRegisters,
    /// Scalar register file of a unit.
    ScalarRegisters,
    /// LDS or shared memory of a unit.
    SharedPerUnit,
    /// LDS or shared memory that one block can have.
    SharedPerBlock,
    /// Highest engine clock.
    Clock,
    /// Level-2 cache of the device.
    L2,
    /// Cache between the L2 and the memory: AMD's Infinity Cache (MALL).
    InfinityCache,
    /// Memory of the device.
    MemorySize,
    /// Peak bandwidth of that memory.
    MemoryBandwidth,
}

impl Key {
    /// Every key, in the order of the data files.
    pub const ALL: [Self; 14] = [
        Self::Units,
        Self::Chiplets,
        Self::SimdsPerUnit,
        Self::WaveSize,
        Self::WavesPerUnit,
        Self::VectorRegisters,
        Self::ScalarRegisters,
        Self::SharedPerUnit,
        Self::SharedPerBlock,
        Self::Clock,
        Self::L2,
        Self::InfinityCache,
        Self::MemorySize,
        Self::MemoryBandwidth,
    ];

    /// The name in the data files, which ends in the unit used there.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// What one unit of the data files is in the base unit.
    pub(crate) fn scale(self) -> f64 {
        self.facts().1
    }

    /// What the value counts.
    pub fn quantity(self) -> Quantity {
        self.facts().2
    }

    fn facts(self) -> (&'static str, f64, Quantity) {
        const KIB: f64 = 1024.0;
        const MIB: f64 = 1024.0 * 1024.0;
        match self {
            Self::Units => ("units", 1.0, Quantity::Count),
            Self::Chiplets => ("chiplets", 1.0, Quantity::Count),
            Self::SimdsPerUnit => ("simds_per_unit", 1.0, Quantity::Count),
            Self::WaveSize => ("wave_size", 1.0, Quantity::Count),
            Self::WavesPerUnit => ("waves_per_unit", 1.0, Quantity::Count),
            Self::VectorRegisters => ("vector_registers_kib", KIB, Quantity::Bytes),
            Self::ScalarRegisters => ("scalar_registers_kib", KIB, Quantity::Bytes),
            Self::SharedPerUnit => ("shared_kib_per_unit", KIB, Quantity::Bytes),
            Self::SharedPerBlock => ("shared_kib_per_block", KIB, Quantity::Bytes),
            Self::Clock => ("clock_mhz", 1e6, Quantity::Hertz),
            Self::L2 => ("l2_kib", KIB, Quantity::Bytes),
            Self::InfinityCache => ("infinity_cache_mib", MIB, Quantity::Bytes),
            Self::MemorySize => ("memory_mib", MIB, Quantity::Bytes),
            Self::MemoryBandwidth => ("memory_gbps", 1e9, Quantity::BytesPerSecond),
        }
    }
}
