// A picture of a worktree. The policy lets pictures come from the page's own data only, so its bytes become that.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { t } from "../text";
import { HexView } from "./hex-view";

const PICTURE = /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i;

const isPicture = (path: string) => PICTURE.test(path);

/** What can be shown of a file that is no text. Another `version` is fetched anew. */
export function Preview({ worktree, path, version = "" }: { worktree: string; path: string; version?: string }) {
  return isPicture(path) ? <Picture key={version} worktree={worktree} path={path} /> : <HexView key={version} worktree={worktree} path={path} />;
}

function Picture({ worktree, path }: { worktree: string; path: string }) {
  const [data, setData] = useState<string | null>(null);
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    setData(null);
    api
      .fileBytes(worktree, path)
      .then(dataOf)
      .then((got) => isCurrent && setData(got))
      .catch(() => isCurrent && setIsBroken(true));
    return () => {
      isCurrent = false;
    };
  }, [worktree, path]);
  if (isBroken) return <HexView worktree={worktree} path={path} />;
  return data === null ? <p class="hint">{t("state.loading")}</p> : <img class="picture" src={data} alt={path} onError={() => setIsBroken(true)} />;
}

function dataOf(blob: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}
