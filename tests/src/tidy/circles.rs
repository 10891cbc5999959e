//! No file needs another that needs it in turn.
//!
//! A file needs another when it uses a name from it: in a `use`, or by a path. Declaring a module
//! is not a need, and a re-export only shows the way: a name is followed to the file that it is
//! re-exported from. A file and the folder of its name are one thing, so what a file in the folder
//! takes from the file above it does not count; neither do the root of a crate and tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::files::{code_lines, files, source_folders};
use crate::harness::binary::workspace;

/// The names of modules from the root of a crate down.
type ModulePath = Vec<String>;

struct Module {
    file: PathBuf,
    /// Without its tests and comments.
    code: String,
    /// What it re-exports: the name, and the path that it stands for.
    exports: Vec<(String, ModulePath)>,
}

struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let relative = folder.strip_prefix(workspace()).unwrap();
        let mut modules = BTreeMap::new();
        for (file, text) in files(relative.to_str().unwrap(), &[".rs"]) {
            let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = code_lines(production).collect::<Vec<_>>().join("\n");
            let path = module_path(file.strip_prefix(relative).unwrap());
            modules.insert(path, Module { file, code, exports: Vec::new() });
        }
        let mut this = Self { modules };
        this.leave_out_tests();
        let exports: Vec<(ModulePath, Vec<(String, ModulePath)>)> =
            this.modules.iter().map(|(path, module)| (path.clone(), exports(module))).collect();
        for (path, exports) in exports {
            this.modules.get_mut(&path).unwrap().exports = exports;
        }
        this
    }

    fn leave_out_tests(&mut self) {
        let of_tests: Vec<ModulePath> =
            self.modules.keys().filter(|it| self.is_test(it)).cloned().collect();
        for path in of_tests {
            self.modules.remove(&path);
        }
    }

    /// Whether the module, or one above it, is declared for tests alone.
    fn is_test(&self, path: &[String]) -> bool {
        (1..=path.len()).any(|length| {
            let (name, parent) = path[..length].split_last().unwrap();
            let declared = |vis: &str| format!("#[cfg(test)]\n{vis}mod {name};");
            self.modules.get(parent).is_some_and(|module| {
                ["", "pub(super) ", "pub(crate) "]
                    .iter()
                    .any(|vis| module.code.contains(&declared(vis)))
            })
        })
    }

    /// The files that a module needs.
    fn needs(&self, path: &ModulePath) -> BTreeSet<&ModulePath> {
        let module = &self.modules[path];
        let used = uses(&module.code).into_iter().filter(|it| !it.public).flat_map(|it| it.paths);
        let found = used.chain(paths_in(&module.code)).filter_map(|it| self.resolve(path, &it, 8));
        found.filter(|it| !path.starts_with(it)).collect()
    }

    /// The module that defines what `names`, written in the module `at`, stands for.
    fn resolve(&self, at: &[String], names: &[String], steps: usize) -> Option<&ModulePath> {
        let mut base: ModulePath = at.to_vec();
        let mut rest = names;
        match names.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &names[1..]),
            "self" => rest = &names[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            name => {
                let child: ModulePath = [at, &[name.to_owned()]].concat();
                self.modules.get(&child)?;
            }
        }
        while let Some((name, after)) = rest.split_first() {
            let child: ModulePath = [base.as_slice(), std::slice::from_ref(name)].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            (base, rest) = (child, after);
        }
        let (key, module) = self.modules.get_key_value(&base)?;
        let export = rest.first().and_then(|name| module.exports.iter().find(|it| it.0 == *name));
        match export {
            Some((_, path)) if steps > 0 => self.resolve(key, path, steps - 1).or(Some(key)),
            _ => Some(key),
        }
    }
}

fn module_path(file: &Path) -> ModulePath {
    let mut names: ModulePath =
        file.with_extension("").iter().map(|it| it.to_str().unwrap().to_owned()).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

fn exports(module: &Module) -> Vec<(String, ModulePath)> {
    let public = uses(&module.code).into_iter().filter(|it| it.public);
    public.flat_map(|it| it.paths).filter_map(|it| Some((it.last()?.clone(), it))).collect()
}

/// A `use` declaration, spelled out.
struct Use {
    public: bool,
    paths: Vec<ModulePath>,
}

fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for declaration in code.split(';') {
        let text = declaration.trim_start();
        let line = text.lines().find(|line| line.starts_with("use ") || line.starts_with("pub"));
        let Some(line) = line else { continue };
        let start = text.find(line).unwrap();
        let Some((visibility, tree)) = text[start..].split_once("use ") else { continue };
        if visibility.is_empty() || (visibility.starts_with("pub") && !visibility.contains('\n')) {
            let mut paths = Vec::new();
            spell_out(&tree.split_whitespace().collect::<Vec<_>>().join(" "), &[], &mut paths);
            found.push(Use { public: !visibility.is_empty(), paths });
        }
    }
    found
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn spell_out(tree: &str, before: &[String], into: &mut Vec<ModulePath>) {
    let tree = tree.trim();
    let (head, group) = match tree.split_once('{') {
        Some((head, group)) => (head, group.strip_suffix('}')),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let names = head.split("::").map(str::trim).filter(|name| !name.is_empty());
    let path: ModulePath = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some(group) = group else { return into.push(path) };
    let (mut depth, mut start) = (0_u32, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                spell_out(&group[start..at], &path, into);
                start = at + 1;
            }
            _ => (),
        }
    }
    if !group[start..].trim().is_empty() {
        spell_out(&group[start..], &path, into);
    }
}

/// Every path of two or more names in the code.
fn paths_in(code: &str) -> Vec<ModulePath> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == ':';
    let words = code.split(|it: char| !is_part(it)).filter(|word| word.contains("::"));
    let paths = words.map(|word| word.split("::").map(str::to_owned).collect::<ModulePath>());
    paths.filter(|path| path.first().is_some_and(|name| !name.is_empty())).collect()
}

#[test]
fn paths_are_spelled_out() {
    let all = uses("use crate::{\n    a,\n    b::{c, d as e},\n};\npub(crate) use super::f;");
    let text = |it: &Use| it.paths.iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(text(&all[0]), ["crate::a", "crate::b::c", "crate::b::d"]);
    assert_eq!((text(&all[1]), all[1].public), (vec!["super::f".to_owned()], true));
}

#[test]
fn no_files_need_each_other() {
    let mut found = Vec::new();
    for folder in source_folders() {
        let all = Crate::read(&folder);
        let roots = |path: &&ModulePath| !path.is_empty();
        let mut needs: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
            all.modules.keys().filter(roots).map(|path| (path, all.needs(path))).collect();
        // What needs nothing that is left, or is needed by nothing that is left, is in no circle.
        loop {
            let left: BTreeSet<&ModulePath> = needs.keys().copied().collect();
            let needed: BTreeSet<&ModulePath> = needs.values().flatten().copied().collect();
            for its in needs.values_mut() {
                its.retain(|it| left.contains(it));
            }
            needs.retain(|path, its| !its.is_empty() && needed.contains(path));
            if needs.len() == left.len() {
                break;
            }
        }
        for (path, its) in needs {
            let files: Vec<String> =
                its.iter().map(|it| all.modules[*it].file.display().to_string()).collect();
            found.push(format!("{} needs {}", all.modules[path].file.display(), files.join(", ")));
        }
    }
    assert!(found.is_empty(), "files that need each other:\n{}", found.join("\n"));
}
