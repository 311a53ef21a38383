// Taste, devices, and what the hub knows.

import { api } from "../api";
import { AutoAnswerSettings } from "../parts/auto-answer-settings";
import { DeviceList } from "../parts/device-list";
import { tell } from "../parts/failure";
import { FetchProblem } from "../parts/fetch-problem";
import { Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { Switch } from "../parts/switch";
import { UsageTable } from "../parts/usage";
import { useFetched } from "../parts/use-fetched";
import { prefer, prefs, type Language, type Theme } from "../state/prefs";
import { loggedOut } from "../state/world";
import { t } from "../text";

const LANGUAGES: readonly { code: Language; name: string }[] = [
  { code: "en", name: "English" },
  { code: "ja", name: "日本語" },
];

export function SettingsScreen() {
  const settings = useFetched(api.settings, []);
  const chosen = prefs.value;
  const out = () => api.logout().then(loggedOut, tell);
  return (
    <>
      <ScreenHead title={t("nav.settings")}>
        <button type="button" class="button" onClick={() => void out()}>
          {t("settings.logout")}
        </button>
      </ScreenHead>
      <div class="screen-body narrow">
        <section class="settings-group">
          <h2>{t("settings.look")}</h2>
          <div class="setting">
            <label for="language">{t("settings.language")}</label>
            <select id="language" value={chosen.language} onChange={(event) => prefer({ language: event.currentTarget.value as Language })}>
              {LANGUAGES.map(({ code, name }) => (
                <option key={code} value={code} lang={code}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div class="setting">
            <label for="theme">{t("settings.theme")}</label>
            <select id="theme" value={chosen.theme} onChange={(event) => prefer({ theme: event.currentTarget.value as Theme })}>
              {(["system", "light", "dark"] as const).map((theme) => (
                <option key={theme} value={theme}>
                  {t(`theme.${theme}`)}
                </option>
              ))}
            </select>
          </div>
        </section>
        <section class="settings-group">
          <h2>{t("settings.behaviour")}</h2>
          <Switch label={t("settings.esc")} isOn={chosen.escStops} onSet={(escStops) => prefer({ escStops })} />
          <Switch label={t("settings.letterKeys")} isOn={chosen.letterKeys} onSet={(letterKeys) => prefer({ letterKeys })} />
          <Switch label={t("settings.sound")} isOn={chosen.sound} onSet={(sound) => prefer({ sound })} />
          <Switch label={t("settings.readers")} isOn={chosen.terminalForReaders} onSet={(terminalForReaders) => prefer({ terminalForReaders })} />
          <p class="hint">{t("settings.notifications")}</p>
        </section>
        <DeviceList />
        <UsageTable />
        {settings.error && <FetchProblem text={settings.error} again={settings.again} />}
        {!settings.value && settings.isLoading && <Loading />}
        {settings.value && (
          <>
            <AutoAnswerSettings profiles={settings.value.profiles} />
            <section class="settings-group">
              <h2>{t("settings.profiles")}</h2>
              <ul class="profile-list">
                {settings.value.profiles.map((profile) => (
                  <li key={profile.name}>
                    <strong>{profile.name}</strong>
                    <code>{profile.command.join(" ")}</code>
                    <span class="card-note">
                      {profile.source === "yours" ? t("settings.yours") : t("settings.builtIn")}
                      {profile.installed ? "" : ` · ${t("settings.notInstalled")}`}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
            <section class="settings-group">
              <h2>{t("settings.hub")}</h2>
              <dl class="facts">
                <dt>{t("settings.version")}</dt>
                <dd>{settings.value.hub.version}</dd>
                <dt>{t("settings.address")}</dt>
                <dd>{settings.value.hub.address}</dd>
                <dt>{t("info.dir")}</dt>
                <dd>{settings.value.hub.dir}</dd>
                <dt>{t("info.started")}</dt>
                <dd>
                  <Since at={settings.value.hub.started_at} />
                </dd>
              </dl>
            </section>
          </>
        )}
      </div>
    </>
  );
}
