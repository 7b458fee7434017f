//! Protocol versions and service parameters.

use std::fmt;
use std::str::FromStr;

/// The service parameter that names the protocol version: a header, or gRPC metadata.
pub const A2A_VERSION: &str = "A2A-Version";
/// The service parameter that names the extensions wanted, or those that were activated.
pub const A2A_EXTENSIONS: &str = "A2A-Extensions";
/// The older spelling of [`A2A_EXTENSIONS`], read as well.
pub const X_A2A_EXTENSIONS: &str = "X-A2A-Extensions";

/// A protocol version. A patch number is read and forgotten: `1.0.7` is 1.0 (§3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
}

impl Version {
    /// A2A 1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };
    /// A2A 0.3.
    pub const V0_3: Self = Self { major: 0, minor: 3 };

    /// The version that a request asks for: what `A2A-Version` says, and 0.3 when it is absent or
    /// empty (§3.6.2).
    pub fn requested(header: Option<&str>) -> Result<Self, VersionError> {
        match header.map(str::trim) {
            None | Some("") => Ok(Self::V0_3),
            Some(version) => version.parse(),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The text is not a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError(String);

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a version such as 1.0", self.0)
    }
}

impl std::error::Error for VersionError {}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(s: &str) -> Result<Self, VersionError> {
        let mut numbers = s.trim().split('.').map(number);
        match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
            (Some(Some(major)), Some(Some(minor)), None | Some(Some(_)), None) => {
                Ok(Self { major, minor })
            }
            _ => Err(VersionError(s.to_owned())),
        }
    }
}

/// Digits only: no sign, no space.
fn number(digits: &str) -> Option<u16> {
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The items of a list such as `A2A-Extensions: a, b`, over any number of header fields.
///
/// ```
/// let items: Vec<_> = sabir_types::comma_list(["a, b,,", " c "]).collect();
/// assert_eq!(items, ["a", "b", "c"]);
/// ```
pub fn comma_list<'a, I>(values: I) -> impl Iterator<Item = &'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    values.into_iter().flat_map(|v| v.split(',')).map(str::trim).filter(|item| !item.is_empty())
}
