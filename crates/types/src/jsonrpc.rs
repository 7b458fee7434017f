//! The JSON-RPC 2.0 envelope, shared by server and client.
//!
//! `params` and `result` stay the bytes they came as until their type is known, and are written
//! without a second serialization.

use crate::wire::concise;
use crate::{Error, ErrorKind};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What ends a response that [`success_prefix`] began.
pub const SUCCESS_SUFFIX: &[u8] = b"}";

/// How many bytes of JSON the id of a request may have.
const MAX_ID: usize = 1024;

/// The id of a request, exactly as it was sent: `1.0` stays `1.0`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Cow<'static, str>);

impl Id {
    /// The id of an answer to a request that had none, or none that could be read.
    pub const NULL: Self = Self(Cow::Borrowed("null"));

    /// A number.
    pub fn number(n: u64) -> Self {
        Self(n.to_string().into())
    }

    /// A string.
    pub fn string(s: &str) -> Self {
        Self(Value::from(s).to_string().into())
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.0 == "null"
    }

    /// Only numbers, strings and `null` are ids.
    fn of(raw: &RawValue) -> Option<Self> {
        match raw.get() {
            "null" => Some(Self::NULL),
            json if json.starts_with(['"', '-'])
                || json.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                Some(Self(json.to_owned().into()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}

/// A request, as far as it is the same for all methods.
#[derive(Debug)]
pub struct Request<'a> {
    /// What the answer is to carry.
    pub id: Id,
    /// What is called.
    pub method: Cow<'a, str>,
    /// Its parameters, an object; `None` when absent or `null`.
    pub params: Option<&'a RawValue>,
}

/// Why a request cannot be read, with the id to answer with.
#[derive(Debug)]
pub struct RequestError {
    /// The id, where it could be read; else `null`.
    pub id: Id,
    /// What is wrong.
    pub error: Error,
}

impl<'a> Request<'a> {
    /// Reads the envelope of a request.
    ///
    /// What is not JSON is a `ParseError`. A batch, another version than 2.0, a missing method, an
    /// id that is not a number, a string or `null` (or is longer than 1 KiB), and a member that stands twice are an
    /// `InvalidRequest`; so is a request without id, since A2A has no notifications. Parameters by
    /// position are `InvalidParams`.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, RequestError> {
        let envelope: Envelope<'a> = Envelope::decode(bytes)?;
        let id = envelope.id()?;
        match envelope.check() {
            Ok((method, params)) => Ok(Self { id, method, params }),
            Err(error) => Err(RequestError { id, error }),
        }
    }
}

/// The members of a request, in any order and not yet looked at.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    fn decode(bytes: &'a [u8]) -> Result<Self, RequestError> {
        serde_json::from_slice(bytes).map_err(|error| {
            let error = if error.is_data() {
                Error::invalid_request(concise(&error))
            } else {
                Error::parse_error(error.to_string())
            };
            RequestError { id: Id::NULL, error }
        })
    }

    fn id(&self) -> Result<Id, RequestError> {
        let fault = match self.id {
            None => "`id` is missing: A2A has no notifications",
            // It is repeated in every item of a stream.
            Some(raw) if raw.get().len() > MAX_ID => "`id` is too long",
            Some(raw) => match Id::of(raw) {
                Some(id) => return Ok(id),
                None => "`id` must be a string, a number or null",
            },
        };
        Err(RequestError { id: Id::NULL, error: Error::invalid_request(fault) })
    }

    fn check(&self) -> Result<(Cow<'a, str>, Option<&'a RawValue>), Error> {
        if self.jsonrpc.and_then(text).as_deref() != Some("2.0") {
            return Err(Error::invalid_request("`jsonrpc` must be \"2.0\""));
        }
        let method = match self.method {
            None => return Err(Error::invalid_request("`method` is missing")),
            Some(raw) => {
                text(raw).ok_or_else(|| Error::invalid_request("`method` must be a string"))?
            }
        };
        match self.params {
            None => Ok((method, None)),
            Some(raw) => match raw.get().as_bytes() {
                [b'{', ..] => Ok((method, Some(raw))),
                b"null" => Ok((method, None)),
                [b'[', ..] => {
                    let fault = "`params` must be an object: A2A has no parameters by position";
                    Err(Error::invalid_params("", fault))
                }
                _ => Err(Error::invalid_params("", "`params` must be an object")),
            },
        }
    }
}

