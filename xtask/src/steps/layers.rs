//! Which room may depend on which, and which external crates stop at which door.
//!
//! Compares `layers.toml` with what cargo reports of the manifests. Refuses a room that the table does not know and
//! a table entry without a room. Invariant: nothing that ships depends on a development room, in any kind of
//! dependency but dev.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use serde::Deserialize;

use crate::finding::{Examined, Finding, Stop};
use crate::repository::Repository;

const DATA: &str = "layers.toml";
const PREFIX: &str = "kforge-";

/// `layers.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layers {
    rooms: BTreeMap<String, Layer>,
    development: Development,
    external: BTreeMap<String, Door>,
    /// Modules of the standard library; the step `doors` holds them.
    #[serde(default)]
    pub(crate) doors: BTreeMap<String, Door>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    level: u8,
    /// Where given, the complete list of rooms that this one may use.
    only: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Development {
    rooms: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Door {
    pub(crate) rooms: Vec<String>,
    pub(crate) reason: String,
}

impl Layers {
    /// Only tests and the build use it.
    pub(crate) fn is_development(&self, room: &str) -> bool {
        self.development.rooms.iter().any(|name| name == room)
    }
}

/// One member of the workspace as cargo sees it.
#[derive(Debug)]
struct Room {
    name: String,
    /// Manifest keys that must be inherited from the workspace and are not.
    own_keys: Vec<&'static str>,
    uses: Vec<Use>,
}

#[derive(Debug)]
struct Use {
    name: String,
    /// A member of the workspace, not an external crate.
    inside: bool,
    dev: bool,
}

pub(crate) fn run(repository: &Repository) -> Result<Examined, Stop> {
    let layers: Layers = repository.data(DATA)?;
    let metadata = manifests(repository)?;
    let mut rooms = Vec::new();
    for package in metadata.workspace_packages() {
        rooms.push(room(repository, &metadata, package)?);
    }
    let looked_at = format!("{} rooms, {} doors", rooms.len(), layers.external.len());
    let looked_at = if rooms.is_empty() { String::new() } else { looked_at };
    Ok(Examined { looked_at, findings: examine(&layers, &rooms) })
}

fn manifests(repository: &Repository) -> Result<Metadata, Stop> {
    MetadataCommand::new()
        .current_dir(repository.root())
        .no_deps()
        .other_options(vec!["--locked".to_owned()])
        .exec()
        .map_err(|what| Stop::Tool { command: "cargo metadata --locked".to_owned(), what: what.to_string() })
}

fn room(repository: &Repository, metadata: &Metadata, package: &Package) -> Result<Room, Stop> {
    let manifest = package.manifest_path.as_std_path();
    let relative = manifest.strip_prefix(metadata.workspace_root.as_std_path()).unwrap_or(manifest);
    let table: toml::Table = repository.data(&relative.to_string_lossy())?;
    let uses = package.dependencies.iter().map(|dependency| Use {
        name: short(&dependency.name).to_owned(),
        inside: dependency.path.is_some(),
        dev: dependency.kind == DependencyKind::Development,
    });
    Ok(Room { name: short(&package.name).to_owned(), own_keys: own_keys(&table), uses: uses.collect() })
}

fn short(package: &str) -> &str {
    package.strip_prefix(PREFIX).unwrap_or(package)
}

fn own_keys(manifest: &toml::Table) -> Vec<&'static str> {
    let inherited = |table: Option<&toml::Value>, key: &str| {
        let value = table.and_then(|table| table.get(key));
        value.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
    };
    let package = ["version", "edition", "rust-version", "license", "publish"];
    let mut own: Vec<&'static str> =
        package.into_iter().filter(|key| !inherited(manifest.get("package"), key)).collect();
    if manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool)
        != Some(true)
    {
        own.push("lints");
    }
    own
}

fn examine(layers: &Layers, rooms: &[Room]) -> Vec<Finding> {
    let mut findings = membership(layers, rooms);
    for room in rooms {
        for key in &room.own_keys {
            let cure = format!("write `{key}.workspace = true` (for lints: `[lints] workspace = true`)");
            findings.push(Finding::new(
                &room.name,
                format!("`{key}` is not inherited from the workspace"),
                cure,
            ));
        }
        if let Some(layer) = layers.rooms.get(&room.name) {
            let broken = room.uses.iter().filter_map(|used| refuse(layers, &room.name, layer, used));
            findings.extend(broken.map(|(fact, cure)| Finding::new(&room.name, fact, cure)));
            findings.extend(unused_doors(layers, room));
        }
    }
    findings
}

