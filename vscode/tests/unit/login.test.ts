import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cookieOf, findBinary, headersOf, NoBinary } from "../../src/hub/login";
import { request } from "../../src/hub/request";

function program(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "synapse"), "#!/bin/sh\n");
  chmodSync(join(folder, "synapse"), 0o755);
  return join(folder, "synapse");
}

test("the binary is found on the PATH, and where it is installed", () => {
  const home = mkdtempSync(join(tmpdir(), "synapse-vscode-"));
  assert.throws(() => findBinary("synapse", "", home), NoBinary);
  const own = program(join(home, ".local/bin"));
  assert.equal(findBinary("synapse", "", home), own);
  const first = program(join(home, "bin"));
  assert.equal(findBinary("synapse", join(home, "bin"), home), first);
  assert.equal(findBinary("~/x/synapse", "", home), join(home, "x/synapse"));
  assert.equal(findBinary("", join(home, "bin"), home), first);
});

test("the session's cookie is the hub's, whatever else is set", () => {
  assert.equal(cookieOf(["other=1; Path=/", "synapse_8180=secret; HttpOnly; SameSite=Strict"]), "secret");
  assert.throws(() => cookieOf([]), /no cookie/);
});

test("a login is shown to the port it is for", () => {
  const headers = headersOf({ url: "http://127.0.0.1:4711", certificate: null, secret: "s", key: "k" });
  assert.deepEqual(headers, { Cookie: "synapse_4711=s", "X-Synapse-Key": "k", Origin: "http://127.0.0.1:4711" });
});

test("no request leaves for another machine", async () => {
  const place = { url: "http://127.0.0.1:4711", certificate: null };
  for (const path of ["//evil.example/api", "http://evil.example/"]) await assert.rejects(request(place, "GET", path, {}, null), /no path of the hub/);
});
