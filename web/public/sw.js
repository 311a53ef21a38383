// Shows what the page or a push service tells, and answers with what stands on a notice. It caches nothing and knows
// nothing: the hub decides which answers a notice has.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let said = {};
  try {
    said = event.data ? event.data.json() : {};
  } catch {
    // Something is to be shown in any case: a browser ends a subscription that stays silent.
  }
  event.waitUntil(show(said));
});

function show({ title = "Synapse", body = "", tag, url = "/", actions = [] }) {
  const links = Object.fromEntries(actions.map((one) => [one.action, one.url]));
  return self.registration.showNotification(title, {
    body,
    tag,
    renotify: tag !== undefined,
    icon: "/icon-192.png",
    data: { url, links },
    actions: actions.map(({ action, title: label }) => ({ action, title: label })),
  });
}

self.addEventListener("notificationclick", (event) => {
  const { url = "/", links = {} } = event.notification.data ?? {};
  const link = links[event.action];
  event.notification.close();
  event.waitUntil(typeof link === "string" && link.startsWith("/answer/") ? answer(link, url) : open(url));
});

/** What could not be answered is looked at. */
async function answer(link, url) {
  const answered = await fetch(link, { method: "POST" }).catch(() => null);
  if (!answered?.ok) await open(url);
}

async function open(url) {
  const address = new URL(typeof url === "string" && url.startsWith("/") ? url : "/", self.location.origin).href;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const page of pages) {
    const shown = await page.focus().catch(() => null);
    if (shown) {
      await shown.navigate(address).catch(() => null);
      return;
    }
  }
  await self.clients.openWindow(address);
}
