//! What a shop sells, for how much, and how long it haggles.

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

const KEYS: [&str; 6] =
    ["name", "description", "skill_description", "port", "reserve", "max_rounds"];

/// The configuration of a shop: a JSON object, each key of which may be left out.
///
/// ```
/// use sabir_examples::lamp_shop::ShopConfig;
///
/// let config = ShopConfig::from_json(r#"{"name": "Chair Shop", "reserve": {"chair": 150}}"#)?;
/// assert_eq!(config.max_rounds, 3);
///
/// let error = ShopConfig::from_json(r#"{"reserv": {}}"#).unwrap_err();
/// assert_eq!(error.to_string(), "unknown key `reserv`; did you mean `reserve`?");
/// # Ok::<(), sabir_examples::lamp_shop::ShopConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShopConfig {
    /// The name on the card and on the receipts.
    pub name: String,
    /// The card's description.
    pub description: String,
    /// The description of the card's one skill.
    pub skill_description: String,
    /// The port it listens on when it is served alone.
    pub port: u16,
    /// What it sells, each with the least it takes, in the order in which it is looked for.
    #[serde(deserialize_with = "in_order")]
    pub reserve: Vec<(String, u64)>,
    /// Offers that are too low, after so many of which there is no deal.
    pub max_rounds: u32,
}

impl Default for ShopConfig {
    fn default() -> Self {
        Self {
            name: "Lamp Shop".to_owned(),
            description: "Sells lamps, chairs and bookshelves, and haggles.".to_owned(),
            skill_description: "Name an item, then make offers until we agree.".to_owned(),
            port: 9999,
            reserve: vec![
                ("lamp".to_owned(), 100),
                ("chair".to_owned(), 180),
                ("bookshelf".to_owned(), 260),
            ],
            max_rounds: 3,
        }
    }
}

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error)]
pub enum ShopConfigError {
    /// It is not a JSON object, or a value is not what its key wants.
    #[error("not a shop's configuration: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// A key that no shop knows.
    #[error("unknown key `{key}`; {}", hint(.known.as_deref()))]
    UnknownKey {
        /// The key.
        key: String,
        /// The key that was probably meant.
        known: Option<&'static str>,
    },
    /// A value that no shop can work with.
    #[error("{0}")]
    Unusable(&'static str),
}

fn hint(known: Option<&str>) -> String {
    known.map_or_else(
        || format!("the keys are {}", KEYS.join(", ")),
        |known| format!("did you mean `{known}`?"),
    )
}

impl ShopConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// When it is not a JSON object, has an unknown key, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ShopConfigError> {
        let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(json)?;
        if let Some(key) = keys.into_keys().find(|key| !KEYS.contains(&key.as_str())) {
            let known = nearest(&key);
            return Err(ShopConfigError::UnknownKey { key, known });
        }
        let config: Self = serde_json::from_str(json)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ShopConfigError> {
        let unusable = |why| Err(ShopConfigError::Unusable(why));
        if self.name.is_empty() || self.description.is_empty() || self.skill_description.is_empty()
        {
            return unusable("name, description and skill_description must not be empty");
        }
        if self.reserve.is_empty() {
            return unusable("reserve: a shop sells at least one item");
        }
        if self.reserve.iter().any(|(item, _)| item.trim().is_empty()) {
            return unusable("reserve: an item needs a name");
        }
        if self.max_rounds == 0 {
            return unusable("max_rounds: at least 1");
        }
        Ok(())
    }

    /// The least the shop takes for an item.
    pub(super) fn reserve_of(&self, item: &str) -> Option<u64> {
        self.reserve.iter().find(|(name, _)| name == item).map(|(_, reserve)| *reserve)
    }
}

/// The known key that looks most like this one, if any does.
fn nearest(key: &str) -> Option<&'static str> {
    let alike = |known: &str| strsim::jaro_winkler(&key.to_lowercase(), known);
    let best = KEYS.into_iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) > 0.8).then_some(best)
}

/// Reads an object as a list: the first item that a message names is the one it means, so the
/// order in the file counts.
fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, u64)>, D::Error> {
    struct Items;

    impl<'de> Visitor<'de> for Items {
        type Value = Vec<(String, u64)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of items with their least price, a whole number")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::<(String, u64)>::new();
            while let Some((item, reserve)) = map.next_entry::<String, u64>()? {
                if items.iter().any(|(known, _)| *known == item) {
                    return Err(A::Error::custom(format_args!("`{item}` stands in reserve twice")));
                }
                items.push((item, reserve));
            }
            Ok(items)
        }
    }

    deserializer.deserialize_map(Items)
}

#[cfg(test)]
mod tests {
    use super::ShopConfig;

    fn refused(json: &str) -> String {
        ShopConfig::from_json(json).expect_err(json).to_string()
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        assert_eq!(ShopConfig::from_json("{}").unwrap(), ShopConfig::default());
        let config = ShopConfig::from_json(r#"{"max_rounds": 5, "port": 8080}"#).unwrap();
        assert_eq!(config, ShopConfig { max_rounds: 5, port: 8080, ..ShopConfig::default() });
    }

    #[test]
    fn items_keep_their_order() {
        let config = ShopConfig::from_json(r#"{"reserve": {"z": 1, "a": 2, "m": 3}}"#).unwrap();
        let items: Vec<_> = config.reserve.iter().map(|(item, _)| item.as_str()).collect();
        assert_eq!(items, ["z", "a", "m"]);
    }

    #[test]
    fn an_unknown_key_is_refused_with_a_suggestion() {
        let meant = |key: &str| refused(&format!(r#"{{"{key}": 1}}"#));
        assert_eq!(meant("max_round"), "unknown key `max_round`; did you mean `max_rounds`?");
        assert_eq!(meant("Name"), "unknown key `Name`; did you mean `name`?");
        assert_eq!(meant("prot"), "unknown key `prot`; did you mean `port`?");
        assert_eq!(
            meant("zzz"),
            "unknown key `zzz`; the keys are name, description, skill_description, port, \
             reserve, max_rounds"
        );
    }

    #[test]
    fn what_cannot_work_is_refused() {
        for json in [
            "",
            "[]",
            r#"{"port": 99999}"#,
            r#"{"max_rounds": 0}"#,
            r#"{"name": ""}"#,
            r#"{"reserve": {}}"#,
            r#"{"reserve": {"": 1}}"#,
            r#"{"reserve": {"lamp": -1}}"#,
            r#"{"reserve": {"lamp": 1.5}}"#,
            r#"{"reserve": {"lamp": 1, "lamp": 2}}"#,
        ] {
            refused(json);
        }
    }
}