/// Doors that are open for a room which does not go through.
fn unused_doors(layers: &Layers, room: &Room) -> Vec<Finding> {
    let uses = |crate_name: &String| room.uses.iter().any(|used| !used.dev && used.name == *crate_name);
    let open = layers.external.iter().filter(|(_, door)| door.rooms.contains(&room.name));
    let unused = open.filter(|(name, _)| !uses(name));
    let fact =
        |name: &String| format!("the door for {name} is open for {}, which does not use it", room.name);
    unused.map(|(name, _)| Finding::new(DATA, fact(name), "close it")).collect()
}

/// Why `room` may not use `used`, with the cure.
fn refuse(layers: &Layers, room: &str, layer: &Layer, used: &Use) -> Option<(String, String)> {
    let name = &used.name;
    if !used.inside {
        let door = layers.external.get(name)?;
        let refused = !used.dev && !door.rooms.iter().any(|allowed| allowed == room);
        return refused.then(|| {
            let cure = format!("go through {} ({})", door.rooms.join(", "), door.reason);
            (format!("depends on the external crate {name}"), cure)
        });
    }
    if layers.development.rooms.contains(name) {
        let cure = "move it to [dev-dependencies]".to_owned();
        return (!used.dev).then(|| (format!("ships with the development room {name}"), cure));
    }
    let target = layers.rooms.get(name)?;
    let allowed = match (&layer.only, used.dev) {
        // Tests may read real input through a neighbour, never through a higher level.
        (_, true) => target.level <= layer.level,
        (Some(only), false) => only.contains(name),
        (None, false) => target.level < layer.level,
    };
    (!allowed).then(|| {
        let fact =
            format!("level {} depends on {name}, level {}, without an arrow", layer.level, target.level);
        (fact, format!("move the code down, or draw the arrow in {DATA} and ARCHITECTURE.md"))
    })
}

