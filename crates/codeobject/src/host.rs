//! ELF files: which machine they are for, their sections, symbols and notes; and the code objects that host programs carry.

use crate::walk::{State, Walk, step};
use crate::{Error, bundle, fatbin};
use object::elf::{EM_AMDGPU, EM_CUDA, FileHeader32, FileHeader64};
use object::read::elf::{
    ElfFile64, FileHeader as _, NoteIterator, ProgramHeader as _, SectionHeader as _, Sym as _,
};
use object::{Endianness, LittleEndian, Object as _, ObjectSection as _};

/// What an ELF file is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    Amdgpu,
    Nvidia,
    Host,
}

/// A little-endian ELF file of 64 bits.
pub(crate) struct Elf<'d> {
    file: ElfFile64<'d, LittleEndian>,
    bytes: &'d [u8],
}

/// One symbol.
pub(crate) struct Symbol<'d> {
    /// Its place in the table.
    pub(crate) index: usize,
    pub(crate) name: &'d str,
    pub(crate) value: u64,
    pub(crate) size: u64,
    pub(crate) section: usize,
    pub(crate) kind: u8,
    pub(crate) other: u8,
}

/// One section with its contents.
pub(crate) struct Section<'d> {
    pub(crate) name: &'d str,
    /// In memory; more than its contents where it has none in the file.
    pub(crate) size: u64,
    pub(crate) flags: u64,
    /// Where its contents begin in the file.
    pub(crate) at: u64,
    pub(crate) data: &'d [u8],
}

/// One note.
pub(crate) struct Note<'d> {
    pub(crate) name: &'d [u8],
    pub(crate) kind: u32,
    pub(crate) at: u64,
    pub(crate) data: &'d [u8],
}

fn broken(error: object::Error) -> Error {
    Error::Elf { what: error.to_string() }
}

/// ELF kinds that are refused with their name.
fn other_class(bytes: &[u8]) -> Option<&'static str> {
    if FileHeader64::<Endianness>::parse(bytes).is_ok() {
        return Some("it is big-endian");
    }
    FileHeader32::<Endianness>::parse(bytes)
        .is_ok()
        .then_some("it is of 32 bits, and no GPU's code object is")
}

impl<'d> Elf<'d> {
    pub(crate) fn parse(bytes: &'d [u8]) -> Result<Self, Error> {
        match ElfFile64::parse(bytes) {
            Ok(file) => Ok(Self { file, bytes }),
            Err(error) => Err(match other_class(bytes).filter(|_| bytes.get(4..6) != Some(&[2, 1])) {
                Some(what) => Error::Elf { what: what.to_owned() },
                None => broken(error),
            }),
        }
    }

    pub(crate) fn machine(&self) -> Machine {
        match self.file.elf_header().e_machine(LittleEndian) {
            EM_AMDGPU => Machine::Amdgpu,
            EM_CUDA => Machine::Nvidia,
            _ => Machine::Host,
        }
    }

    pub(crate) fn flags(&self) -> u32 {
        self.file.elf_header().e_flags(LittleEndian).0
    }

    pub(crate) fn abi_version(&self) -> u8 {
        self.file.elf_header().e_ident().abi_version
    }

