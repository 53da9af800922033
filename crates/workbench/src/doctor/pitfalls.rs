//! What silently spoils a measurement: device variables, packages that shadow the installed ones, locks that nobody holds, damaged tuned tables.
//!
//! Looks, and changes nothing. Invariant: what cannot be looked at is no finding, and each finding has a cure.

use super::answer::Finding;
use kforge_tuning::{Scope, Severity, audit, read};
use std::path::{Path, PathBuf};

const VISIBLE: [&str; 4] =
    ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"];
const PACKAGES: [&str; 4] = ["aiter", "sglang", "vllm", "triton"];
/// A walk ends here: a root that is larger is no library's tree.
const ENTRIES: usize = 50_000;
const DEPTH: usize = 8;

fn unfit(what: &str, fact: String, cure: &str) -> Finding {
    Finding { what: what.to_owned(), fit: Some(false), fact, cure: Some(cure.to_owned()) }
}

/// The variables that hide and number devices.
pub(super) fn variables(value: &dyn Fn(&str) -> Option<String>) -> Vec<Finding> {
    let set: Vec<(&str, String)> =
        VISIBLE.iter().filter_map(|name| Some((*name, value(name)?.trim().to_owned()))).collect();
    let mut findings = Vec::new();
    for (name, _) in set.iter().filter(|(_, text)| text.is_empty()) {
        findings.push(unfit(
            "visible devices",
            format!("{name} is empty, which hides every GPU"),
            "unset it",
        ));
    }
    let differs = |pair: &[(&str, String)]| matches!(pair, [a, b] if a.1 != b.1);
    if set.windows(2).any(differs) {
        let told: Vec<String> = set.iter().map(|(name, text)| format!("{name}={text}")).collect();
        let cure = "set one of them only: each layer counts within what the one below it shows";
        findings.push(unfit("visible devices", told.join(" "), cure));
    }
    let cuda = set.iter().find(|(name, text)| *name == "CUDA_VISIBLE_DEVICES" && !text.is_empty());
    let numbers =
        cuda.is_some_and(|(_, text)| text.split(',').all(|part| part.trim().parse::<u32>().is_ok()));
    if numbers && value("CUDA_DEVICE_ORDER").as_deref() != Some("PCI_BUS_ID") {
        let fact =
            format!("CUDA_VISIBLE_DEVICES={} counts the fastest first", cuda.map_or("", |(_, text)| text));
        let cure =
            "export CUDA_DEVICE_ORDER=PCI_BUS_ID, or name devices by UUID: nvidia-smi counts by PCI address";
        findings.push(Finding { fit: None, ..unfit("device order", fact, cure) });
    }
    findings
}

/// Packages beside the working folder's programs that Python imports before the installed ones.
pub(super) fn shadows(folder: &Path) -> Vec<Finding> {
    let there = PACKAGES.iter().filter(|name| folder.join(name).is_dir());
    let found = there.map(|name| {
        // A repository's own checkout has its package's __init__ here; an empty folder is a namespace package and shadows as well.
        let fact = format!("the folder {name} here is imported before the {name} that is installed");
        let cure = "run from another folder, or set PYTHONSAFEPATH=1; look at the module's __file__";
        Finding { fit: None, ..unfit("shadowed import", fact, cure) }
    });
    found.collect()
}

/// Locks of just-in-time builds whose owner is gone, and tuned tables with errors, below a library's root.
pub(super) fn below(root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in walk(root) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == "lock" || name.starts_with("lock_") {
            findings.extend(lock(&path));
        } else if path.extension().is_some_and(|end| end == "csv") && name.contains("tuned") {
            findings.extend(tuned(&path));
        }
    }
    findings
}