/// A JSON string, without a copy where it has no escapes.
fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    struct Text;

    impl<'de> Visitor<'de> for Text {
        type Value = Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, s: &'de str) -> Result<Cow<'de, str>, E> {
            Ok(Cow::Borrowed(s))
        }

        fn visit_str<E>(self, s: &str) -> Result<Cow<'de, str>, E> {
            Ok(Cow::Owned(s.to_owned()))
        }
    }

    // Whatever is not a string has no text; the caller says so.
    raw.deserialize_str(Text).ok()
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Members<'a>(std::marker::PhantomData<&'a ()>);

        impl<'de: 'a, 'a> Visitor<'de> for Members<'a> {
            type Value = Envelope<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one request object: batches are not supported")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'a>, A::Error> {
                let mut out = Envelope::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let slot = match &*key {
                        "jsonrpc" => &mut out.jsonrpc,
                        "id" => &mut out.id,
                        "method" => &mut out.method,
                        "params" => &mut out.params,
                        _ => {
                            map.next_value::<de::IgnoredAny>()?;
                            continue;
                        }
                    };
                    if slot.replace(map.next_value()?).is_some() {
                        return Err(de::Error::custom(format_args!("`{key}` stands twice")));
                    }
                }
                Ok(out)
            }
        }

        d.deserialize_map(Members(std::marker::PhantomData))
    }
}

/// Writes a request; `params` is JSON.
pub fn request(id: &Id, method: &str, params: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + method.len() + params.len());
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(br#","method":"#);
    out.extend_from_slice(Value::from(method).to_string().as_bytes());
    out.extend_from_slice(br#","params":"#);
    out.extend_from_slice(params);
    out.push(b'}');
    out
}

/// What stands before the result in a response, with room for so many bytes more. The result
/// follows as JSON, then [`SUCCESS_SUFFIX`].
pub fn success_prefix(id: &Id, room: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(40 + id.as_json().len() + room);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(br#","result":"#);
    out
}

/// Writes a response with a result, which is JSON.
pub fn success(id: &Id, result: &[u8]) -> Vec<u8> {
    let mut out = success_prefix(id, result.len() + SUCCESS_SUFFIX.len());
    out.extend_from_slice(result);
    out.extend_from_slice(SUCCESS_SUFFIX);
    out
}

/// Writes a response with an error.
pub fn failure(id: &Id, error: &Error) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(br#","error":"#);
    out.extend_from_slice(error.to_jsonrpc_json().to_string().as_bytes());
    out.push(b'}');
    out
}

/// A response, as far as it is the same for all methods.
#[derive(Debug)]
pub struct Response<'a> {
    /// The id of the request; `null` when the server could not read it.
    pub id: Id,
    /// The result as it came, or the error.
    pub outcome: Result<&'a RawValue, Error>,
}

impl<'a> Response<'a> {
    /// Reads the envelope of a response. What is not one is an error of kind `Remote`.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::read(bytes, None)
    }

    /// As [`decode`](Self::decode), for a method that has nothing to answer: some servers leave the
    /// result out then.
    pub fn decode_empty(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::read(bytes, Some(RawValue::NULL))
    }

    fn read(bytes: &'a [u8], no_result: Option<&'a RawValue>) -> Result<Self, Error> {
        let members: ResponseMembers<'a> = serde_json::from_slice(bytes)
            .map_err(|e| Error::remote(format!("the answer is not a JSON-RPC response: {e}")))?;
        // Without an id it is no response, so not an empty one either.
        let result = members.result.or(no_result.filter(|_| members.id.is_some()));
        let id = members.id.and_then(Id::of).unwrap_or(Id::NULL);
        let outcome = match (members.error, result) {
            (Some(error), _) => Err(remote_error(error)),
            (None, Some(result)) => Ok(result),
            (None, None) => {
                return Err(Error::remote("the answer has neither a result nor an error"));
            }
        };
        Ok(Self { id, outcome })
    }
}

#[derive(serde::Deserialize)]
struct ResponseMembers<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    /// `null` here means no error.
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Keeps `null`, which is a result.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(d: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

#[derive(serde::Deserialize)]
struct ErrorObject {
    code: i64,
    #[serde(default)]
    message: String,
    data: Option<Value>,
}

fn remote_error(raw: &RawValue) -> Error {
    match serde_json::from_str::<ErrorObject>(raw.get()) {
        Ok(error) => Error::from_jsonrpc(error.code, &error.message, error.data.as_ref()),
        Err(_) => Error::new(ErrorKind::Remote, format!("malformed error: {}", raw.get())),
    }
}
