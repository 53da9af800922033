//! Which processor a code object is for, and in which version of the format it is.
//!
//! Source: LLVM, llvm/docs/AMDGPUUsage.rst, table "AMDGPU ``EF_AMDGPU_MACH`` Values", and llvm/include/llvm/BinaryFormat/ELF.h.

const MACHINES: [(u32, &str); 66] = [
    (0x020, "gfx600"),
    (0x021, "gfx601"),
    (0x022, "gfx700"),
    (0x023, "gfx701"),
    (0x024, "gfx702"),
    (0x025, "gfx703"),
    (0x026, "gfx704"),
    (0x028, "gfx801"),
    (0x029, "gfx802"),
    (0x02a, "gfx803"),
    (0x02b, "gfx810"),
    (0x02c, "gfx900"),
    (0x02d, "gfx902"),
    (0x02e, "gfx904"),
    (0x02f, "gfx906"),
    (0x030, "gfx908"),
    (0x031, "gfx909"),
    (0x032, "gfx90c"),
    (0x033, "gfx1010"),
    (0x034, "gfx1011"),
    (0x035, "gfx1012"),
    (0x036, "gfx1030"),
    (0x037, "gfx1031"),
    (0x038, "gfx1032"),
    (0x039, "gfx1033"),
    (0x03a, "gfx602"),
    (0x03b, "gfx705"),
    (0x03c, "gfx805"),
    (0x03d, "gfx1035"),
    (0x03e, "gfx1034"),
    (0x03f, "gfx90a"),
    (0x040, "gfx940"),
    (0x041, "gfx1100"),
    (0x042, "gfx1013"),
    (0x043, "gfx1150"),
    (0x044, "gfx1103"),
    (0x045, "gfx1036"),
    (0x046, "gfx1101"),
    (0x047, "gfx1102"),
    (0x048, "gfx1200"),
    (0x04a, "gfx1151"),
    (0x04b, "gfx941"),
    (0x04c, "gfx942"),
    (0x04e, "gfx1201"),
    (0x04f, "gfx950"),
    (0x051, "gfx9-generic"),
    (0x052, "gfx10-1-generic"),
    (0x053, "gfx10-3-generic"),
    (0x054, "gfx11-generic"),
    (0x055, "gfx1152"),
    (0x058, "gfx1153"),
    (0x059, "gfx12-generic"),
    (0x05f, "gfx9-4-generic"),
    (0x001, "r600"),
    (0x002, "r630"),
    (0x003, "rs880"),
    (0x004, "rv670"),
    (0x005, "rv710"),
    (0x006, "rv730"),
    (0x007, "rv770"),
    (0x008, "cedar"),
    (0x009, "cypress"),
    (0x00a, "juniper"),
    (0x00b, "redwood"),
    (0x00c, "sumo"),
    (0x00d, "barts"),
];

/// The version of the code object's format by the ABI's version; from 2 on metadata is MessagePack.
pub(super) fn version(abi: u8) -> Option<u32> {
    match abi {
        0..=4 => Some(u32::from(abi) + 2),
        _ => None,
    }
}

/// The processor, where the flags name one. Code objects of version 2 name it in a note.
pub(super) fn name(flags: u32, abi: u8) -> Option<String> {
    let machine = flags & 0xFF;
    if abi == 0 && machine == 0 {
        return None;
    }
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    Some(known.map_or_else(|| format!("machine {machine:#05x}"), |(_, name)| (*name).to_owned()))
}

/// Major, minor and stepping of a processor's name; the stepping may be a letter.
pub(super) fn generation(arch: &str) -> Option<u32> {
    let digits = arch.strip_prefix("gfx")?;
    if let Some((major, _)) = digits.split_once('-') {
        return major.parse().ok();
    }
    digits.get(..digits.len().checked_sub(2)?)?.parse().ok()
}

/// Whether vector and accumulation registers come from one file.
pub(super) fn unified(arch: &str) -> bool {
    matches!(arch, "gfx90a" | "gfx940" | "gfx941" | "gfx942" | "gfx950" | "gfx9-4-generic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_all_but_minor_and_stepping() {
        let of = |arch| generation(arch);
        assert_eq!(
            [of("gfx803"), of("gfx90a"), of("gfx942"), of("gfx1030"), of("gfx1201")],
            [8, 9, 9, 10, 12].map(Some)
        );
        assert_eq!(of("gfx10-3-generic"), Some(10));
        assert_eq!([of("gfx"), of("machine 0x99"), of("")], [None; 3]);
    }

    #[test]
    fn processors_are_those_of_llvm() {
        assert_eq!(name(0x54c, 3).as_deref(), Some("gfx942"));
        assert_eq!(name(0x4f, 4).as_deref(), Some("gfx950"));
        assert_eq!(name(0xfe, 4).as_deref(), Some("machine 0x0fe"));
        assert_eq!(version(2), Some(4));
    }
}
