//! Which files of a side's tree were opened, by whatever its build and its runners started.
//!
//! Dependency files of compilers leave out what they were told to leave out, and nobody lists what an assembler includes or a kernel
//! reads. The kernel of the system sees every open. Answers with names relative to the tree; refuses nothing: where a folder cannot
//! be watched or events were lost, it says so. Invariant: no file of a watched folder is opened without being on the list or the list
//! being called incomplete.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent, WatchDescriptor};
use std::collections::{BTreeSet, HashMap};
use std::io::PipeWriter;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// What was seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Files, relative to the tree.
    pub(super) files: BTreeSet<String>,
    /// Why there may be more, where there may be.
    pub(super) incomplete: Option<String>,
}

/// A watch over one tree.
pub(super) struct Opened {
    inotify: Option<Arc<Inotify>>,
    folders: Arc<HashMap<WatchDescriptor, String>>,
    seen: Arc<Mutex<Seen>>,
    reader: Option<Reader>,
}

/// The thread that empties the queue. It sleeps until a file is opened, so that it takes no time from what is measured, and ends once
/// `wanted` is closed.
struct Reader {
    wanted: PipeWriter,
    thread: JoinHandle<()>,
}

impl Opened {
    /// Watches every folder that holds one of these files. Folders that are made later hold nothing of the tree's own.
    pub(super) fn watch(tree: &Path, files: &BTreeSet<String>) -> Self {
        let mut seen = Seen::default();
        let mut folders = HashMap::new();
        let inotify = match Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC) {
            Ok(inotify) => {
                for folder in folders_of(files) {
                    match inotify.add_watch(&tree.join(&folder), AddWatchFlags::IN_OPEN) {
                        Ok(watch) => {
                            folders.insert(watch, folder);
                        }
                        Err(error) => seen.incomplete = Some(format!("a folder cannot be watched ({error})")),
                    }
                }
                Some(Arc::new(inotify))
            }
            Err(error) => {
                seen.incomplete = Some(format!("files cannot be watched here ({error})"));
                None
            }
        };
        let mut watch =
            Self { inotify, folders: Arc::new(folders), seen: Arc::new(Mutex::new(seen)), reader: None };
        watch.reader = watch.read_on();
        watch
    }

    /// A thread that empties the queue, which holds a few thousand events and loses the rest.
    fn read_on(&self) -> Option<Reader> {
        let inotify = Arc::clone(self.inotify.as_ref()?);
        let (folders, seen) = (Arc::clone(&self.folders), Arc::clone(&self.seen));
        let (unwanted, wanted) = std::io::pipe().ok()?;
        let thread = std::thread::Builder::new().name("opened".to_owned());
        let thread = thread.spawn(move || {
            loop {
                let mut waiting = [
                    PollFd::new(inotify.as_fd(), PollFlags::POLLIN),
                    PollFd::new(unwanted.as_fd(), PollFlags::POLLIN),
                ];
                let woken = poll(&mut waiting, PollTimeout::NONE);
                let readable = drain(&inotify, &folders, &seen);
                let closed = waiting[1].any().unwrap_or(true);
                if closed || !readable || woken.is_err_and(|error| error != Errno::EINTR) {
                    return;
                }
            }
        });
        Some(Reader { wanted, thread: thread.ok()? })
    }

    /// What was opened up to now.
    pub(super) fn seen(&self) -> Seen {
        if let Some(inotify) = &self.inotify {
            drain(inotify, &self.folders, &self.seen);
        }
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(Reader { wanted, thread }) = self.reader.take() {
            drop(wanted);
            let _ = thread.join();
        }
    }
}

/// Moves what is in the queue to the list. The list is locked before the queue is read, so that whoever asks afterwards sees all of it.
/// Whether it can be read again.
fn drain(inotify: &Inotify, folders: &HashMap<WatchDescriptor, String>, seen: &Mutex<Seen>) -> bool {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match inotify.read_events() {
            Ok(events) if events.is_empty() => return true,
            Ok(events) => events.iter().for_each(|event| note(event, folders, &mut seen)),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return true,
            Err(error) => {
                seen.incomplete = Some(format!("opened files cannot be told ({error})"));
                return false;
            }
        }
    }
}

fn note(event: &InotifyEvent, folders: &HashMap<WatchDescriptor, String>, seen: &mut Seen) {
    if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
        seen.incomplete = Some("more files were opened at once than the system tells".to_owned());
    }
    if event.mask.contains(AddWatchFlags::IN_ISDIR) {
        return;
    }
    if let (Some(folder), Some(name)) = (folders.get(&event.wd), &event.name) {
        let name = name.to_string_lossy();
        seen.files.insert(if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") });
    }
}

/// Every folder above a file, the tree itself (as an empty name) too.
fn folders_of(files: &BTreeSet<String>) -> BTreeSet<String> {
    let ancestors = files.iter().flat_map(|file| Path::new(file).ancestors().skip(1));
    ancestors.map(|folder| folder.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_by_any_process_is_on_the_list_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        let names = ["top", "a/near", "a/b/deep", "a/b/never"];
        for name in names {
            std::fs::write(tree.join(name), name).unwrap();
        }
        let watch = Opened::watch(tree, &names.iter().map(|name| (*name).to_owned()).collect());
        assert!(watch.seen().files.is_empty());
        std::fs::read(tree.join("top")).unwrap();
        let status = std::process::Command::new("cat").arg(tree.join("a/b/deep")).output().unwrap().status;
        assert!(status.success());
        std::fs::metadata(tree.join("a/b/never")).unwrap();
        std::fs::read_dir(tree.join("a")).unwrap().count();
        let seen = watch.seen();
        assert_eq!(seen.files.into_iter().collect::<Vec<_>>(), ["a/b/deep", "top"]);
        assert_eq!(seen.incomplete, None);
    }

    #[test]
    fn many_opens_at_once_are_all_seen_or_said_to_be_lost() {
        let folder = tempfile::tempdir().unwrap();
        let names: BTreeSet<String> = (0..600).map(|number| format!("f{number}")).collect();
        for name in &names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let watch = Opened::watch(folder.path(), &names);
        for _ in 0..40 {
            for name in &names {
                std::fs::read(folder.path().join(name)).unwrap();
            }
        }
        let seen = watch.seen();
        assert!(seen.files == names || seen.incomplete.is_some());
    }
}