fn walk(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders, mut seen) = (Vec::new(), vec![(root.to_owned(), 0)], 0);
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                return files;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH => folders.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// A lock without a living owner; aiter writes the owner's process and host into it (ROCm/aiter@e404860 `aiter/jit/utils/file_baton.py`),
/// PyTorch's extension builder leaves it empty, so that its age alone speaks.
fn lock(path: &Path) -> Option<Finding> {
    let text = std::fs::read_to_string(path).ok()?;
    let owner = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
    let fact = match owner {
        // Without a process list nothing is known of the owner.
        Some(_) if !Path::new("/proc/self").exists() => return None,
        Some(owner) if Path::new(&format!("/proc/{owner}")).exists() => return None,
        Some(owner) => format!("{} belongs to process {owner}, which is not here", path.display()),
        None => {
            let age = std::fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()?;
            if age < STALE {
                return None;
            }
            format!("{} has no owner and is {} minutes old", path.display(), age.as_secs() / 60)
        }
    };
    Some(unfit(
        "stale lock",
        fact,
        "delete it where no other host builds there: the next import waits for it without end",
    ))
}

/// Longer than a build of one module takes.
const STALE: std::time::Duration = std::time::Duration::from_hours(1);

fn tuned(path: &Path) -> Option<Finding> {
    let table = read(&path.display().to_string(), &std::fs::read(path).ok()?).ok()?;
    let findings = audit(&table, &Scope::default());
    let refused = |code: &str| {
        matches!(code, "duplicate-key" | "glued-row" | "ragged-row" | "repeated-header" | "prose")
    };
    let broken = findings.iter().filter(|one| one.severity == Severity::Error && refused(one.code));
    let first = broken.clone().next()?;
    let fact =
        format!("{}:{}: {} ({} rows like it)", path.display(), first.line, first.cause, broken.count());
    Some(unfit(
        "tuned table",
        fact,
        "kforge tuned FILE --audit names every row; the library refuses or misreads the table",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Vec<String> {
        let value =
            |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        variables(&value).into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn variables_that_hide_disagree_or_count_otherwise_are_named() {
        assert!(of(&[]).is_empty());
        assert!(of(&[("HIP_VISIBLE_DEVICES", "")])[0].contains("hides every GPU"));
        assert!(
            of(&[
                ("CUDA_VISIBLE_DEVICES", "0"),
                ("HIP_VISIBLE_DEVICES", "1"),
                ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
            ])[0]
                .contains("HIP_VISIBLE_DEVICES=1")
        );
        assert!(of(&[("CUDA_VISIBLE_DEVICES", "1")])[0].contains("fastest first"));
        assert!(of(&[("CUDA_VISIBLE_DEVICES", "1"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")]).is_empty());
        assert!(of(&[("CUDA_VISIBLE_DEVICES", "GPU-1b2c")]).is_empty());
    }

    #[test]
    fn a_folder_with_a_package_s_name_shadows_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(shadows(folder.path()).is_empty());
        std::fs::create_dir(folder.path().join("aiter")).unwrap();
        assert_eq!(shadows(folder.path()).len(), 1);
    }

    #[test]
    fn a_lock_of_a_process_that_is_gone_is_stale_and_one_of_a_living_process_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let build = folder.path().join("aiter/jit/build");
        std::fs::create_dir_all(&build).unwrap();
        std::fs::write(build.join("lock_module_gone"), "4294967294\nhost\n").unwrap();
        std::fs::write(build.join("lock_module_held"), format!("{}\nhost\n", std::process::id())).unwrap();
        std::fs::write(build.join("lock"), "").unwrap();
        let facts: Vec<String> = below(folder.path()).into_iter().map(|finding| finding.fact).collect();
        assert!(matches!(facts.as_slice(), [one] if one.contains("lock_module_gone")), "{facts:?}");
        let old = std::fs::metadata(build.join("lock")).unwrap().modified().unwrap() - STALE * 2;
        std::fs::File::options().write(true).open(build.join("lock")).unwrap().set_modified(old).unwrap();
        assert_eq!(below(folder.path()).len(), 2);
    }

    #[test]
    fn a_tuned_table_that_the_loader_refuses_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let text = "cu_num,M,N,K,us,kernelName\n80,1,2,3,1,a\n80,1,2,3,2,b\n";
        std::fs::write(folder.path().join("a8w8_tuned_gemm.csv"), text).unwrap();
        let found = below(folder.path());
        assert!(found[0].fact.contains("a8w8_tuned_gemm.csv:3:"), "{found:?}");
        assert!(below(&folder.path().join("nowhere")).is_empty());
    }
}
