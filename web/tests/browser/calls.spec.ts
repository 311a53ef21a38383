import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./fixtures";
import { World } from "./world";

type Shown = { title: string; body: string; actions: string[] };

/** What the service worker shows. */
const notices = async (): Promise<Shown[]> => {
  const registration = await navigator.serviceWorker.getRegistration();
  const shown = (await registration?.getNotifications()) ?? [];
  return shown.map(({ title, body, actions = [] }: Notification & { actions?: { action: string }[] }) => ({ title, body, actions: actions.map(({ action }) => action) }));
};

test("this browser is called through its service worker while a page is open", async ({ enter, world, fresh, context, browserName }) => {
  test.skip(browserName !== "chromium", "the permission is granted by its protocol");
  await context.grantPermissions(["notifications"], { origin: world.url });
  const handle = fresh("caller");
  const page = await enter("/settings");
  const group = page.locator("#calls");
  await group.getByRole("switch", { name: "Notify this browser while a page is open" }).click();
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined)).toBe(true);
  await page.goto(`${world.url}/`);
  world.send(handle, "ask:yn Really?");
  await expect.poll(async () => (await page.evaluate(notices)).map(({ title }) => title)).toEqual([expect.stringContaining(handle)]);
  world.synapse("answer", handle, "yes");
});

test("webhooks are added, tried and removed, and a wrong address is named", async ({ enter }) => {
  const page = await enter("/settings");
  const posted: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => posted.push(String(chunk)));
    request.on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const group = page.locator("#calls");
  await group.getByLabel("Address").fill(`http://127.0.0.1:${port}/`);
  await group.getByRole("button", { name: "Add webhook" }).click();
  await expect(group.getByRole("alert")).toContainText("names no topic");
  await group.getByLabel("Address").fill(`http://127.0.0.1:${port}/topic`);
  await group.getByRole("button", { name: "Add webhook" }).click();
  await group.getByRole("button", { name: "Send a test" }).click();
  await expect.poll(() => posted.join("")).toContain('"topic":"topic"');
  await group.getByRole("button", { name: "Remove webhook" }).click();
  await expect(group.getByRole("button", { name: "Remove webhook" })).toHaveCount(0);
  server.close();
});

test("a push can be read by the browser alone, and its service worker shows it with answers", async ({ browser }, info) => {
  test.skip(info.project.name !== "desktop", "the same worker everywhere");
  const world = new World();
  const pushes: { head: Record<string, string | string[] | undefined>; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      pushes.push({ head: request.headers, body: Buffer.concat(pieces) });
      response.writeHead(201).end();
    });
  }).listen(0, "127.0.0.1");
  try {
    world.makeRepository();
    const link = await world.startHub("--public-url", "https://agents.example");
    const context = await browser.newContext();
    await context.grantPermissions(["notifications"], { origin: world.url });
    const page = await context.newPage();
    await page.goto(link);
    await expect(page.getByRole("main")).toBeVisible();
    const { port } = server.address() as AddressInfo;
    const keys = createECDH("prime256v1");
    keys.generateKeys();
    const auth = randomBytes(16);
    const subscription = { endpoint: `http://127.0.0.1:${port}/push/1`, keys: { p256dh: keys.getPublicKey("base64url"), auth: auth.toString("base64url") } };
    const set = await page.evaluate(async (said) => {
      const answer = await fetch("/api/notify/push", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said) });
      return (await answer.json()) as { push: { key: string } };
    }, subscription);
    world.startAgent("pushed");
    world.send("pushed", "ask:yn Really?");
    await expect.poll(() => pushes.length, { timeout: 15_000 }).toBe(1);
    const [push] = pushes;
    if (!push) throw new Error("no push");
    const { word, key } = /^vapid t=(?<word>[^,]+), k=(?<key>.+)$/.exec(String(push.head["authorization"]))?.groups ?? {};
    expect(key).toBe(set.push.key);
    expect(isSigned(word ?? "", key ?? "")).toBe(true);
    const said = JSON.parse(opened(push.body, keys.getPrivateKey(), keys.getPublicKey(), auth)) as { title: string; url: string; actions: { action: string; url: string }[] };
    expect(said.title).toBe("@pushed waits for you");
    expect(said.actions.map(({ action }) => action)).toEqual(["yes", "no"]);
    expect(JSON.stringify(said)).not.toContain("Really");

    // The browser's own half, without the service of its maker.
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/sw.js");
      await navigator.serviceWorker.ready;
    });
    const devtools = await context.newCDPSession(page);
    const registered = new Promise<string>((found) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && found(registrations[0].registrationId));
    });
    await devtools.send("ServiceWorker.enable");
    await devtools.send("ServiceWorker.deliverPushMessage", { origin: world.url, registrationId: await registered, data: JSON.stringify(said) });
    await expect.poll(() => page.evaluate(notices)).toEqual([{ title: "@pushed waits for you", body: "", actions: ["yes", "no"] }]);
    // What the notice has answers once.
    const yes = said.actions.find(({ action }) => action === "yes")?.url ?? "";
    const press = () => page.evaluate(async (url) => (await fetch(url, { method: "POST" })).status, yes);
    expect(await press()).toBe(200);
    expect(await press()).toBe(410);
    await context.close();
  } finally {
    server.close();
    await world.end();
  }
});

const hmac = (key: Buffer, ...text: (Buffer | string)[]) => text.reduce((sum, piece) => sum.update(piece), createHmac("sha256", key)).digest();
const expand = (secret: Buffer, info: Buffer | string, length: number) => hmac(secret, info, Buffer.from([1])).subarray(0, length);

/** RFC 8291, as the browser does it. */
function opened(body: Buffer, own: Buffer, ownPublic: Buffer, auth: Buffer): string {
  const [salt, length] = [body.subarray(0, 16), body[20] ?? 0];
  const theirs = body.subarray(21, 21 + length);
  const record = body.subarray(21 + length);
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(own);
  const material = expand(hmac(auth, curve.computeSecret(theirs)), Buffer.concat([Buffer.from("WebPush: info\0"), ownPublic, theirs]), 32);
  const secret = hmac(salt, material);
  const decipher = createDecipheriv("aes-128-gcm", expand(secret, "Content-Encoding: aes128gcm\0", 16), expand(secret, "Content-Encoding: nonce\0", 12));
  decipher.setAuthTag(record.subarray(-16));
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  expect(text.at(-1)).toBe(2);
  return String(text.subarray(0, -1));
}

/** Whether the word of RFC 8292 was signed with that key. */
function isSigned(word: string, key: string): boolean {
  const [head = "", claims = "", signature = ""] = word.split(".");
  const point = Buffer.from(key, "base64url");
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
  const known = createPublicKey({ key: jwk, format: "jwk" });
  return verify("sha256", Buffer.from(`${head}.${claims}`), { key: known, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
}
