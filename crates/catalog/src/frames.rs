//! Which Python frames are the framework's, and which function names only pass a call on.
//!
//! Answers "is this line the reader's own?" from the file's path alone. Libraries that are the application (vllm,
//! sglang, model code) count as the reader's own even inside site-packages.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{Error, builtin};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FramesText {
    folders: Vec<String>,
    files: Vec<String>,
    markers: Vec<String>,
    wrappers: Vec<String>,
    checkouts: Vec<String>,
}

/// How well a frame answers "which line of mine launched this?"; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameKind {
    /// Not a line of a file: a builtin, a module marker, a frozen module.
    Builtin,
    /// A line of the framework, the standard library or a profiler.
    Framework,
    /// A line of the application in a function that only passes calls on.
    Wrapper,
    /// A line of the application.
    Application,
}

/// The lists of framework frames and wrapper names.
#[derive(Debug)]
pub struct Frames {
    folders: Vec<String>,
    files: HashSet<String>,
    markers: Vec<String>,
    wrappers: HashSet<String>,
    checkouts: Vec<String>,
}

impl Frames {
    /// The lists that ship with the binary.
    pub fn builtin() -> Result<Self, Error> {
        Self::from_text("python", builtin::FRAMES)
    }

    /// Lists from a text of the same form as `data/frames/python.toml`; `file` is named in errors.
    pub fn from_text(file: &str, text: &str) -> Result<Self, Error> {
        let FramesText { folders, files, markers, wrappers, checkouts } = toml::from_str(text)
            .map_err(|error| Error::Syntax { file: file.to_owned(), detail: error.to_string() })?;
        Ok(Self {
            folders,
            files: files.into_iter().collect(),
            markers,
            wrappers: wrappers.into_iter().collect(),
            checkouts,
        })
    }

    /// Is `file` no file but a marker of the interpreter or the profiler (`<built-in method …>`, `nn.Module: X_0`)?
    pub fn is_builtin(&self, file: &str) -> bool {
        file.is_empty() || self.markers.iter().any(|marker| file.starts_with(marker.as_str()))
    }

    /// Does `file` belong to the framework, the standard library or a profiler? Markers do as well.
    pub fn is_framework(&self, file: &str) -> bool {
        if self.is_builtin(file) {
            return true;
        }
        let path = file.replace('\\', "/");
        let (installed, inside) = strip_installation(&path);
        let name = inside.rsplit('/').next().unwrap_or(inside);
        // A module of the standard library lies at the top of its folder; an application's `run/queue.py` does not.
        let at_top = name.len() == inside.len();
        let standard = at_top && self.files.contains(name);
        // A checkout that was never installed has an absolute path with its folders in it.
        let checkout = !installed
            && inside.starts_with('/')
            && self.checkouts.iter().any(|folder| inside.contains(folder.as_str()));
        standard || checkout || self.folders.iter().any(|folder| inside.starts_with(folder.as_str()))
    }

    /// Is `function` a name that only passes calls on?
    pub fn is_wrapper(&self, function: &str) -> bool {
        self.wrappers.contains(function)
    }

    /// How well the frame `function` in `file` answers for a launch. Of a stack take the innermost of the greatest kind.
    pub fn kind(&self, file: &str, function: &str) -> FrameKind {
        if self.is_builtin(file) {
            FrameKind::Builtin
        } else if self.is_framework(file) {
            FrameKind::Framework
        } else if self.is_wrapper(function) {
            FrameKind::Wrapper
        } else {
            FrameKind::Application
        }
    }
}

/// Takes everything up to the installation's folder off a path; says whether there was one.
fn strip_installation(path: &str) -> (bool, &str) {
    for folder in ["site-packages/", "dist-packages/"] {
        if let Some(at) = path.rfind(folder) {
            return (true, &path[at + folder.len()..]);
        }
    }
    if let Some(at) = path.rfind("/python3.").or_else(|| path.starts_with("python3.").then_some(0)) {
        let rest = path[at..].trim_start_matches('/');
        if let Some((_, inside)) = rest.split_once('/') {
            return (true, inside);
        }
    }
    windows_library(path).map_or((false, path), |inside| (true, inside))
}

