//! The services that tools expect beside ours: health and reflection.

use super::descriptor;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;
use futures_util::stream::{self, BoxStream, StreamExt};
use http::Response;
use http_body_util::{BodyStream, StreamBody};
use sabir_types::Operation;
use std::convert::Infallible;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::server::NamedService;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_reflection::server::Builder;
use tower_service::Service;

/// `grpc.health.v1.Health`, and `ServerReflection` of `grpc.reflection.v1` and `v1alpha`.
pub(crate) fn services(closing: &CancellationToken) -> Router {
    let health = HealthServer::new(Standing { closing: closing.clone() });
    let mut router = add(Router::new(), health, closing);
    let files = descriptor::files();
    let reflection = || {
        Builder::configure()
            .register_file_descriptor_set(files.clone())
            .with_service_name(Operation::GRPC_SERVICE)
    };
    // A test holds the descriptors to the definition, so they are sound.
    match (reflection().build_v1(), reflection().build_v1alpha()) {
        (Ok(v1), Ok(v1alpha)) => router = add(add(router, v1, closing), v1alpha, closing),
        (Err(error), _) | (_, Err(error)) => tracing::error!(%error, "no gRPC reflection"),
    }
    router
}

/// Whether the path is that of one of them.
pub(crate) fn is_theirs(path: &str) -> bool {
    path.starts_with("/grpc.health.") || path.starts_with("/grpc.reflection.")
}

fn add<S>(router: Router, service: S, closing: &CancellationToken) -> Router
where
    S: Service<Request, Response = Response<tonic::body::Body>, Error = Infallible>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    let closing = closing.clone();
    let handler = move |request: Request| {
        let (mut service, closed) = (service.clone(), closing.clone().cancelled_owned());
        // Whoever keeps a call open does not keep the server from closing.
        let request = request
            .map(|body| Body::new(StreamBody::new(BodyStream::new(body).take_until(closed))));
        async move { service.call(request).await }
    };
    router.route(&format!("/{}/{{method}}", S::NAME), any(handler))
}

/// Whether the server takes calls.
struct Standing {
    closing: CancellationToken,
}

impl Standing {
    fn now(&self, service: &str) -> ServingStatus {
        match service {
            "" | Operation::GRPC_SERVICE if self.closing.is_cancelled() => {
                ServingStatus::NotServing
            }
            "" | Operation::GRPC_SERVICE => ServingStatus::Serving,
            _ => ServingStatus::ServiceUnknown,
        }
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}

#[tonic::async_trait]
impl Health for Standing {
    async fn check(
        &self,
        request: tonic::Request<HealthCheckRequest>,
    ) -> Result<tonic::Response<HealthCheckResponse>, Status> {
        match self.now(&request.get_ref().service) {
            ServingStatus::ServiceUnknown => Err(Status::not_found("there is no such service")),
            status => Ok(tonic::Response::new(response(status))),
        }
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    /// As it is now, then the end.
    async fn watch(
        &self,
        request: tonic::Request<HealthCheckRequest>,
    ) -> Result<tonic::Response<Self::WatchStream>, Status> {
        let now = self.now(&request.get_ref().service);
        let closed = self.closing.clone().cancelled_owned();
        let last = async move {
            closed.await;
            let known = now != ServingStatus::ServiceUnknown;
            Ok(response(if known { ServingStatus::NotServing } else { now }))
        };
        let statuses = stream::iter([Ok(response(now))]).chain(stream::once(last));
        Ok(tonic::Response::new(statuses.boxed()))
    }
}
