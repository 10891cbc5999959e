"""A merchant's system in Python, with the client that openapi-python-client generates."""

import datetime
import http.server
import os
import queue
import threading

import httpx
import standardwebhooks

from homeward_client import AuthenticatedClient
from homeward_client.api.orders import publish_orders
from homeward_client.api.returns import read_return, start_return
from homeward_client.models import (
    ReturnAnswer,
    ReturnRequest,
    ReturnsPortalOrderMessage,
    TakenIn,
)

received: "queue.Queue[dict]" = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Accepts messages whose signature fits."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        webhook = standardwebhooks.Webhook(os.environ["SIGNING_SECRET"])
        headers = {name.lower(): value for name, value in self.headers.items()}
        received.put(webhook.verify(body, headers))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


def make_order() -> dict:
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    address = {
        "name": "Lena Brandt",
        "street1": "Lindenweg 7",
        "city": "Hamburg",
        "state": "",
        "zip_code": "20095",
        "country_code": "DE",
    }
    line = {
        "identifier": "ORD-1-1",
        "sku": "SCARF-RED",
        "quantity": 1,
        "quantity_shipped": 1,
        "quantity_canceled": 0,
        "product_identifier": "SCARF-RED",
        "variant_identifier": "SCARF",
        "title": "Wool scarf, red",
        "tags": [],
        "product_amount_cents": 3900,
        "tax_amount_cents": 0,
        "discount_amount_cents": 0,
        "unit_price_amount_cents": 3900,
        "shipped_date": now,
    }
    return {
        "identifier": "ORD-1",
        "status": "Shipped",
        "currency": "EUR",
        "tags": [],
        "created_at": now,
        "updated_at": now,
        "total_amount_cents": 3900,
        "product_amount_cents": 3900,
        "tax_amount_cents": 0,
        "discount_amount_cents": 0,
        "shipping_amount_cents": 0,
        "shipping_tax_amount_cents": 0,
        "customer": {"identifier": "C-1", "email": "lena.brandt@example.com"},
        "shipping_address": address,
        "billing_address": address,
        "items": [line],
        "transactions": [],
        "refunds": [],
        "discounts": [],
    }


address = os.environ["ADDRESS"]
server = http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

# The module that is generated for tokens cannot be imported, because their request has two media
# types. Most systems have a library for OAuth anyway.
credentials = (os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
token = httpx.post(
    f"{address}/oauth/token", data={"grant_type": "client_credentials"}, auth=credentials
)
token.raise_for_status()
client = AuthenticatedClient(base_url=address, token=token.json()["access_token"])

message = {"returns_portal_order": {"orders": [make_order()]}}
published = publish_orders.sync(
    client=client, body=ReturnsPortalOrderMessage.from_dict(message), api_version="3"
)
assert isinstance(published, TakenIn) and published.orders[0].result == "created", published

item = {
    "order_identifier": "ORD-1",
    "order_line_item_identifier": "ORD-1-1",
    "quantity": 1,
    "return_reason": "too_small",
    "resolution": "refund",
}
request = {"email": "lena.brandt@example.com", "return_method": "mail-back", "items": [item]}
started = start_return.sync(client=client, body=ReturnRequest.from_dict(request))
assert isinstance(started, ReturnAnswer), started
rma = started.rma_identifier

read = read_return.sync(rma, client=client)
assert isinstance(read, ReturnAnswer) and read.items[0].sku == "SCARF-RED", read

rma_message = received.get(timeout=60)
assert rma_message["rma_identifier"] == rma and len(rma_message["items"]) == 1, rma_message
print(f"Python: {rma} is {rma_message['status']}")
