//! JSON-RPC 2.0 over HTTP (specification section 9).

use super::{Outgoing, headers};
use crate::http::{Http, HttpAnswer, HttpRequest};
use bytes::Bytes;
use http::Method;
use sabir_compat::Dialect;
use sabir_types::jsonrpc::{Id, Response, request};
use sabir_types::{Error, Operation};
use url::Url;

/// JSON-RPC at one URL.
#[derive(Clone, Debug)]
pub(crate) struct JsonRpc {
    pub(super) url: Url,
    pub(super) dialect: Dialect,
}

/// Every call is a request of its own, so one id does for all.
fn id() -> Id {
    Id::number(1)
}

impl JsonRpc {
    pub(super) fn request(
        &self,
        operation: Operation,
        mut message: impl Outgoing,
        tenant: Option<&str>,
    ) -> Result<HttpRequest, Error> {
        *message.tenant() = tenant.map(str::to_owned);
        let method = match self.dialect {
            Dialect::V1_0 => Some(operation.name()),
            Dialect::Kind | Dialect::Proto(_) => operation.v0_3_method(),
        };
        let method = method.ok_or_else(|| {
            Error::unsupported_operation(format!(
                "{operation} has no method in JSON-RPC of A2A 0.3"
            ))
        })?;
        let mut params = Vec::with_capacity(256);
        self.dialect.write_json(message, &mut params)?;
        let body = request(&id(), method, &params);
        let url = self.url.clone();
        Ok(HttpRequest {
            method: Method::POST,
            url,
            headers: headers(),
            body: Some(body.into()),
            shown: None,
        })
    }

    pub(super) fn answer(
        &self,
        operation: Operation,
        answer: &HttpAnswer,
        http: &Http,
    ) -> Result<Bytes, Error> {
        let is_empty = operation == Operation::DeleteTaskPushNotificationConfig;
        let response = if is_empty {
            Response::decode_empty(&answer.body)
        } else {
            Response::decode(&answer.body)
        };
        match response {
            Ok(response) => match response.outcome {
                Ok(_) if response.id != id() => {
                    Err(answer.unreadable(http, "it answers another request").into())
                }
                Ok(_) if is_empty => Ok(Bytes::new()),
                Ok(result) => Ok(answer.body.slice_ref(result.get().as_bytes())),
                Err(error) => Err(error),
            },
            Err(_) if is_empty && answer.status.is_success() && answer.body.is_empty() => {
                Ok(Bytes::new())
            }
            // Not JSON-RPC at all: the status says more, if it is an error.
            Err(_) if !answer.status.is_success() => Err(answer.failure(http).into()),
            Err(error) => Err(answer.unreadable(http, error.message()).into()),
        }
    }

    pub(super) fn event(&self, data: &Bytes) -> Result<Bytes, Error> {
        let response = Response::decode(data)
            .map_err(|error| Error::invalid_agent_response(error.message()).with_source(error))?;
        response.outcome.map(|result| data.slice_ref(result.get().as_bytes()))
    }
}