/// Rooms that only one side knows, and entries that contradict themselves.
fn membership(layers: &Layers, rooms: &[Room]) -> Vec<Finding> {
    let known = |name: &String| layers.rooms.contains_key(name) || layers.development.rooms.contains(name);
    let exists = |name: &String| rooms.iter().any(|room| room.name == *name);
    let mut findings = Vec::new();
    for room in rooms.iter().filter(|room| !known(&room.name)) {
        let fact = format!("the room is not in {DATA}");
        findings.push(Finding::new(&room.name, fact, "give it a level"));
    }
    for name in layers.rooms.keys().chain(&layers.development.rooms).filter(|name| !exists(name)) {
        findings.push(Finding::new(DATA, format!("{name} is not in the workspace"), "remove the entry"));
    }
    for (name, layer) in &layers.rooms {
        for target in layer.only.iter().flatten() {
            let level = layers.rooms.get(target).map(|target| target.level);
            if level.is_none_or(|level| level > layer.level) {
                let fact = format!("{name} has an arrow to {target}, which is no room of its level or below");
                findings.push(Finding::new(DATA, fact, "draw arrows downwards only"));
            }
        }
    }
    for (name, door) in layers.external.iter().chain(&layers.doors) {
        if door.reason.trim().is_empty() {
            findings.push(Finding::new(DATA, format!("the door for {name} gives no reason"), "say why"));
        }
        let strangers = door.rooms.iter().filter(|room| !layers.rooms.contains_key(*room));
        findings.extend(strangers.map(|room| {
            Finding::new(DATA, format!("the door for {name} names {room}, which is no room"), "remove it")
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{Layers, Room, Use, examine, run};
    use crate::repository::{Repository, scratch};

    const TABLE: &str = "
        [rooms]
        low = { level = 0, only = [] }
        twin = { level = 1, only = ['low'] }
        other = { level = 1, only = ['low'] }
        high = { level = 2 }
        [development]
        rooms = ['kit']
        [external.clap]
        rooms = ['high']
        reason = 'arguments stop there'
    ";

    fn layers() -> Layers {
        toml::from_str(TABLE).unwrap()
    }

    /// A room; `high` goes through its door.
    fn room(name: &str, mut uses: Vec<Use>) -> Room {
        if name == "high" {
            uses.push(clap(false));
        }
        Room { name: name.to_owned(), own_keys: Vec::new(), uses }
    }

    fn clap(dev: bool) -> Use {
        Use { name: "clap".to_owned(), inside: false, dev }
    }

    fn inside(name: &str, dev: bool) -> Use {
        Use { name: name.to_owned(), inside: true, dev }
    }

    /// Facts about the workspace of `TABLE` in which `name` uses `used`.
    fn facts(name: &str, used: Use) -> Vec<String> {
        let mut rooms: Vec<Room> =
            ["low", "twin", "other", "high", "kit"].into_iter().map(|name| room(name, Vec::new())).collect();
        rooms.iter_mut().find(|room| room.name == name).unwrap().uses.push(used);
        examine(&layers(), &rooms).into_iter().map(|finding| finding.fact).collect()
    }

    #[test]
    fn dependencies_go_down_or_along_an_arrow() {
        assert_eq!(facts("high", inside("low", false)), [""; 0]);
        assert_eq!(facts("twin", inside("low", false)), [""; 0]);
        assert_eq!(
            facts("low", inside("twin", false)),
            ["level 0 depends on twin, level 1, without an arrow"]
        );
        assert_eq!(
            facts("twin", inside("other", false)),
            ["level 1 depends on other, level 1, without an arrow"]
        );
    }

    #[test]
    fn tests_may_use_a_neighbour_but_not_a_higher_level() {
        assert_eq!(facts("twin", inside("other", true)), [""; 0]);
        assert_eq!(facts("twin", inside("high", true)).len(), 1);
    }

    #[test]
    fn a_development_room_never_ships() {
        assert_eq!(facts("high", inside("kit", false)), ["ships with the development room kit"]);
        assert_eq!(facts("high", inside("kit", true)), [""; 0]);
    }

    #[test]
    fn an_external_crate_stops_at_its_door() {
        assert_eq!(facts("low", clap(false)), ["depends on the external crate clap"]);
        assert_eq!(facts("low", clap(true)), [""; 0]);
        assert_eq!(facts("high", clap(false)), [""; 0]);
        assert_eq!(facts("kit", clap(false)), [""; 0]);
    }

    #[test]
    fn a_door_that_nobody_goes_through_is_found() {
        let mut rooms = ["low", "twin", "other", "high", "kit"].map(|name| room(name, Vec::new()));
        for room in &mut rooms {
            room.uses.clear();
        }
        let facts: Vec<String> = examine(&layers(), &rooms).into_iter().map(|finding| finding.fact).collect();
        assert_eq!(facts, ["the door for clap is open for high, which does not use it"]);
    }

    #[test]
    fn rooms_and_table_must_know_each_other() {
        let rooms = ["low", "twin", "high", "kit", "new"].map(|name| room(name, Vec::new()));
        let facts: Vec<String> = examine(&layers(), &rooms).into_iter().map(|finding| finding.fact).collect();
        assert_eq!(facts, ["the room is not in layers.toml", "other is not in the workspace"]);
    }

    #[test]
    fn an_arrow_upwards_or_to_nowhere_is_found() {
        let table =
            TABLE.replace("low = { level = 0, only = [] }", "low = { level = 0, only = ['high', 'gone'] }");
        let rooms = ["low", "twin", "other", "high", "kit"].map(|name| room(name, Vec::new()));
        assert_eq!(examine(&toml::from_str(&table).unwrap(), &rooms).len(), 2);
    }

    #[test]
    fn a_real_workspace_with_an_upward_dependency_and_own_lints_is_found() {
        let inherited = "version.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
                         license.workspace = true\npublish.workspace = true\n[lints]\nworkspace = true\n";
        let low = "[package]\nname = \"kforge-low\"\nversion = \"0.1.0\"\n[dependencies]\nkforge-high = { path = \"../high\" }\n";
        let high = format!("[package]\nname = \"kforge-high\"\n{inherited}");
        let root = "[workspace]\nresolver = \"3\"\nmembers = [\"low\", \"high\"]\n[workspace.package]\nversion = \"0.1.0\"\n\
                    edition = \"2024\"\nrust-version = \"1.95\"\nlicense = \"MIT\"\npublish = false\n[workspace.lints.rust]\n";
        let lock = "version = 4\n[[package]]\nname = \"kforge-high\"\nversion = \"0.1.0\"\n\
                    [[package]]\nname = \"kforge-low\"\nversion = \"0.1.0\"\ndependencies = [\"kforge-high\"]\n";
        let table =
            "[rooms]\nlow = { level = 0 }\nhigh = { level = 1 }\n[development]\nrooms = []\n[external]\n";
        let (_folder, tree) = scratch::tree(&[
            ("Cargo.toml", root),
            ("Cargo.lock", lock),
            ("layers.toml", table),
            ("low/Cargo.toml", low),
            ("low/src/lib.rs", ""),
            ("high/Cargo.toml", &high),
            ("high/src/lib.rs", ""),
        ]);
        let facts: Vec<String> =
            run(&tree).unwrap().findings.into_iter().map(|finding| finding.fact).collect();
        assert_eq!(facts.len(), 7, "{facts:?}");
        assert!(facts.iter().any(|fact| fact == "`lints` is not inherited from the workspace"), "{facts:?}");
        assert!(facts.iter().any(|fact| fact.starts_with("level 0 depends on high")), "{facts:?}");
    }

    #[test]
    fn the_table_of_this_repository_reads() {
        let _: Layers = Repository::find().unwrap().data("layers.toml").unwrap();
    }
}
