// The browsers that may come in, and a way to let in another one.

import { useState } from "preact/hooks";
import { api } from "../api";
import { isReadOnly } from "../state/world";
import { t, tn } from "../text";
import { tl } from "../text-later";
import { ConfirmButton } from "./confirm-button";
import { CopyButton } from "./copy-button";
import { tell } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { Icon } from "./icon";
import { QrCode } from "./qr-code";
import { Since } from "./since";
import { useFetched } from "./use-fetched";

export function DeviceList() {
  const list = useFetched(api.devices, []);
  const [invitation, setInvitation] = useState<{ url: string; isReadOnly: boolean } | null>(null);
  const invite = (readOnly: boolean) => api.invite(readOnly).then(({ url }) => setInvitation({ url, isReadOnly: readOnly }), tell);
  const revoke = (id: string) => api.revoke(id).then(list.again, tell);
  const others = list.value?.devices.filter((device) => !device.current) ?? [];
  const revokeOthers = () => api.revokeOthers().then(list.again, tell);
  const rename = (id: string, name: string) => api.rename(id, name).then(list.again, tell);
  return (
    <section class="settings-group">
      <h2>{t("devices.title")}</h2>
      {list.error && <FetchProblem text={list.error} again={list.again} />}
      <ul class="device-list">
        {list.value?.devices.map((device) => (
          <li key={device.id}>
            <span class="device-name">
              <DeviceName key={device.name} name={device.name} onRename={isReadOnly.value ? null : (name) => void rename(device.id, name)} />
              {device.current && <span class="agent-tool">{t("devices.this")}</span>}
              {device.read_only && <span class="agent-tool">{t("devices.readOnly")}</span>}
            </span>
            <span class="card-note">
              {t("devices.seen")} <Since at={device.last_seen_at} /> · {t("devices.added")} <Since at={device.created_at} />
              {device.address !== null && ` · ${device.address === "proxy" ? tl("devices.proxy") : tl("devices.address", { address: device.address })}`}
            </span>
            {!device.current && !isReadOnly.value && (
              <button type="button" class="button small" onClick={() => void revoke(device.id)}>
                {t("devices.revoke")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly.value && (
        <div class="form-acts is-left">
          <button type="button" class="button" onClick={() => void invite(false)}>
            {t("devices.invite")}
          </button>
          <button type="button" class="button" onClick={() => void invite(true)}>
            {t("devices.inviteReadOnly")}
          </button>
          {others.length > 0 && <ConfirmButton label={t("devices.revokeOthers")} confirm={tn("devices.revokeSure", others.length)} onConfirm={() => void revokeOthers()} />}
        </div>
      )}
      {invitation && (
        <div class="card invitation">
          <QrCode text={invitation.url} />
          <div>
            <p>{invitation.isReadOnly ? t("devices.linkReadOnly") : t("devices.link")}</p>
            <code class="breaks">{invitation.url}</code>
            <p>
              <CopyButton text={invitation.url} />
            </p>
            <p class="hint">{t("devices.loopback")}</p>
          </div>
        </div>
      )}
    </section>
  );
}

function DeviceName({ name, onRename }: { name: string; onRename: ((name: string) => void) | null }) {
  const [draft, setDraft] = useState<string | null>(null);
  if (!onRename || draft === null) {
    return (
      <>
        {name}
        {onRename && (
          <button type="button" class="icon-button small" aria-label={`${tl("devices.rename")}: ${name}`} title={tl("devices.rename")} onClick={() => setDraft(name)}>
            <Icon name="edit" />
          </button>
        )}
      </>
    );
  }
  const save = (event: Event) => {
    event.preventDefault();
    setDraft(null);
    if (draft.trim() !== "" && draft.trim() !== name) onRename(draft.trim());
  };
  return (
    <form class="form-acts is-left" onSubmit={save}>
      <input type="text" maxLength={60} value={draft} aria-label={tl("devices.name")} onInput={(event) => setDraft(event.currentTarget.value)} />
      <button type="submit" class="button small">
        {tl("devices.rename")}
      </button>
    </form>
  );
}