/// What lies behind `Lib/` of a Python on a drive: `C:/Python312/Lib/…`, `C:/…/miniconda3/Lib/…`, `C:/…/envs/x/Lib/…`. Windows
/// knows no case, and no `pythonX.Y` below `Lib`.
fn windows_library(path: &str) -> Option<&str> {
    const HOMES: [&str; 4] = ["python", "miniconda", "anaconda", "miniforge"];
    let small = path.to_ascii_lowercase();
    if small.as_bytes().get(1..3) != Some(b":/") {
        return None;
    }
    let (home, _) = small.split_once("/lib/")?;
    let mut above = home.rsplit('/');
    let (folder, parent) = (above.next().unwrap_or_default(), above.next());
    let is_home = HOMES.iter().any(|name| folder.starts_with(name)) || parent == Some("envs");
    is_home.then(|| &path[home.len() + "/lib/".len()..])
}

#[cfg(test)]
mod tests {
    use super::{FrameKind, Frames};

    #[test]
    fn framework_files_are_known_wherever_they_are_installed() {
        let frames = Frames::builtin().unwrap();
        for file in [
            "torch/nn/modules/module.py",
            "/usr/lib/python3.12/contextlib.py",
            "/usr/local/lib/python3.10/dist-packages/torch/_ops.py",
            "/opt/venv/lib/python3.12/site-packages/torch/utils/_contextlib.py",
            "threading.py",
            "/usr/lib/python3.12/multiprocessing/process.py",
            "tqdm/std.py",
            "<built-in method run_backward of torch._C._EngineBase object at 0x7f>",
            "nn.Module: LlamaRMSNorm_3",
            "<frozen importlib._bootstrap>",
            "C:\\Python\\Lib\\site-packages\\torch\\cuda\\__init__.py",
            "/opt/pytorch/torch/nn/functional.py",
            "C:\\Python312\\Lib\\threading.py",
            "C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python312\\lib\\multiprocessing\\process.py",
            "D:\\miniconda3\\Lib\\contextlib.py",
            "D:\\miniconda3\\envs\\torch\\Lib\\contextlib.py",
            "",
        ] {
            assert!(frames.is_framework(file), "{file}");
        }
    }

    #[test]
    fn application_libraries_are_the_readers_own_even_in_site_packages() {
        let frames = Frames::builtin().unwrap();
        for file in [
            "/usr/local/lib/python3.12/dist-packages/vllm/model_executor/models/llama.py",
            "/opt/venv/lib/python3.12/site-packages/sglang/srt/layers/layernorm.py",
            "/usr/lib/python3.12/site-packages/transformers/models/llama/modeling_llama.py",
            "/opt/venv/lib/python3.12/site-packages/aiter/ops/rmsnorm.py",
            "capture_llm.py",
            "/home/me/torch/model.py",
            "server/queue.py",
            "/home/me/run/threading/pool.py",
            "C:\\work\\Lib\\queue.py",
            "/home/me/python/lib/queue.py",
            "C:\\Python312\\Lib\\site-packages\\vllm\\worker.py",
        ] {
            assert!(!frames.is_framework(file), "{file}");
        }
    }

    #[test]
    fn a_better_frame_is_a_greater_kind() {
        let frames = Frames::builtin().unwrap();
        let application = frames.kind("model.py", "attention");
        let wrapper = frames.kind("model.py", "wrapper");
        let framework = frames.kind("torch/nn/modules/module.py", "_call_impl");
        let builtin = frames.kind("<built-in function linear>", "");
        assert_eq!(application, FrameKind::Application);
        assert!(application > wrapper && wrapper > framework && framework > builtin);
    }
}
