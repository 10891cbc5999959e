// A merchant's system in TypeScript, with the types that openapi-typescript generates.

import { createServer } from "node:http";
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import type { components, paths, webhooks } from "./api.js";

type Order = components["schemas"]["Order"];
type RmaMessage =
  webhooks["rma"]["post"]["requestBody"]["content"]["application/json"];

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

// Resolves with the first message whose signature fits.
function receive(port: number, secret: string): Promise<RmaMessage> {
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        try {
          const headers = request.headers as Record<string, string>;
          const body = Buffer.concat(pieces).toString("utf8");
          resolve(new Webhook(secret).verify(body, headers) as RmaMessage);
          response.writeHead(200).end();
        } catch (error) {
          response.writeHead(400).end();
          reject(error);
        }
        server.close();
        server.closeAllConnections();
      });
    });
    server.listen(port, "127.0.0.1");
  });
}

function makeOrder(): Order {
  const now = new Date().toISOString();
  const address = {
    name: "Lena Brandt", street1: "Lindenweg 7", city: "Hamburg", state: "", zip_code: "20095",
    country_code: "DE",
  };
  return {
    identifier: "ORD-1", status: "Shipped", currency: "EUR", tags: [], created_at: now,
    updated_at: now, total_amount_cents: 3900, product_amount_cents: 3900, tax_amount_cents: 0,
    discount_amount_cents: 0, shipping_amount_cents: 0, shipping_tax_amount_cents: 0,
    customer: { identifier: "C-1", email: "lena.brandt@example.com" },
    shipping_address: address, billing_address: address,
    items: [{
      identifier: "ORD-1-1", sku: "SCARF-RED", quantity: 1, quantity_shipped: 1,
      quantity_canceled: 0, product_identifier: "SCARF-RED", variant_identifier: "SCARF",
      title: "Wool scarf, red", tags: [], product_amount_cents: 3900, tax_amount_cents: 0,
      discount_amount_cents: 0, unit_price_amount_cents: 3900, shipped_date: now,
    }],
    transactions: [], refunds: [], discounts: [],
  };
}

const client = createClient<paths>({ baseUrl: setting("ADDRESS") });
const token = await client.POST("/oauth/token", {
  body: {
    grant_type: "client_credentials", client_id: setting("CLIENT_ID"),
    client_secret: setting("CLIENT_SECRET"),
  },
});
check(token.data !== undefined, "no token");
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${token.data.access_token}`);
  },
});
const received = receive(Number(setting("PORT")), setting("SIGNING_SECRET"));

const published = await client.POST("/returns_portal_orders", {
  params: { header: { "Api-Version": "3" } },
  body: { returns_portal_order: { orders: [makeOrder()] } },
});
check(published.data?.orders[0]?.result === "created", JSON.stringify(published.error));

const started = await client.POST("/returns", {
  body: {
    email: "lena.brandt@example.com", return_method: "mail-back",
    items: [{
      order_identifier: "ORD-1", order_line_item_identifier: "ORD-1-1", quantity: 1,
      return_reason: "too_small", resolution: "refund",
    }],
  },
});
check(started.data !== undefined, JSON.stringify(started.error));
const rma = started.data.rma_identifier;

const read = await client.GET("/returns/{rma}", { params: { path: { rma } } });
check(read.data?.items[0]?.sku === "SCARF-RED", JSON.stringify(read.error));

const message = await received;
check(message.rma_identifier === rma && message.items.length === 1, JSON.stringify(message));
console.log(`TypeScript: ${rma} is ${message.status}`);
