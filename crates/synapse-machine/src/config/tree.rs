//! The keys of a YAML file and where each stands, whatever they mean.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// The keys at one depth. A value that holds no keys is an empty tree.
#[derive(Debug, Default)]
pub(super) struct Tree(pub(super) Vec<Branch>);

/// A key, and the keys below it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) key: String,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) below: Tree,
}

impl Tree {
    /// The line of every key, by the names that lead to it, joined by dots.
    pub(super) fn lines(&self) -> BTreeMap<String, u64> {
        let mut lines = BTreeMap::new();
        for branch in &self.0 {
            let below = branch.below.lines().into_iter();
            lines.extend(below.map(|(path, line)| (format!("{}.{path}", branch.key), line)));
            lines.insert(branch.key.clone(), branch.line);
        }
        lines
    }

    /// The key that a place in the file belongs to: the last that begins before it.
    pub(super) fn path_to(&self, place: Location) -> Vec<&str> {
        let begins_before =
            |branch: &&Branch| (branch.line, branch.column) <= (place.line(), place.column());
        let last = self.0.iter().filter(begins_before);
        match last.max_by_key(|branch| (branch.line, branch.column)) {
            None => Vec::new(),
            Some(branch) => {
                let mut path = branch.below.path_to(place);
                path.insert(0, &branch.key);
                path
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeyReader)
    }
}

/// Keeps keys and lets go of everything else.
struct KeyReader;

impl<'de> Visitor<'de> for KeyReader {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut tree = Tree::default();
        while let Some((key, below)) = map.next_entry::<Spanned<String>, Tree>()? {
            tree.0.push(Branch {
                line: key.referenced.line(),
                column: key.referenced.column(),
                key: key.value,
                below,
            });
        }
        Ok(tree)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Tree::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_i128<E>(self, _: i128) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_u128<E>(self, _: u128) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::default())
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::default())
    }
}