    /// Sections that have a readable name; contents that reach beyond the file are empty.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Section<'d>> + '_ {
        self.file.sections().filter_map(|section| {
            let name = std::str::from_utf8(section.name_bytes().ok()?).ok()?;
            let at = section.file_range().map_or(0, |(at, _)| at);
            Some(Section {
                name,
                size: section.size(),
                flags: section.elf_section_header().sh_flags(LittleEndian).0,
                at,
                data: section.data().unwrap_or_default(),
            })
        })
    }

    pub(crate) fn section(&self, name: &str) -> Option<Section<'d>> {
        self.sections().find(|section| section.name == name)
    }

    /// The symbols of the table that has all of them, else of the dynamic one; without unreadable names.
    pub(crate) fn symbols(&self) -> Vec<Symbol<'d>> {
        let table = match self.file.elf_symbol_table() {
            table if table.is_empty() => self.file.elf_dynamic_symbol_table(),
            table => table,
        };
        let strings = table.strings();
        let mut found = Vec::new();
        for (index, symbol) in table.enumerate() {
            let Some(name) =
                symbol.name(LittleEndian, strings).ok().and_then(|name| std::str::from_utf8(name).ok())
            else {
                continue;
            };
            found.push(Symbol {
                index: index.0,
                name,
                value: symbol.st_value(LittleEndian),
                size: symbol.st_size(LittleEndian),
                section: usize::from(symbol.st_shndx(LittleEndian).0),
                kind: symbol.st_type().0,
                other: symbol.st_other().0,
            });
        }
        found
    }

    /// Bytes at an address of a section, with their place in the file.
    pub(crate) fn at(&self, section: usize, address: u64, length: usize) -> Option<(u64, &'d [u8])> {
        let header = self.file.elf_section_table().section(object::SectionIndex(section)).ok()?;
        let data = header.data(LittleEndian, self.bytes).ok()?;
        let relocatable = self.file.elf_header().e_type(LittleEndian) == object::elf::ET_REL;
        let base = if relocatable { 0 } else { header.sh_addr(LittleEndian) };
        let start = usize::try_from(address.checked_sub(base)?).ok()?;
        let bytes = data.get(start..start.checked_add(length)?)?;
        Some((header.sh_offset(LittleEndian).saturating_add(start as u64), bytes))
    }

    /// All notes, of sections or else of segments.
    ///
    /// # Errors
    /// A note that is longer than its section.
    pub(crate) fn notes(&self) -> Result<Vec<Note<'d>>, Error> {
        let mut found = Vec::new();
        for header in self.file.elf_section_table().iter() {
            if let Some(notes) = header.notes(LittleEndian, self.bytes).map_err(broken)? {
                self.take(notes, &mut found)?;
            }
        }
        if found.is_empty() {
            for header in self.file.elf_program_headers() {
                if let Some(notes) = header.notes(LittleEndian, self.bytes).map_err(broken)? {
                    self.take(notes, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    fn take(&self, mut notes: Notes<'d>, found: &mut Vec<Note<'d>>) -> Result<(), Error> {
        while let Some(note) = notes.next().map_err(broken)? {
            let data = note.desc();
            let at = (data.as_ptr() as usize).saturating_sub(self.bytes.as_ptr() as usize) as u64;
            found.push(Note { name: note.name(), kind: note.n_type(LittleEndian).0, at, data });
        }
        Ok(())
    }
}

type Notes<'d> = NoteIterator<'d, FileHeader64<LittleEndian>>;

/// Sections in which compilers put code for devices, and the magic with which each image begins.
const CARRIERS: [(&str, &[&[u8]]); 6] = [
    (".hip_fatbin", &[bundle::MAGIC, bundle::COMPRESSED]),
    (".hip_fatbin_segment", &[bundle::MAGIC, bundle::COMPRESSED]),
    (".llvm.offloading", &[]),
    (".nv_fatbin", &[&fatbin::MAGIC]),
    ("__nv_relfatbin", &[&fatbin::MAGIC]),
    (".nv_fatbin_segment", &[]),
];

/// Opens what a host program or library carries.
///
/// # Errors
/// Where it carries nothing for a GPU.
pub(crate) fn open(
    walk: &mut Walk,
    path: &str,
    bytes: &[u8],
    elf: &Elf<'_>,
    depth: u32,
) -> Result<(), Error> {
    let mut carries = false;
    for section in elf.sections() {
        let Some((_, magics)) = CARRIERS.iter().find(|(name, _)| *name == section.name) else { continue };
        if section.data.is_empty() || magics.is_empty() {
            continue;
        }
        carries = true;
        let starts = starts(section.data, magics);
        if starts.is_empty() {
            let why = "no image that is known begins in this section".to_owned();
            walk.add(&step(path, section.name), section.data.len(), State::Unread(why));
        }
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(section.data.len());
            let image = section.data.get(*start..end).unwrap_or_default();
            let name = if starts.len() == 1 {
                section.name.to_owned()
            } else {
                format!("{}[{number}]", section.name)
            };
            walk.open(&step(path, &name), image, depth + 1);
        }
    }
    if carries || !path.is_empty() {
        if !carries {
            walk.add(path, bytes.len(), State::Beside("the host's own part".to_owned()));
        }
        return Ok(());
    }
    Err(Error::Foreign { looks: "an ELF file for the host that carries no code for a GPU".to_owned() })
}

/// Where images begin: at a magic that stands where alignment puts one, and not inside of the image before.
fn starts(data: &[u8], magics: &[&[u8]]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0_usize);
    while let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) {
        let mut next = at + 8;
        if magics.iter().any(|magic| rest.starts_with(magic)) {
            found.push(at);
            let length = bundle::length(rest).or_else(|| fatbin::length(rest)).unwrap_or(8);
            next = at.saturating_add(length.max(8)).next_multiple_of(8);
        }
        at = next;
    }
    found
}
