// Who is called when an agent needs somebody: this browser, other places over HTTP, and browsers by Web Push.

import { useState } from "preact/hooks";
import { api } from "../api";
import { canNotify, canPush, subscribe, switchNotices, unsubscribe } from "../state/calls";
import { prefs } from "../state/prefs";
import { toast } from "../state/toasts";
import { isReadOnly } from "../state/world";
import { tl } from "../text-later";
import type { NotifySettings, NotifyWishes } from "../types";
import { reasonOf, tell } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { Loading } from "./screen-head";
import { Switch } from "./switch";
import { useFetched } from "./use-fetched";

export function CallsSettings() {
  const settings = useFetched(api.notify, []);
  const isOff = isReadOnly.value;
  const notices = (isOn: boolean) => void switchNotices(isOn).then((may) => may || toast("bad", tl("calls.denied")), tell);
  return (
    <section class="settings-group" id="calls">
      <h2>{tl("calls.title")}</h2>
      {canNotify() ? <Switch label={tl("calls.here")} isOn={prefs.value.notices} onSet={notices} /> : <p class="hint">{tl("calls.insecure")}</p>}
      {settings.error && <FetchProblem text={settings.error} again={settings.again} />}
      {!settings.value && settings.isLoading && <Loading />}
      {settings.value && !isOff && <Elsewhere settings={settings.value} take={settings.take} />}
      {settings.value && isOff && <p class="hint">{tl("calls.readOnly")}</p>}
    </section>
  );
}

type Props = { settings: NotifySettings; take: (settings: NotifySettings) => void };

function Elsewhere({ settings, take }: Props) {
  const { wishes, push, webhooks } = settings;
  const change = (wanted: Partial<NotifyWishes>) => void api.wish(wanted).then(take, tell);
  const setPush = async (isOn: boolean) => {
    try {
      if (isOn && push.key !== null) await subscribe(push.key);
      else await unsubscribe();
    } catch (error) {
      toast("bad", tl("calls.pushFailed", { why: reasonOf(error) }));
    }
    take(await api.notify());
  };
  const test = () =>
    void api.testNotify().then(({ told }) => {
      const bad = told.find(({ error }) => error !== null);
      if (bad) toast("bad", tl("calls.testFailed", { to: bad.to, why: bad.error ?? "" }));
      else toast("good", tl("calls.tested", { n: told.length }));
    }, tell);
  const isTold = webhooks.length > 0 || push.devices.length > 0;
  return (
    <>
      {push.key === null ? (
        <p class="hint">{tl("calls.noPush")}</p>
      ) : (
        canPush() && <Switch label={tl("calls.push")} isOn={push.is_on_here} onSet={(isOn) => void setPush(isOn)} />
      )}
      <h3>{tl("calls.webhooks")}</h3>
      <p class="hint">{tl("calls.webhooksHint")}</p>
      <ul class="device-list">
        {webhooks.map((webhook) => (
          <li key={webhook.id}>
            <span class="device-name breaks">{webhook.url}</span>
            <span class="card-note">{webhook.shape}</span>
            <button type="button" class="button small" onClick={() => void api.removeWebhook(webhook.id).then(take, tell)}>
              {tl("calls.remove")}
            </button>
          </li>
        ))}
      </ul>
      <NewWebhook take={take} />
      <h3>{tl("calls.when")}</h3>
      <Switch label={tl("calls.waiting")} isOn={wishes.waiting} onSet={(waiting) => change({ waiting })} />
      <Switch label={tl("calls.failed")} isOn={wishes.failed} onSet={(failed) => change({ failed })} />
      <Switch label={tl("calls.died")} isOn={wishes.died} onSet={(died) => change({ died })} />
      <div class="setting">
        <label for="finished-after">{tl("calls.finished")}</label>
        <input id="finished-after" type="number" min={0} max={1440} value={wishes.finished_after} onChange={(event) => change({ finished_after: Number(event.currentTarget.value) })} />
      </div>
      <div class="setting">
        <label for="quiet">{tl("calls.quiet")}</label>
        <input id="quiet" type="text" placeholder="22:00-07:00" value={wishes.quiet} onChange={(event) => change({ quiet: event.currentTarget.value })} />
      </div>
      <h3>{tl("calls.what")}</h3>
      <Switch label={tl("calls.question")} isOn={wishes.with_question} onSet={(with_question) => change({ with_question })} />
      <p class="hint">{tl("calls.questionHint")}</p>
      <Switch label={tl("calls.links")} isOn={wishes.answer_links} onSet={(answer_links) => change({ answer_links })} />
      <p class="hint">{settings.links_lead_to === null ? tl("calls.noLinks") : tl("calls.linksHint", { address: settings.links_lead_to })}</p>
      {wishes.answer_links && (
        <>
          <Switch label={tl("calls.allow")} isOn={wishes.allow_links} onSet={(allow_links) => change({ allow_links })} />
          <p class="hint">{tl("calls.allowHint")}</p>
        </>
      )}
      {isTold && (
        <div class="form-acts is-left">
          <button type="button" class="button" onClick={test}>
            {tl("calls.test")}
          </button>
        </div>
      )}
    </>
  );
}

function NewWebhook({ take }: { take: (settings: NotifySettings) => void }) {
  const [url, setUrl] = useState("");
  const [token, setToken] = useState("");
  const [shape, setShape] = useState<"ntfy" | "json">("ntfy");
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      take(await api.addWebhook({ url, shape, ...(token === "" ? {} : { token }) }));
      setUrl("");
      setToken("");
      setProblem(null);
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  return (
    <form class="form" onSubmit={(event) => void add(event)}>
      <label>
        <span>{tl("calls.address")}</span>
        <input type="url" required value={url} placeholder="https://ntfy.sh/my-topic" onInput={(event) => setUrl(event.currentTarget.value)} />
      </label>
      <label>
        <span>{tl("calls.shape")}</span>
        <select value={shape} onChange={(event) => setShape(event.currentTarget.value as "ntfy" | "json")}>
          <option value="ntfy">{tl("calls.ntfy")}</option>
          <option value="json">{tl("calls.json")}</option>
        </select>
      </label>
      <label>
        <span>{tl("calls.token")}</span>
        <input type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
      </label>
      {problem !== null && (
        <div class="problem" role="alert">
          {problem}
        </div>
      )}
      <div class="form-acts is-left">
        <button type="submit" class="button">
          {tl("calls.add")}
        </button>
      </div>
    </form>
  );
}
