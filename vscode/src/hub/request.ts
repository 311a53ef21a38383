// One request to a hub of this machine. Its own certificate is the only one it may show.

import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { X509Certificate } from "node:crypto";
import type { PeerCertificate } from "node:tls";

export type Place = {
  url: string;
  /** The file of its certificate, where it speaks TLS. */
  certificate: string | null;
};

export type Reply = { status: number; headers: http.IncomingHttpHeaders; body: string };

/** What a connection to the place needs beside its address. */
export function trust(place: Place): https.RequestOptions {
  if (place.certificate === null) return {};
  const pem = readFileSync(place.certificate, "utf8");
  const own = new X509Certificate(pem).raw;
  // The certificate may name another machine; that it is the very one in the file is more than a name.
  const checkServerIdentity = (_: string, shown: PeerCertificate) =>
    shown.raw.equals(own) ? undefined : new Error("the hub shows another certificate than the one in its file");
  return { ca: pem, checkServerIdentity };
}

export function request(place: Place, method: string, path: string, headers: Record<string, string>, body: string | null): Promise<Reply> {
  const url = new URL(path, place.url);
  // A path must not lead to another machine.
  if (url.origin !== new URL(place.url).origin) return Promise.reject(new Error(`${path} is no path of the hub`));
  const begin = url.protocol === "https:" ? https.request : http.request;
  return new Promise((answer, fail) => {
    const sent = begin(url, { method, headers, ...trust(place) }, (got) => {
      const chunks: Buffer[] = [];
      got.on("data", (chunk: Buffer) => chunks.push(chunk));
      got.on("error", fail);
      got.on("end", () => answer({ status: got.statusCode ?? 0, headers: got.headers, body: Buffer.concat(chunks).toString("utf8") }));
    });
    sent.on("error", fail);
    sent.end(body ?? undefined);
  });
}
