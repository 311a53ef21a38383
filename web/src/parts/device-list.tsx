// The browsers that may come in, and a way to let in another one.

import { useState } from "preact/hooks";
import { api } from "../api";
import { isReadOnly } from "../state/world";
import { t, tn } from "../text";
import { ConfirmButton } from "./confirm-button";
import { CopyButton } from "./copy-button";
import { tell } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { QrCode } from "./qr-code";
import { Since } from "./since";
import { useFetched } from "./use-fetched";

export function DeviceList() {
  const list = useFetched(api.devices, []);
  const [invitation, setInvitation] = useState<{ url: string; isReadOnly: boolean } | null>(null);
  const invite = (readOnly: boolean) => api.invite(readOnly).then(({ url }) => setInvitation({ url, isReadOnly: readOnly }), tell);
  const revoke = (id: string) => api.revoke(id).then(list.again, tell);
  const others = list.value?.devices.filter((device) => !device.current) ?? [];
  const revokeOthers = () => Promise.all(others.map((device) => api.revoke(device.id))).catch(tell).finally(list.again);
  return (
    <section class="settings-group">
      <h2>{t("devices.title")}</h2>
      {list.error && <FetchProblem text={list.error} again={list.again} />}
      <ul class="device-list">
        {list.value?.devices.map((device) => (
          <li key={device.id}>
            <span class="device-name">
              {device.name}
              {device.current && <span class="agent-tool">{t("devices.this")}</span>}
              {device.read_only && <span class="agent-tool">{t("devices.readOnly")}</span>}
            </span>
            <span class="card-note">
              {t("devices.seen")} <Since at={device.last_seen_at} /> · {t("devices.added")} <Since at={device.created_at} />
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
          {others.length > 1 && <ConfirmButton label={t("devices.revokeOthers")} confirm={tn("devices.revokeSure", others.length)} onConfirm={() => void revokeOthers()} />}
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
