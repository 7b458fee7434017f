//! How callers authenticate, in the words of OpenAPI.

use crate::auth::Security;
use sabir_types::{OAuth2SecurityScheme, SecurityScheme};
use serde_json::{Map, Value, json};

pub(super) fn schemes(security: &Security) -> Value {
    let schemes = security.schemes.iter().map(|(name, scheme)| (name.clone(), describe(scheme)));
    schemes.collect::<Map<_, _>>().into()
}

/// One of these is enough.
pub(super) fn requirements(security: &Security) -> Value {
    let requirements = security.requirements.iter().map(|requirement| {
        let schemes = requirement.schemes.iter();
        schemes.map(|(name, scopes)| (name.clone(), json!(scopes.list))).collect::<Map<_, _>>()
    });
    requirements.map(Value::from).collect()
}

fn describe(scheme: &SecurityScheme) -> Value {
    match scheme {
        SecurityScheme::ApiKey(key) => {
            json!({"type": "apiKey", "in": key.location, "name": key.name})
        }
        SecurityScheme::HttpAuth(http) => {
            json!({"type": "http", "scheme": http.scheme.to_ascii_lowercase()})
        }
        SecurityScheme::OAuth2(oauth) => json!({"type": "oauth2", "flows": flows(oauth)}),
        SecurityScheme::OpenIdConnect(connect) => {
            json!({"type": "openIdConnect", "openIdConnectUrl": connect.open_id_connect_url})
        }
        // What is not known here is nothing that OpenAPI could say.
        _ => json!({"type": "mutualTLS"}),
    }
}

/// OpenAPI has the flows under the same names, but for the device's.
fn flows(oauth: &OAuth2SecurityScheme) -> Value {
    let mut flows = serde_json::to_value(&oauth.flows).unwrap_or_default();
    if let Some(flows) = flows.as_object_mut() {
        flows.remove("deviceCode");
        for flow in flows.values_mut().filter_map(Value::as_object_mut) {
            flow.remove("pkceRequired");
        }
    }
    flows
}
