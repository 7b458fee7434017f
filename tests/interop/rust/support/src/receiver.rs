//! A webhook that keeps what it is told.

use crate::Why;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// How long the next delivery may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// One call of the webhook.
#[derive(Debug)]
pub struct Delivery {
    headers: HeaderMap,
    pub body: Value,
}

impl Delivery {
    /// A header, empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Listens on a loopback port.
#[derive(Debug)]
pub struct Receiver {
    pub url: String,
    deliveries: UnboundedReceiver<Delivery>,
}

impl Receiver {
    pub async fn start() -> Result<Self, Why> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let (sender, deliveries) = unbounded_channel();
        let app = Router::new().route("/hook", post(keep)).with_state(sender);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Ok(Self { url, deliveries })
    }

    /// All deliveries up to the first of which `is_last` holds.
    pub async fn until(
        &mut self,
        is_last: impl Fn(&Delivery) -> bool,
    ) -> Result<Vec<Delivery>, Why> {
        let mut told = Vec::new();
        while !told.last().is_some_and(&is_last) {
            match timeout(PATIENCE, self.deliveries.recv()).await {
                Ok(Some(delivery)) => told.push(delivery),
                _ => return Err(format!("nothing more after {told:?}").into()),
            }
        }
        Ok(told)
    }
}

/// Kept before it is answered: the next delivery may begin with the answer.
async fn keep(
    State(sender): State<UnboundedSender<Delivery>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> StatusCode {
    match sender.send(Delivery { headers, body }) {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::GONE,
    }
}
