//! Signatures of evidence, made and checked by `ssh-keygen -Y`, over the exact bytes of the evidence file.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::Error;

/// The namespace that keeps these signatures apart from those of commits and mails.
const NAMESPACE: &str = "kforge.evidence";

/// A file of allowed signers.
#[derive(Clone, Debug)]
pub(crate) struct SignersFile {
    path: PathBuf,
    /// As the settings spell it: whoever reads an answer should know which list it was.
    named: String,
}

impl SignersFile {
    pub(crate) fn new(root: &Path, named: &Path) -> Self {
        Self { path: root.join(named), named: named.display().to_string() }
    }
}

/// Whose signature it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signer {
    /// Someone in the file of allowed signers, and that file as the settings spell it.
    Allowed(String, String),
    /// A good signature of a key that nobody vouches for; its fingerprint.
    Unlisted(String),
    /// The signature is not of these bytes.
    Bad(String),
}

fn keygen(arguments: &[&str], input: &[u8]) -> Result<Output, Error> {
    let refuse = |source: std::io::Error| Error::Tool { tool: "ssh-keygen", message: source.to_string() };
    let mut running = Command::new("ssh-keygen")
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(refuse)?;
    if let Some(mut pipe) = running.stdin.take() {
        // A child that stopped reading says why on its own.
        let _ = pipe.write_all(input);
    }
    running.wait_with_output().map_err(refuse)
}

/// Signs bytes with a private key, or with a public key whose private half an agent holds.
pub(crate) fn sign(key: &Path, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let key = key.to_string_lossy();
    let output = keygen(&["-Y", "sign", "-n", NAMESPACE, "-f", &key], bytes)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Tool { tool: "ssh-keygen", message })
}

/// Whose signature this is of these bytes.
pub(crate) fn check(bytes: &[u8], signature: &[u8], allowed: Option<&SignersFile>) -> Result<Signer, Error> {
    let place = tempfile::tempdir().map_err(|source| Error::Io { path: std::env::temp_dir(), source })?;
    let file = place.path().join("signature");
    std::fs::write(&file, signature).map_err(|source| Error::Io { path: file.clone(), source })?;
    let file = file.to_string_lossy();
    if let Some(allowed) = allowed {
        let named = allowed.named.clone();
        let allowed = allowed.path.to_string_lossy();
        let found = keygen(&["-Y", "find-principals", "-s", &file, "-f", &allowed], b"")?;
        let principal = String::from_utf8_lossy(&found.stdout).lines().next().unwrap_or_default().to_owned();
        if found.status.success() && !principal.is_empty() {
            let verify = ["-Y", "verify", "-n", NAMESPACE, "-I", &principal, "-s", &file, "-f", &allowed];
            let good = keygen(&verify, bytes)?;
            if good.status.success() {
                return Ok(Signer::Allowed(principal, named));
            }
        }
    }
    let alone = keygen(&["-Y", "check-novalidate", "-n", NAMESPACE, "-s", &file], bytes)?;
    let said = String::from_utf8_lossy(&alone.stdout).trim().to_owned();
    if alone.status.success() {
        let print =
            said.split_whitespace().find(|word| word.starts_with("SHA256:")).unwrap_or("an unknown key");
        return Ok(Signer::Unlisted(print.to_owned()));
    }
    Ok(Signer::Bad(String::from_utf8_lossy(&alone.stderr).trim().to_owned()))
}
