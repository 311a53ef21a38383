// Calls the person through the service worker: while a page is open by what the live line says, and by Web Push where
// the hub has a public address.

import { api } from "../api";
import { prefer, prefs } from "./prefs";

type Said = { title: string; body?: string; tag: string; url: string };

export const canNotify = () => "serviceWorker" in navigator && "Notification" in window;
export const canPush = () => canNotify() && "PushManager" in window;

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

/** Asks the browser for leave, and remembers that this browser is to be called. Whether it may be. */
export async function switchNotices(isOn: boolean): Promise<boolean> {
  const may = isOn && canNotify() && (await Notification.requestPermission()) === "granted";
  if (may) await worker();
  prefer({ notices: may });
  return may || !isOn;
}

/** Shows a notice if this browser is to be called. Several pages of it show one: they have the same tag. */
export async function callPerson(said: Said): Promise<void> {
  if (!prefs.value.notices || !canNotify() || Notification.permission !== "granted") return;
  const { title, body = "", tag, url } = said;
  await (await worker()).showNotification(title, { body, tag, icon: "/icon-192.png", data: { url } });
}

export async function subscribe(key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
  const registration = await worker();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await api.pushHere(subscription.toJSON());
}

export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await api.pushNoMore();
}
