//! Who is asking.

use std::fmt;
use std::sync::Arc;

/// Who is asking, already proven; cheap to clone.
///
/// All anonymous callers are one principal, the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal {
    id: Arc<str>,
    name: Option<Arc<str>>,
    scopes: Arc<[String]>,
}

impl Principal {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// The principal with that id, which must be unique among all ways to authenticate.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// The same with a name for people.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same with what it was granted.
    #[must_use]
    pub fn with_scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The id; empty for anonymous callers.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name for people, where one is known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What it was granted.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether nobody knows who is asking.
    pub fn is_anonymous(&self) -> bool {
        self.id.is_empty()
    }

    /// Whose the tasks are that this principal starts: its id, which is empty for all anonymous
    /// callers together.
    pub fn owner(&self) -> &str {
        &self.id
    }

    /// Whether it was granted that scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|granted| granted == scope)
    }
}

/// The id, or `anonymous`.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.is_anonymous() { "anonymous" } else { &self.id })
    }
}
