//! Who is asking.

use std::fmt;
use std::sync::Arc;

/// Who is asking, already proven; cheap to clone.
///
/// All anonymous callers are one principal, the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal(Option<Arc<Known>>);

/// What is known of a principal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Known {
    id: Box<str>,
    name: Option<Box<str>>,
    scopes: Vec<String>,
}

impl Principal {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// The principal with that id, which must be unique among all ways to authenticate.
    ///
    /// An empty id is that of an anonymous caller.
    pub fn new(id: impl Into<Box<str>>) -> Self {
        let id = id.into();
        if id.is_empty() {
            return Self::anonymous();
        }
        Self(Some(Arc::new(Known { id, ..Known::default() })))
    }

    fn known_mut(&mut self) -> Option<&mut Known> {
        self.0.as_mut().map(Arc::make_mut)
    }

    /// The same with a name for people; anonymous callers have none.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Box<str>>) -> Self {
        if let Some(known) = self.known_mut() {
            known.name = Some(name.into());
        }
        self
    }

    /// The same with what it was granted; anonymous callers are granted nothing.
    #[must_use]
    pub fn with_scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        if let Some(known) = self.known_mut() {
            known.scopes = scopes.into_iter().map(Into::into).collect();
        }
        self
    }

    /// The id; empty for anonymous callers.
    pub fn id(&self) -> &str {
        self.0.as_ref().map_or("", |known| &known.id)
    }

    /// The name for people, where one is known.
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref()?.name.as_deref()
    }

    /// What it was granted.
    pub fn scopes(&self) -> &[String] {
        self.0.as_ref().map_or(&[], |known| &known.scopes)
    }

    /// Whether nobody knows who is asking.
    pub fn is_anonymous(&self) -> bool {
        self.0.is_none()
    }

    /// Whose the tasks are that this principal starts: its id, which is empty for all anonymous
    /// callers together.
    pub fn owner(&self) -> &str {
        self.id()
    }

    /// Whether it was granted that scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|granted| granted == scope)
    }
}

/// The id, or `anonymous`.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.is_anonymous() { "anonymous" } else { self.id() })
    }
}
