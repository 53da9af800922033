//! Reads one file or folder, or two, and puts occupancy beside every kernel.

use super::answer::{FileAnswer, KernelAnswer, OccupancyAnswer, Response, UnreadAnswer};
use super::changes::compare;
use crate::{Error, Note, Observer, Progress};
use kforge_codeobject::{
    AmdResources, Error as Broken, Found, Kernel, NvidiaResources, Resources, State, read,
};
use kforge_hardware::{AmdNeeds, NvidiaNeeds, amd_occupancy, nvidia_occupancy};
use std::fs;
use std::path::{Path, PathBuf};

/// A larger file is not read: no code object is as large.
const LARGEST: u64 = 2 << 30;
/// Folders below the one that was asked for.
const DEEPEST: u32 = 32;

/// Which files, and how kernels are launched.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A file or a folder.
    pub path: PathBuf,
    /// Another build to compare with.
    pub against: Option<PathBuf>,
    /// Threads of a block; absent: the most that each kernel was compiled for.
    pub block: Option<u32>,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
}

/// How a kernel is launched, as far as occupancy depends on it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) block: Option<u32>,
    pub(crate) shared_bytes: u32,
}

/// Answers.
///
/// # Errors
/// A file that cannot be read or holds no code object at all.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Response, Error> {
    let launch = Launch { block: request.block, shared_bytes: request.shared_bytes };
    let mut response = one(&request.path, launch, observer)?;
    if let Some(path) = &request.against {
        let second = one(path, launch, observer)?;
        response.against = Some(Box::new(compare(&response.kernels, second)));
    }
    Ok(response)
}

fn one(path: &Path, launch: Launch, observer: &dyn Observer) -> Result<Response, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let mut response = Response {
        path: path.display().to_string(),
        kernels: Vec::new(),
        files: Vec::new(),
        unread: Vec::new(),
        other_files: 0,
        against: None,
        notes: Vec::new(),
    };
    if !fs::metadata(path).map_err(io)?.is_dir() {
        let found = load(path)?.map_err(|error| error.of(&response.path))?;
        response.add(path, None, found, launch);
        return Ok(response);
    }
    observer.progress(Progress::Stage(format!("reading {}", path.display())));
    for (number, file) in files_below(path).map_err(io)?.into_iter().enumerate() {
        if observer.cancelled() {
            return Err(Error::Interrupted);
        }
        observer.progress(Progress::Step { done: number as u64, total: None });
        match load(&file) {
            Ok(Ok(found)) => response.add(&file, Some(&shown(path, &file)), found, launch),
            Ok(Err(Broken::Foreign { .. })) => response.other_files += 1,
            Ok(Err(error)) => response.unread(&file, "", &error.to_string()),
            Err(error) => response.unread(&file, "", &error.to_string()),
        }
    }
    if response.kernels.is_empty() && response.unread.is_empty() {
        let message = format!("no file below {} holds a kernel", path.display());
        response.notes.push(Note::new("inspect.no-kernels", message));
    }
    Ok(response)
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

fn load(path: &Path) -> Result<Result<Found, Broken>, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let length = fs::metadata(path).map_err(io)?.len();
    if length > LARGEST {
        return Ok(Err(Broken::Packed { what: format!("{length} bytes are more than any code object has") }));
    }
    Ok(read(&fs::read(path).map_err(io)?))
}

/// Regular files, sorted by path; links are not followed.
fn files_below(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => folders.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

impl Response {
    fn unread(&mut self, path: &Path, member: &str, why: &str) {
        let (path, member, why) = (path.display().to_string(), member.to_owned(), why.to_owned());
        self.unread.push(UnreadAnswer { path, member, why });
    }

    fn add(&mut self, path: &Path, file: Option<&String>, found: Found, launch: Launch) {
        let (mut code_objects, mut beside) = (0, 0);
        for member in &found.members {
            match &member.state {
                State::Kernels(_) => code_objects += 1,
                State::Beside(_) => beside += 1,
                State::Unread(why) => self.unread(path, &member.path, why),
            }
        }
        let bytes = fs::metadata(path).map_or(0, |meta| meta.len());
        self.files.push(FileAnswer { path: path.display().to_string(), bytes, code_objects, beside });
        self.kernels.extend(kernels_of(found, file, launch));
    }
}

/// Every kernel of a file with its occupancy.
pub(crate) fn kernels_of(found: Found, file: Option<&String>, launch: Launch) -> Vec<KernelAnswer> {
    let mut kernels = Vec::new();
    for member in found.members {
        let State::Kernels(of_member) = member.state else { continue };
        for kernel in of_member {
            let occupancy = occupancy(&kernel, launch);
            kernels.push(KernelAnswer {
                file: file.cloned(),
                member: member.path.clone(),
                kernel,
                occupancy,
            });
        }
    }
    kernels
}

fn occupancy(kernel: &Kernel, launch: Launch) -> OccupancyAnswer {
    let missing = |what: &str| OccupancyAnswer::Missing { missing: what.to_owned() };
    let answer = match &kernel.resources {
        Resources::Amd(AmdResources { vgpr, sgpr, lds_bytes, wave_size, max_block, .. }) => {
            let (Some(vgpr), Some(sgpr), Some(lds_bytes), Some(wave_size)) =
                (*vgpr, *sgpr, *lds_bytes, *wave_size)
            else {
                return missing("the code object does not say what it takes");
            };
            let Some(block) = launch.block.or(*max_block) else { return missing("no block size (--block)") };
            let needs =
                AmdNeeds { vgpr, sgpr, lds_bytes: lds_bytes.saturating_add(launch.shared_bytes), wave_size };
            amd_occupancy(&kernel.arch, &needs, block)
        }
        Resources::Nvidia(NvidiaResources { registers, shared_bytes, max_block, .. }) => {
            let (Some(registers), Some(shared_bytes)) = (*registers, *shared_bytes) else {
                return missing("the cubin does not say what it takes");
            };
            let Some(block) = launch.block.or(*max_block) else { return missing("no block size (--block)") };
            let needs =
                NvidiaNeeds { registers, shared_bytes: shared_bytes.saturating_add(launch.shared_bytes) };
            nvidia_occupancy(&kernel.arch, &needs, block)
        }
    };
    answer.map_or_else(|| missing("no rules for this processor are on record"), OccupancyAnswer::Known)
}
