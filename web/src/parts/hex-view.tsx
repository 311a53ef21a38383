// A file that is no text and no picture: how large it is, and how it begins.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { hexLines } from "../state/hex";
import { bytes } from "../state/when";
import { t } from "../text";

/** So much of it is shown. */
const SHOWN = 512;

export function HexView({ worktree, path }: { worktree: string; path: string }) {
  const [found, setFound] = useState<{ size: number; begin: Uint8Array } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    api
      .fileBytes(worktree, path)
      .then(async (blob) => ({ size: blob.size, begin: new Uint8Array(await blob.slice(0, SHOWN).arrayBuffer()) }))
      // What cannot be fetched is still said to be no text.
      .then((got) => isCurrent && setFound(got), () => {});
    return () => {
      isCurrent = false;
    };
  }, [worktree, path]);
  return (
    <div class="binary">
      <p class="hint">
        {t("file.binary")} {found && bytes(found.size)}
      </p>
      {found && found.size > 0 && (
        <pre class="code" tabIndex={0} aria-label={t("file.bytes", { name: path })}>
          {hexLines(found.begin).join("\n")}
          {found.size > SHOWN && "\n…"}
        </pre>
      )}
    </div>
  );
}
